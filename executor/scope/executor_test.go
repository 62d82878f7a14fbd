package scope_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope"
	"github.com/exactlyonce/certify/internal/stress"
)

// Stop of the executor cancels the root; children that never left a queue end
// as cancelled, and what was moved to them is closed.
func TestExecutorStopEndsEverythingS1S3(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		var d diary
		var ran atomic.Int32
		running := make(chan struct{})
		over := make(chan error)
		go func() {
			over <- scope.Run(background, e, func(s *scope.Scope) error {
				for range 4 {
					r := d.acquire(t, s, "moved")
					child, err := scope.Spawn(s, scope.Options{Move: []scope.Movable{r}}, func(s *scope.Scope) (int, error) {
						ran.Add(1)
						return 0, stopped(s)
					})
					is(t, "spawn", err)
					_ = child
				}
				close(running)
				<-s.Context().Done() // without Block: with one worker no child ever runs
				return nil
			})
		}()
		<-running
		is(t, "stop", e.Stop())
		is(t, "run", <-over, executor.ErrCancelled, executor.ErrStopped)
		d.check(t, "moved", "moved", "moved", "moved")
		if e.Workers() == 1 && e.Stats().Capacity > 8 && ran.Load() > 0 {
			t.Errorf("%d children ran", ran.Load())
		}
		is(t, "run after stop", scope.Run(background, e, nothing), executor.ErrShutdown)
	})
}

// Stop while the root waits for its children.
func TestExecutorStopWhileJoiningS1S3(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		running := make(chan struct{})
		over := make(chan error)
		go func() {
			over <- scope.Run(background, e, func(s *scope.Scope) error {
				for range 3 {
					is(t, "go", s.Go(func(s *scope.Scope) error { return stopped(s) }))
				}
				return s.Go(func(s *scope.Scope) error { close(running); return stopped(s) })
			})
		}()
		<-running
		is(t, "stop", e.Stop())
		is(t, "run", <-over, executor.ErrCancelled, executor.ErrStopped)
	})
}

// Shutdown lets running scopes go on, spawning included.
func TestExecutorShutdownDrainsS1(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		running, drained := make(chan struct{}), make(chan error)
		over := make(chan error)
		var ran atomic.Int32
		go func() {
			over <- scope.Run(background, e, func(s *scope.Scope) error {
				close(running)
				s.Worker().Block(func() {
					stress.Until(func() bool { return scope.Run(background, e, nothing) != nil }) // new runs are refused
				})
				for range 5 {
					is(t, "go", s.Go(func(s *scope.Scope) error {
						return s.Go(func(*scope.Scope) error { ran.Add(1); return nil })
					}))
				}
				n, err := spawn(t, s, seven).Join(s)
				ran.Add(int32(n))
				return err
			})
		}()
		<-running
		go func() { drained <- e.Shutdown(background) }()
		is(t, "run", <-over)
		is(t, "shutdown", <-drained)
		if ran.Load() != 12 {
			t.Errorf("%d of 12", ran.Load())
		}
	})
}

// A full executor stores children beside its capacity: one that waits for a
// sibling that is spawned later does not hold up the spawner.
func TestFullExecutorDoesNotHoldUpSpawnersS1(t *testing.T) {
	for _, workers := range []int{1, 2, 3} {
		e := start(t, executor.Config{Workers: workers, Capacity: 1})
		const chain = 20
		gates := make([]chan struct{}, chain+1)
		for i := range gates {
			gates[i] = make(chan struct{})
		}
		close(gates[chain])
		is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
			for i := range chain { // each waits for the next one
				is(t, "go", s.Go(func(s *scope.Scope) error {
					meet(s, gates[i+1])
					close(gates[i])
					return nil
				}))
			}
			return nil
		}))
		<-gates[0]
		if s := e.Stats(); s.InPlace != chain || s.HighWater > chain+1 {
			t.Errorf("%d of %d spawns found it full: %+v", s.InPlace, chain, s)
		}
	}
}

// With one worker and one processor everything that waits lets others run.
func TestOneProcessorS1(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		var fib func(n int) func(*scope.Scope) (int, error)
		fib = func(n int) func(*scope.Scope) (int, error) {
			return func(s *scope.Scope) (int, error) {
				if n < 2 {
					return n, nil
				}
				a, b := spawn(t, s, fib(n-1)), spawn(t, s, fib(n-2))
				x, err := a.Join(s)
				is(t, "join", err)
				y, err := b.Join(s)
				return x + y, err
			}
		}
		is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
			got, err := fib(9)(s)
			if got != 34 {
				t.Errorf("fib(9) = %d", got)
			}
			return err
		}))
	})
}

// A run that never began ends with its context, or with the executor.
func TestQueuedRunIsCancelledS3(t *testing.T) {
	for _, stop := range []bool{false, true} {
		e := start(t, executor.Config{Workers: 1})
		gate, running, over := make(chan struct{}), make(chan struct{}), make(chan error)
		_, err := executor.Submit(background, e, func(*executor.Worker) (int, error) { close(running); <-gate; return 0, nil })
		is(t, "submit", err)
		<-running
		ctx, cancel := context.WithCancelCause(background)
		go func() {
			over <- scope.Run(ctx, e, func(*scope.Scope) error { t.Error("it ran"); return nil })
		}()
		stress.Until(func() bool { return e.Stats().Queued != 0 })
		if stop {
			stopped := make(chan error)
			go func() { stopped <- e.Stop() }()
			is(t, "run", <-over, executor.ErrCancelled, executor.ErrStopped)
			close(gate)
			is(t, "stop", <-stopped)
		} else {
			cancel(errWhim)
			is(t, "run", <-over, executor.ErrCancelled, errWhim)
			close(gate)
		}
		cancel(nil)
	}
}

// A task that calls Run and a body in it that waits for that task: whoever
// comes last is told, and all of it ends.
func TestRunInACycleOfTasksX9(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		if e.Stats().Capacity == 1 {
			t.Skip("no room for a Run inside a task")
		}
		for range stress.Rounds(50) {
			self := make(chan *executor.Handle[int], 1)
			h, err := executor.Submit(background, e, func(*executor.Worker) (int, error) {
				return 0, scope.Run(background, e, func(s *scope.Scope) error {
					_, err := (<-self).Wait(s.Context())
					return err
				})
			})
			is(t, "submit", err)
			self <- h
			_, err = h.Wait(background)
			var cycle *executor.CycleError
			if !errors.As(err, &cycle) {
				t.Errorf("got %v, want a *CycleError", err)
			}
		}
	})
}
