package executor_test

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

// L5: a wake that comes before the first poll is seen: by that poll, which comes after
// it, while the worker is held meanwhile.
func TestWakeBeforeTheFirstPollL5(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 1
		e := start(t, cfg)
		for range rounds(500) {
			release := gated(t, e)
			woken := false // plain: the wake comes before the poll
			s := &steps{poll: func(n int, _ *executor.Worker, _ executor.Waker) (int, bool, error) { return n, woken, nil }}
			h := submitPoll(t, e, s)
			if s.polls != 0 {
				t.Fatal("polled while its worker was held")
			}
			woken = true
			h.Waker().Wake()
			release()
			if n, err := h.Wait(background); n < 1 || err != nil {
				t.Fatalf("got %d, %v", n, err)
			}
		}
	})
}

// X7, L5: wakes from outside while the executor is stopped or drained, and after that:
// none touches what is gone, and each task ends once.
func TestWakesDuringTheEndX7L5(t *testing.T) {
	watchdog(t)
	const wakers = 2
	for i := range often(100_000) {
		e, err := executor.New(executor.Config{Workers: 1 + i%2, Capacity: 8, Seed: uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		var polled, left atomic.Int64
		s := &steps{poll: func(n int, _ *executor.Worker, _ executor.Waker) (int, bool, error) {
			polled.Add(1)
			return n, i%2 == 0 && n == 3, nil // the drained ones end
		}}
		h := submitPoll(t, e, s)
		var all sync.WaitGroup
		for range wakers {
			all.Go(func() {
				for n := 0; n < 20 || i%2 == 0 && s.dropped.Load() == 0; n++ {
					h.Waker().Wake()
					runtime.Gosched()
				}
				left.Add(1)
			})
		}
		for range i % 8 {
			runtime.Gosched()
		}
		if i%2 == 0 {
			err = e.Shutdown(background)
		} else {
			err = e.Stop()
		}
		if err != nil {
			t.Fatal(err)
		}
		h.Waker().Wake()
		all.Wait()
		h.Waker().Wake()
		_, err = h.Wait(background)
		if i%2 == 0 && err != nil || i%2 == 1 && !errors.Is(err, executor.ErrStopped) || s.dropped.Load() != 1 || left.Load() != wakers {
			t.Fatalf("round %d: got %v after %d polls, dropped %d times", i, err, polled.Load(), s.dropped.Load())
		}
		drained(t, e)
	}
}

// A group may be given tasks while others wait for it, with none left at times: whoever
// waits after a task was given does not return before it has ended.
func TestGroupIsGivenWhileWaitedFor(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 2, Seed: seed(t)})
	g := executor.NewGroup(e)
	var over atomic.Bool
	var waiters, givers sync.WaitGroup
	waiters.Go(func() {
		for !over.Load() {
			if err := g.Wait(background); err != nil {
				t.Error(err)
			}
			runtime.Gosched()
		}
	})
	for range 2 {
		givers.Go(func() {
			for i := range rounds(50_000) {
				ran := new(atomic.Int64)
				for range 1 + i%3 {
					if err := g.Go(func(_ *executor.Worker, n any) { n.(*atomic.Int64).Add(1) }, ran); err != nil {
						t.Error(err)
					}
				}
				if err := g.Wait(background); err != nil || ran.Load() != int64(1+i%3) {
					t.Errorf("round %d: %d of %d ran, %v", i, ran.Load(), 1+i%3, err)
					return
				}
			}
		})
	}
	givers.Wait()
	over.Store(true)
	waiters.Wait()
}

// X10, X7: thousands who wait for room are all let go when the executor ends, and none
// of their tasks runs.
func TestThousandsWaitForRoomX7X10(t *testing.T) {
	watchdog(t)
	n := rounds(20_000)
	if n > 4000 && underRace {
		n = 4000 // what some race runtimes can do at once is 8128
	}
	e, release := filled(t, 2)
	errs := make(chan error, n)
	for range n {
		go func() {
			_, err := executor.Submit(background, e, func(*executor.Worker) (int, error) { t.Error("a refused task ran"); return 0, nil })
			errs <- err
		}()
	}
	until(func() bool { return executor.Waiting(e) == n })
	stopped := make(chan error)
	go func() { stopped <- e.Stop() }()
	for range n {
		if err := <-errs; !errors.Is(err, executor.ErrShutdown) {
			t.Fatalf("got %v", err)
		}
	}
	release()
	if err := <-stopped; err != nil || executor.Waiting(e) != 0 {
		t.Errorf("got %v, %d wait", err, executor.Waiting(e))
	}
}
