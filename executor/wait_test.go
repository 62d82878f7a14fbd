package executor_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

// eachSize runs f on all pairs of back ends and few workers, where waiting is
// the most dangerous.
func eachSize(t *testing.T, f func(t *testing.T, e *executor.Executor)) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		for _, cfg.Workers = range []int{1, 2, 3} {
			e := start(t, cfg)
			f(t, e)
			if n := executor.Away(e); n != 0 {
				t.Errorf("%d workers: %d are away at the end", cfg.Workers, n)
			}
		}
	})
}

func fib(n int) func(*executor.Worker) (int, error) {
	return func(w *executor.Worker) (int, error) {
		if n < 2 {
			return n, nil
		}
		a, b := executor.Spawn(w, fib(n-1)), executor.Spawn(w, fib(n-2))
		x, err := a.Wait(background)
		if err != nil {
			return 0, err
		}
		y, err := b.Wait(background)
		return x + y, err
	}
}

func TestForkAndJoinX8(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		if got, err := submit(t, e, fib(12)).Wait(background); got != 144 || err != nil {
			t.Errorf("fib(12) = %d, %v", got, err)
		}
		if err := e.Shutdown(background); err != nil {
			t.Error(err)
		}
	})
}

// A task waits for one that was submitted from outside, behind it.
func TestWaitForQueuedX8(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		other := make(chan *executor.Handle[int], 1)
		waiter := submit(t, e, func(*executor.Worker) (int, error) { return (<-other).Wait(background) })
		other <- submit(t, e, func(*executor.Worker) (int, error) { return 7, nil })
		if got, err := waiter.Wait(background); got != 7 || err != nil {
			t.Errorf("got %d, %v", got, err)
		}
		if err := e.Shutdown(background); err != nil {
			t.Error(err)
		}
	})
}

// A waiter of a running task gives its place to a stand-in: another task runs
// meanwhile, and it is the one that lets the running task end. What the waiter
// spawns afterwards runs too.
func TestStandInX8(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 2
		e := start(t, cfg)
		running, gate := make(chan struct{}), make(chan struct{})
		slow := submit(t, e, func(*executor.Worker) (int, error) { close(running); <-gate; return 1, nil })
		<-running
		waiter := submit(t, e, func(w *executor.Worker) (int, error) {
			before := w.Index()
			v, err := slow.Wait(background)
			if before < 0 || w.Index() != -1 {
				t.Errorf("index %d, then %d", before, w.Index())
			}
			child, _ := executor.Spawn(w, func(*executor.Worker) (int, error) { return 10, nil }).Wait(background)
			return v + child, err
		})
		until(func() bool { return executor.Away(e) != 0 }) // it has given its place away
		if s := e.Stats(); s.Running < 2 {
			t.Errorf("both tasks are running: %+v", s)
		}
		submit(t, e, func(*executor.Worker) (int, error) { close(gate); return 0, nil })
		if got, err := waiter.Wait(background); got != 11 || err != nil {
			t.Errorf("got %d, %v", got, err)
		}
	})
}

// E19: a lock held across a wait does not meet itself, whatever else is queued.
func TestLockAcrossWaitX8(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		var mu sync.Mutex
		var handles []*executor.Handle[int]
		for range 100 {
			handles = append(handles,
				submit(t, e, func(w *executor.Worker) (int, error) {
					mu.Lock()
					defer mu.Unlock()
					return executor.Spawn(w, func(*executor.Worker) (int, error) { return 1, nil }).Wait(background)
				}),
				submit(t, e, func(*executor.Worker) (int, error) {
					mu.Lock()
					defer mu.Unlock()
					return 1, nil
				}))
		}
		for i, h := range handles {
			if got, err := h.Wait(background); got != 1 || err != nil {
				t.Fatalf("task %d: %d, %v", i, got, err)
			}
		}
		if err := e.Shutdown(background); err != nil {
			t.Error(err)
		}
	})
}

// E23: whoever would wait for itself, at once or round a cycle, is told so.
func TestCyclesX9(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		for _, size := range []int{1, 2, 3} {
			handles := make([]*executor.Handle[int], size)
			ready := make(chan struct{})
			for i := range handles {
				handles[i] = submit(t, e, func(*executor.Worker) (int, error) {
					<-ready
					return handles[(i+1)%size].Wait(background)
				})
			}
			close(ready)
			cycles := 0
			for _, h := range handles {
				_, err := h.Wait(background)
				var cycle *executor.CycleError
				if !errors.As(err, &cycle) || len(cycle.Tasks) != size || !strings.Contains(err.Error(), "TestCyclesX9") {
					t.Errorf("cycle of %d: %v", size, err)
				}
				cycles++
			}
			if cycles != size {
				t.Errorf("%d of %d tasks ended", cycles, size)
			}
		}
		if got, err := submit(t, e, fib(5)).Wait(background); got != 5 || err != nil {
			t.Errorf("afterwards: %d, %v", got, err)
		}
		if err := e.Shutdown(background); err != nil {
			t.Error(err)
		}
	})
}

// L10: a waiter that runs the task it waits for survives its bad end.
func TestHelpedBadEndsL10X8(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		_, err := submit(t, e, func(w *executor.Worker) (int, error) {
			_, err := executor.Spawn(w, func(*executor.Worker) (int, error) { panic("boom") }).Wait(background)
			var p *executor.PanicError
			if !errors.As(err, &p) {
				t.Errorf("panic: %v", err)
			}
			_, err = executor.Spawn(w, func(*executor.Worker) (int, error) { runtime.Goexit(); return 0, nil }).Wait(background)
			if !errors.Is(err, executor.ErrGoexit) {
				t.Errorf("Goexit: %v", err)
			}
			return 1, nil
		}).Wait(background)
		if err != nil {
			t.Error(err)
		}
		if err := e.Shutdown(background); err != nil {
			t.Error(err)
		}
	})
}

// A waiter that is cancelled, or whose ctx ends, does not wait on.
func TestWaitInsideHonoursContextX8(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 2})
	running, gate := make(chan struct{}), make(chan struct{})
	slow := submit(t, e, func(*executor.Worker) (int, error) { close(running); <-gate; return 1, nil })
	<-running
	waiter := submit(t, e, func(w *executor.Worker) (int, error) { return slow.Wait(w.Context()) })
	until(func() bool { return executor.Away(e) != 0 })
	cause := errors.New("enough")
	if !waiter.Cancel(cause) {
		t.Error("the waiter had ended")
	}
	if _, err := waiter.Wait(background); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	ended, cancel := context.WithCancel(background)
	cancel()
	_, err := submit(t, e, func(*executor.Worker) (int, error) { return slow.Wait(ended) }).Wait(background)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a context that had ended: %v", err)
	}
	close(gate)
}

// X7: a drain waits for those who wait, and Stop ends what they wait for.
func TestEndWhileWaitingX7X8(t *testing.T) {
	for _, stop := range []bool{false, true} {
		eachSize(t, func(t *testing.T, e *executor.Executor) {
			root := submit(t, e, fib(10))
			end := func() error { return e.Shutdown(background) }
			if stop {
				end = e.Stop
			}
			if err := end(); err != nil {
				t.Error(err)
			}
			got, err := root.Wait(background)
			if !stop && (got != 55 || err != nil) || stop && err != nil && !errors.Is(err, executor.ErrCancelled) {
				t.Errorf("stop %v: %d, %v", stop, got, err)
			}
			quiet(t, e)
		})
	}
}

// A storage whose tasks their waiter has run is empty when their queue is.
func TestStorageOfHelpedTasksX8(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1})
	s := executor.NewStorage[int](e, 3)
	for range 2000 {
		root, err := s.Submit(background, func(w *executor.Worker) (int, error) {
			a, err := s.Spawn(w, func(*executor.Worker) (int, error) { return 2, nil })
			if err != nil {
				return 0, err
			}
			b, err := s.Spawn(w, func(*executor.Worker) (int, error) { return 3, nil })
			if err != nil {
				return 0, err
			}
			x, _ := a.Wait(background)
			y, _ := b.Wait(background)
			return x + y, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := root.Wait(background); got != 5 || err != nil {
			t.Fatalf("got %d, %v", got, err)
		}
		sum := 0
		if err := s.Wait(background, func(_, v int, _ error) { sum += v }); err != nil || sum != 10 {
			t.Fatalf("sum %d, %v", sum, err)
		}
		for err = s.Reset(); err != nil; err = s.Reset() {
			if !errors.Is(err, executor.ErrStorage) {
				t.Fatal(err)
			}
			runtime.Gosched() // until the worker has popped what its task ran
		}
	}
}

// Waiting works where queues refuse, those that have not said so included: a
// refused task then runs, and waits, while its worker is between two tasks.
func TestWaitOnRefusingQueuesX8X10(t *testing.T) {
	for _, promised := range []bool{true, false} {
		for _, workers := range []int{1, 2, 3} {
			watchdog(t)
			var refused atomic.Int64
			h := hooks{refused: func() { refused.Add(1) }}
			cfg := executor.Config{Workers: workers, Injector: injectorOf(1, h), Deque: dequeOf(1, h)}
			cfg.Deque.Promises.Bounded = promised
			e := start(t, cfg)
			for range rounds(20) {
				if got, err := submit(t, e, fib(8)).Wait(background); got != 21 || err != nil {
					t.Fatalf("fib(8) = %d, %v", got, err)
				}
			}
			drained(t, e)
			if refused.Load() == 0 || executor.Away(e) != 0 {
				t.Errorf("%d were refused, %d workers are away", refused.Load(), executor.Away(e))
			}
		}
	}
}
