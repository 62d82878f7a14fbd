package executor_test

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/lifecycle"
)

// steps is a body made of functions; it counts what it must have once.
type steps struct {
	poll    func(n int, w *executor.Worker, k executor.Waker) (int, bool, error)
	polls   int // plain: a second worker in a poll is a race
	dropped atomic.Int64
	onDrop  func()
}

func (s *steps) Poll(w *executor.Worker, k executor.Waker) (int, bool, error) {
	s.polls++
	return s.poll(s.polls, w, k)
}

func (s *steps) Drop() {
	if s.dropped.Add(1); s.onDrop != nil {
		s.onDrop()
	}
}

func submitPoll(t *testing.T, e *executor.Executor, s *steps) *executor.Handle[int] {
	t.Helper()
	h, err := executor.SubmitPoll(background, e, executor.Normal, s)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// idle waits until h's task waits for a wake.
func idle(h *executor.Handle[int]) { until(func() bool { return h.State() == lifecycle.Idle }) }

// pending is a body that is never ready.
func pending() *steps {
	return &steps{poll: func(int, *executor.Worker, executor.Waker) (int, bool, error) { return 0, false, nil }}
}

// L5: a wake during the poll, right after it, and many before the next one
// give one more poll each; wakes of an ended task are absorbed.
func TestWakesAreNeverLostL5(t *testing.T) {
	watchdog(t)
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 1
		e := start(t, cfg)
		s := &steps{poll: func(n int, _ *executor.Worker, k executor.Waker) (int, bool, error) {
			if n == 1 {
				k.Wake() // during the poll
				k.Wake() // absorbed
			}
			return n, n == 4, nil
		}}
		h := submitPoll(t, e, s)
		h.Waker().Wake() // before the first poll, which will see it, or during
		until(func() bool {
			if h.State() == lifecycle.Idle {
				h.Waker().Wake()
			}
			return h.State() == lifecycle.Completed
		})
		if n, err := h.Wait(background); n != 4 || err != nil {
			t.Errorf("got %d, %v", n, err)
		}
		h.Waker().Wake()
		executor.Waker{}.Wake()
		drained(t, e)
		if s.polls != 4 || s.dropped.Load() != 1 {
			t.Errorf("%d polls, dropped %d times", s.polls, s.dropped.Load())
		}
	})
}

// L5: with one waker that fires once a poll, from another goroutine, at any
// time of the poll, every poll is followed by exactly the next.
func TestEachWakeGivesOnePollL5(t *testing.T) {
	watchdog(t)
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 2
		e := start(t, cfg)
		const tasks = 8
		want := rounds(2000)
		var wg sync.WaitGroup
		var bodies []*steps
		for range tasks {
			wakers := make(chan executor.Waker, 1)
			s := &steps{poll: func(n int, _ *executor.Worker, k executor.Waker) (int, bool, error) {
				if n == want {
					close(wakers)
					return n, true, nil
				}
				wakers <- k // the last poll's was taken: it led to this one
				return 0, false, nil
			}}
			bodies = append(bodies, s)
			h := submitPoll(t, e, s)
			wg.Go(func() {
				for k := range wakers {
					k.Wake()
				}
				if n, err := h.Wait(background); n != want || err != nil {
					t.Errorf("got %d, %v; want %d", n, err, want)
				}
			})
		}
		wg.Wait()
		drained(t, e)
		for _, s := range bodies {
			if s.polls != want || s.dropped.Load() != 1 {
				t.Errorf("%d polls of %d, dropped %d times", s.polls, want, s.dropped.Load())
			}
		}
	})
}

// L7: a task that wakes itself for ever is polled again at once only once in a
// row, and lets the others run.
func TestSelfWakingTaskLetsOthersRunL7(t *testing.T) {
	watchdog(t)
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 1
		e := start(t, cfg)
		var stop atomic.Bool
		s := &steps{poll: func(_ int, _ *executor.Worker, k executor.Waker) (int, bool, error) {
			k.Wake()
			return 0, stop.Load(), nil
		}}
		h := submitPoll(t, e, s)
		for range rounds(500) {
			if _, err := submit(t, e, nothing).Wait(background); err != nil {
				t.Fatal(err)
			}
		}
		stop.Store(true)
		if _, err := h.Wait(background); err != nil {
			t.Error(err)
		}
		drained(t, e)
	})
}

// L6: queues with room for one refuse what is woken, and no task stays Queued
// for ever, self-waking ones and one that is woken from outside.
func TestFullQueuesLoseNoWakeL6(t *testing.T) {
	watchdog(t)
	for _, workers := range []int{1, 2} {
		var refused atomic.Int64
		h := hooks{refused: func() { refused.Add(1) }}
		e := start(t, executor.Config{Workers: workers, Injector: injectorOf(1, h), Deque: dequeOf(1, h)})
		want := rounds(300)
		var hs []*executor.Handle[int]
		var bodies []*steps
		for range 20 {
			s := &steps{poll: func(n int, _ *executor.Worker, k executor.Waker) (int, bool, error) {
				k.Wake()
				return n, n >= want, nil
			}}
			bodies = append(bodies, s)
			hs = append(hs, submitPoll(t, e, s))
		}
		asleep := pending()
		sleeper := submitPoll(t, e, asleep)
		for i, h := range hs {
			sleeper.Waker().Wake()
			if n, err := h.Wait(background); n != want || err != nil {
				t.Errorf("got %d, %v; want %d", n, err, want)
			}
			if bodies[i].dropped.Load() != 1 {
				t.Error("not dropped once")
			}
		}
		sleeper.Cancel(nil)
		drained(t, e)
		if refused.Load() == 0 {
			t.Error("no queue was ever full")
		}
	}
}

// L8, L9, L11: a cancel of a task that is queued, idle or being polled ends it
// once, drops the body once, and gives its slot back.
func TestCancelOfPolledTasksL8L9L11(t *testing.T) {
	watchdog(t)
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers, cfg.Capacity = 1, 2
		e := start(t, cfg)
		cause := errors.New("why")
		check := func(when string, h *executor.Handle[int], s *steps, polls int) {
			t.Helper()
			_, err := h.Wait(background)
			if !errors.Is(err, executor.ErrCancelled) || !errors.Is(err, cause) || s.polls != polls || s.dropped.Load() != 1 {
				t.Errorf("%s: %v, %d polls, dropped %d times", when, err, s.polls, s.dropped.Load())
			}
		}
		s := pending()
		h := submitPoll(t, e, s)
		idle(h)
		if !h.Cancel(cause) || h.Cancel(cause) {
			t.Error("idle: want exactly the first cancel to win")
		}
		h.Waker().Wake()
		check("idle", h, s, 1)

		release := gated(t, e)
		s = pending()
		h = submitPoll(t, e, s)
		h.Cancel(cause)
		if s.dropped.Load() != 1 {
			t.Error("queued: not dropped by who cancelled")
		}
		release()
		check("queued", h, s, 0)

		entered, leave := make(chan struct{}), make(chan struct{})
		s = &steps{poll: func(_ int, w *executor.Worker, k executor.Waker) (int, bool, error) {
			close(entered)
			<-w.Context().Done()
			k.Wake() // a wake of a cancelled task
			<-leave
			return 0, false, nil
		}}
		h = submitPoll(t, e, s)
		<-entered
		h.Cancel(cause)
		if s.dropped.Load() != 0 {
			t.Error("polled: dropped under the poll")
		}
		close(leave)
		check("polled", h, s, 1)
		drained(t, e)
	})
}

// X7: Stop ends tasks that wait for a wake and those that are about to; a drain
// waits for them.
func TestStopAndShutdownOfIdleTasksX7(t *testing.T) {
	watchdog(t)
	for range rounds(200) {
		e := start(t, executor.Config{Workers: 2})
		var hs []*executor.Handle[int]
		for range 10 {
			hs = append(hs, submitPoll(t, e, pending()))
		}
		idle(hs[0])
		if err := e.Stop(); err != nil {
			t.Fatal(err)
		}
		for _, h := range hs {
			if _, err := h.Wait(background); !errors.Is(err, executor.ErrStopped) {
				t.Fatalf("got %v", err)
			}
		}
		quiet(t, e)
	}
	e := start(t, executor.Config{Workers: 2})
	s := &steps{poll: func(n int, _ *executor.Worker, _ executor.Waker) (int, bool, error) { return n, n == 2, nil }}
	h, other := submitPoll(t, e, s), submitPoll(t, e, pending())
	idle(h)
	idle(other)
	over := make(chan error, 1)
	go func() { over <- e.Shutdown(background) }()
	until(func() bool { _, err := executor.TrySubmit(e, nothing); return errors.Is(err, executor.ErrShutdown) })
	h.Waker().Wake()
	if n, err := h.Wait(background); n != 2 || err != nil {
		t.Errorf("woken while draining: %d, %v", n, err)
	}
	other.Cancel(nil) // by who is no worker: a worker must learn that it may leave
	if err := <-over; err != nil {
		t.Error(err)
	}
}

// L10, L11: panics and Goexit in a poll and in a drop are outcomes, and the
// body is dropped once.
func TestFaultsOfPolledTasksL10L11(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1})
	boom := errors.New("boom")
	body := func(end func() (bool, error)) *steps {
		return &steps{poll: func(n int, _ *executor.Worker, k executor.Waker) (int, bool, error) {
			if n < 3 {
				k.Wake()
				return 0, false, nil
			}
			ready, err := end()
			return n, ready, err
		}}
	}
	for name, c := range map[string]struct {
		body *steps
		want error
	}{
		"error":  {body(func() (bool, error) { return false, boom }), boom},
		"panic":  {body(func() (bool, error) { panic(boom) }), boom},
		"goexit": {body(func() (bool, error) { runtime.Goexit(); return true, nil }), executor.ErrGoexit},
		"drop":   {&steps{poll: body(func() (bool, error) { return true, nil }).poll, onDrop: func() { panic(boom) }}, boom},
	} {
		_, err := submitPoll(t, e, c.body).Wait(background)
		if !errors.Is(err, c.want) || c.body.polls != 3 || c.body.dropped.Load() != 1 {
			t.Errorf("%s: %v, %d polls, dropped %d times", name, err, c.body.polls, c.body.dropped.Load())
		}
	}
	s := pending()
	s.onDrop = func() { panic(boom) }
	h := submitPoll(t, e, s)
	idle(h)
	h.Cancel(nil)
	if _, err := h.Wait(background); !errors.Is(err, executor.ErrCancelled) || !errors.Is(err, boom) {
		t.Errorf("cancelled, and its drop panicked: %v", err)
	}
	drained(t, e)
}

// X8, X10: a polled task may be spawned and waited for with one worker; with
// no slot free it is refused.
func TestSpawnPollX8X10(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1, Capacity: 2})
	twice := &steps{poll: func(n int, _ *executor.Worker, k executor.Waker) (int, bool, error) {
		k.Wake()
		return n, n == 5, nil
	}}
	n, err := submit(t, e, func(w *executor.Worker) (int, error) {
		h, err := executor.SpawnPoll(w, twice)
		if err != nil {
			return 0, err
		}
		if _, err := executor.SpawnPoll(w, pending()); !errors.Is(err, executor.ErrSaturated) {
			t.Errorf("no slot is free: %v", err)
		}
		if _, err := executor.TrySubmitPoll(e, executor.Normal, pending()); !errors.Is(err, executor.ErrSaturated) {
			t.Errorf("no slot is free: %v", err)
		}
		return h.Wait(background)
	}).Wait(background)
	if n != 5 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	drained(t, e)
}
