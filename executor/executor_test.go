package executor_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/lifecycle"
	"github.com/exactlyonce/certify/queues/catalog"
)

func TestSubmitAndSpawnReturnResults(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		for _, cfg.Workers = range []int{1, 2, 3, 8} {
			e := start(t, cfg)
			const n = 500
			var sum atomic.Int64
			root := submit(t, e, func(w *executor.Worker) ([]*executor.Handle[int], error) {
				var children []*executor.Handle[int]
				for i := range n {
					children = append(children, executor.Spawn(w, func(*executor.Worker) (int, error) {
						sum.Add(int64(i))
						return i, nil
					}))
				}
				return children, nil
			})
			children, err := root.Wait(background)
			if err != nil {
				t.Fatal(err)
			}
			for i, h := range children {
				if got, err := h.Wait(background); got != i || err != nil {
					t.Fatalf("task %d: got %d, %v", i, got, err)
				}
			}
			if want := int64(n * (n - 1) / 2); sum.Load() != want {
				t.Errorf("sum %d, want %d", sum.Load(), want)
			}
		}
	})
}

// X1: impossible values are errors that name the field, and start nothing.
func TestConfigErrorsX1(t *testing.T) {
	check := func(cfg executor.Config, field string) {
		t.Helper()
		_, err := executor.New(cfg)
		var bad *executor.ConfigError
		if !errors.As(err, &bad) || bad.Field != field {
			t.Errorf("%+v: got %v, want an error about %s", cfg, err, field)
		}
	}
	deque, _ := catalog.Deque[executor.Task]("chaselev")
	injector, _ := catalog.Injector[executor.Task]("msqueue")
	check(executor.Config{Workers: -1}, "Workers")
	check(executor.Config{Workers: 1 << 20}, "Workers")
	check(executor.Config{Capacity: -1}, "Capacity")
	check(executor.Config{Injector: deque}, "Injector")
	check(executor.Config{Deque: injector}, "Deque")
	bad := executor.Config{}
	bad.QueueOptions.Capacity = -1
	check(bad, "QueueOptions.Capacity")
}

// E07: one processor and the zero Config still make a worker.
func TestZeroConfigOnOneProcessorX1(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	watchdog(t)
	e := start(t, executor.Config{})
	if e.Workers() != 1 {
		t.Errorf("%d workers, want 1", e.Workers())
	}
	if got, err := submit(t, e, func(w *executor.Worker) (int, error) { return w.Index() + 7, nil }).Wait(background); got != 7 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
}

// L10: a panic is the task's outcome and loses nothing.
func TestPanicIsAnOutcomeL10(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 2
		e := start(t, cfg)
		cause := errors.New("boom")
		for range 100 {
			_, err := submit(t, e, func(*executor.Worker) (int, error) { panic(cause) }).Wait(background)
			var p *executor.PanicError
			if !errors.As(err, &p) || p.Value != cause || len(p.Stack) == 0 || !errors.Is(err, cause) {
				t.Fatalf("got %v", err)
			}
		}
		if s := e.Stats(); s.Panics != 100 || s.Failed != 100 {
			t.Errorf("%+v", s)
		}
	})
}

// L10, E17: a Goexit is the task's outcome; the worker is replaced.
func TestGoexitIsAnOutcomeL10(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 2
		e := start(t, cfg)
		var handles []*executor.Handle[int]
		for i := range 100 {
			handles = append(handles, submit(t, e, func(*executor.Worker) (int, error) {
				if i%2 == 0 {
					runtime.Goexit()
				}
				return i, nil
			}))
		}
		for i, h := range handles {
			got, err := h.Wait(background)
			if i%2 == 0 && !errors.Is(err, executor.ErrGoexit) || i%2 == 1 && (got != i || err != nil) {
				t.Fatalf("task %d: got %d, %v", i, got, err)
			}
		}
		if s := e.Stats(); s.Goexits != 50 || s.Failed != 50 || s.Completed != 50 {
			t.Errorf("%+v", s)
		}
	})
}

// L8, E28: cancelled before it starts, the body never runs.
func TestCancelWhileQueuedL8(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 1
		e := start(t, cfg)
		release := gated(t, e)
		ran := false
		h := submit(t, e, func(*executor.Worker) (int, error) { ran = true; return 1, nil })
		cause := errors.New("not needed")
		if !h.Cancel(cause) || h.Cancel(nil) {
			t.Error("want true for the first Cancel only")
		}
		if h.State() != lifecycle.Cancelled {
			t.Errorf("state %s", h.State())
		}
		if _, err := h.Wait(background); !errors.Is(err, executor.ErrCancelled) || !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
		if s := e.Stats(); s.Cancelled != 1 || s.Queued != 0 || s.Running != 1 {
			t.Errorf("%+v", s)
		}
		release()
		if err := e.Shutdown(background); err != nil || ran {
			t.Errorf("shutdown %v, body ran: %v", err, ran)
		}
	})
}

// L9: cancelled while it runs, the state is Cancelled at once, the context
// ends with the cause, the result is dropped, and Wait waits for the body.
func TestCancelWhileRunningL9(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1})
	running, gate := make(chan struct{}), make(chan struct{})
	cause := errors.New("enough")
	var seen error
	h := submit(t, e, func(w *executor.Worker) (int, error) {
		close(running)
		<-w.Context().Done()
		seen = context.Cause(w.Context())
		<-gate
		return 42, nil
	})
	<-running
	if !h.Cancel(cause) || h.State() != lifecycle.Cancelled {
		t.Fatalf("state %s", h.State())
	}
	select {
	case <-h.Done():
		t.Error("done while the body is on its worker")
	default:
	}
	close(gate)
	got, err := h.Wait(background)
	if got != 0 || !errors.Is(err, cause) || !errors.Is(err, executor.ErrCancelled) || seen != cause {
		t.Errorf("got %d, %v; the body saw %v", got, err, seen)
	}
	if h.Cancel(nil) {
		t.Error("a second Cancel won")
	}
}

// L1, L2, E29: cancel against the end, one winner, and the answer agrees.
func TestCancelRaceL1L2(t *testing.T) {
	watchdog(t)
	rounds := 20000
	if testing.Short() {
		rounds = 2000
	}
	e := start(t, executor.Config{Workers: 2})
	var won, lost int
	for i := range rounds {
		var ran atomic.Bool
		h := submit(t, e, func(*executor.Worker) (int, error) { ran.Store(true); return i, nil })
		for spin := i % 64; spin > 0; spin-- {
			runtime.Gosched() // where the cancel falls moves through the task's life
		}
		cancelled := h.Cancel(nil)
		got, err := h.Wait(background)
		switch {
		case cancelled && !errors.Is(err, executor.ErrCancelled), !cancelled && (err != nil || got != i || !ran.Load()):
			t.Fatalf("round %d: Cancel said %v, outcome %d, %v, ran %v", i, cancelled, got, err, ran.Load())
		case cancelled:
			won++
		default:
			lost++
		}
	}
	if won == 0 || lost == 0 {
		t.Errorf("cancel won %d and lost %d: no race", won, lost)
	}
}
