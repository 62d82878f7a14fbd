package poll_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/poll"
	"github.com/exactlyonce/certify/internal/stress"
)

// Timers are those of the runtime: in a bubble a day takes no time, and a timer
// that is dropped is stopped, or the clock would go on to it.
func TestTimers(t *testing.T) {
	stress.Watchdog(t)
	synctest.Test(t, func(t *testing.T) {
		e := start(t, 1)
		began := time.Now()
		h := submit(t, e, poll.Select(poll.After(48*time.Hour), poll.After(24*time.Hour)))
		s, err := h.Wait(background)
		if err != nil || s.Index != 1 || time.Since(began) != 24*time.Hour || s.Value.Sub(began) != 24*time.Hour {
			t.Errorf("got %v, %v after %v", s, err, time.Since(began))
		}
		late := poll.After(time.Hour)
		time.Sleep(2 * time.Hour)
		if _, err := submit(t, e, late).Wait(background); err != nil || time.Since(began) != 26*time.Hour {
			t.Errorf("a time that has passed: %v after %v", err, time.Since(began))
		}
		h2 := submit(t, e, poll.After(time.Hour))
		synctest.Wait()
		h2.Cancel(errBoom)
		if _, err := h2.Wait(background); !errors.Is(err, errBoom) || time.Since(began) != 26*time.Hour {
			t.Errorf("cancelled: %v after %v", err, time.Since(began))
		}
	})
}

// A context that ends ends what waits under it, with its cause; one that does
// not is let go of.
func TestUntil(t *testing.T) {
	stress.Watchdog(t)
	synctest.Test(t, func(t *testing.T) {
		e := start(t, 1)
		ctx, cancel := context.WithTimeoutCause(background, time.Minute, errBoom)
		defer cancel()
		p := new(probe)
		began := time.Now()
		_, err := submit(t, e, poll.Until(ctx, p)).Wait(background)
		if !errors.Is(err, errBoom) || time.Since(began) != time.Minute || p.dropped.Load() != 1 {
			t.Errorf("%v after %v, dropped %d times", err, time.Since(began), p.dropped.Load())
		}
		p = new(probe)
		h := submit(t, e, poll.Until(background, p))
		synctest.Wait()
		p.fire()
		if v, err := h.Wait(background); v != 7 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
	})
}

// Block sleeps until it is woken, and ends with its context.
func TestBlock(t *testing.T) {
	stress.Watchdog(t)
	synctest.Test(t, func(t *testing.T) {
		p := new(probe)
		go func() { time.Sleep(time.Hour); p.fire() }()
		if v, err := poll.Block(background, p); v != 7 || err != nil || p.polls.Load() != 2 || p.dropped.Load() != 1 {
			t.Errorf("got %d, %v after %d polls, dropped %d times", v, err, p.polls.Load(), p.dropped.Load())
		}
		ctx, cancel := context.WithTimeout(background, time.Hour)
		defer cancel()
		seen := poll.Func[int](func(c *poll.Context) (int, bool, error) {
			if c.Worker() != nil || c.Context() != ctx {
				t.Error("want the context given, and no worker")
			}
			return 0, false, nil
		})
		if _, err := poll.Block(ctx, seen); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// Handles of tasks, of the same executor too, with one worker.
func TestOf(t *testing.T) {
	stress.Watchdog(t)
	e := start(t, 1)
	gate := make(chan struct{})
	slow, err := executor.Submit(background, e, func(w *executor.Worker) (int, error) {
		w.Block(func() { <-gate })
		return 3, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	bad, err := executor.Submit(background, e, func(*executor.Worker) (int, error) { return 0, errBoom })
	if err != nil {
		t.Fatal(err)
	}
	good := submit(t, e, poll.Of(slow))
	failed := submit(t, e, poll.Of(bad))
	dropped := submit(t, e, poll.Of(slow))
	dropped.Cancel(nil)
	v, err := failed.Wait(background)
	want(t, "failed", v, err, 0, errBoom)
	close(gate)
	v, err = good.Wait(background)
	want(t, "good", v, err, 3, nil)
}

// L5: values go through unbuffered channels between polled tasks and
// goroutines, in both directions, and none is lost or doubled.
func TestChannelsL5(t *testing.T) {
	stress.Watchdog(t)
	e := start(t, 2)
	const tasks, each = 4, 300
	in, out := make(chan int), make(chan int)
	relay := func() poll.Future[int] { // receives and sends on, each times
		var next func(n int) poll.Future[int]
		next = func(n int) poll.Future[int] {
			if n == each {
				return poll.Ready(n)
			}
			return poll.Then(poll.Receive(in), func(v int) poll.Future[int] {
				return poll.Then(poll.Send(out, v), func(struct{}) poll.Future[int] { return next(n + 1) })
			})
		}
		return next(0)
	}
	var hs []*executor.Handle[int]
	for range tasks {
		hs = append(hs, submit(t, e, relay()))
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range tasks * each {
			in <- i
		}
	})
	seen := make([]int, tasks*each)
	for range seen {
		seen[<-out]++
	}
	for v, n := range seen {
		if n != 1 {
			t.Fatalf("%d came %d times", v, n)
		}
	}
	wg.Wait()
	for _, h := range hs {
		if n, err := h.Wait(background); n != each || err != nil {
			t.Errorf("got %d, %v", n, err)
		}
	}
}

// A future that waits for a channel and is dropped takes its goroutine along.
func TestDroppedChannels(t *testing.T) {
	stress.Watchdog(t)
	e := start(t, 1)
	ch := make(chan int)
	waits := []*executor.Handle[int]{
		submit(t, e, poll.Receive(ch)),
		submit(t, e, poll.Map(poll.Send(make(chan int), 1), func(struct{}) (int, error) { return 0, nil })),
		submit(t, e, poll.Receive[int](nil)),
	}
	stress.Until(func() bool { return e.Stats().Idle == len(waits) })
	for _, h := range waits {
		h.Cancel(nil)
	} // goleak sees the goroutines that stay
}
