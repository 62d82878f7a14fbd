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

// The body's success does not end the scope: its child does, and until then it
// can be stopped, which is what counts.
func TestScopeEndsAfterItsChildrenS1S3(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		var left, asleep atomic.Int32
		err := scope.Run(background, e, func(s *scope.Scope) error {
			for range 5 {
				is(t, "go", s.Go(func(s *scope.Scope) error {
					return s.Nested(func(s *scope.Scope) error {
						return s.Go(func(*scope.Scope) error { left.Add(1); return nil })
					})
				}))
			}
			is(t, "sleeper", s.Go(func(s *scope.Scope) error {
				asleep.Store(1)
				_, err := sleeper(s)
				left.Add(1)
				return err
			}))
			return s.Go(func(child *scope.Scope) error {
				for left.Load() < 5 || asleep.Load() == 0 {
					child.Worker().Block(runtime.Gosched)
				}
				return s.Cancel(errWhim) // s is joining, or will be soon
			})
		})
		is(t, "run", err, executor.ErrCancelled, errWhim)
		if left.Load() != 6 {
			t.Errorf("%d of 6 had ended when Run returned", left.Load())
		}
	})
}

// The first failure stops the siblings and is the one that Run returns; what
// comes later, of body or siblings, does not replace it.
func TestFirstFailureStopsSiblingsS3(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		var causes [3]error
		err := scope.Run(background, e, func(s *scope.Scope) error {
			for i := range causes {
				is(t, "go", s.Go(func(s *scope.Scope) error { causes[i] = stopped(s); return errLater }))
			}
			is(t, "go", s.Go(func(*scope.Scope) error { return errBoom }))
			is(t, "the root's context", stopped(s), errBoom)
			return errLater
		})
		is(t, "run", err, errBoom)
		isNot(t, "run", err, errLater, executor.ErrCancelled)
		for _, cause := range causes {
			if cause != nil { // nil: it was stopped before it began
				is(t, "a sibling's context", cause, executor.ErrCancelled, scope.ErrOwnerStopped)
			}
		}
	})
}

// A supervised failure is its ticket's alone, also when it comes from below.
func TestSupervisionContainsFailureS2S3(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		err := scope.Run(background, e, func(s *scope.Scope) error {
			child, err := scope.Spawn(s, scope.Options{Supervised: true}, func(s *scope.Scope) (int, error) {
				is(t, "nested", s.Nested(func(s *scope.Scope) error {
					is(t, "go", s.Go(func(*scope.Scope) error { return errBoom }))
					return nil
				}), errBoom)
				is(t, "after the failure below", s.Go(nothing), scope.ErrStopped, errBoom)
				return 1, nil
			})
			is(t, "spawn", err)
			n, err := child.Join(s)
			is(t, "join", err, errBoom)
			if n != 0 {
				t.Errorf("a failed task has result %d", n)
			}
			return s.Context().Err()
		})
		is(t, "run", err)
	})
}

// Cancellation goes down and never up, and its first cause stays.
func TestCancellationNeverClimbsS3(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		err := scope.Run(background, e, func(s *scope.Scope) error {
			begun, twice := make(chan struct{}), make(chan struct{})
			var below error
			child, err := scope.Spawn(s, scope.Options{}, func(s *scope.Scope) (int, error) {
				return 0, s.Nested(func(s *scope.Scope) error {
					close(begun)
					below = stopped(s)
					meet(s, twice)
					return below
				})
			})
			is(t, "spawn", err)
			meet(s, begun)
			is(t, "cancel", child.Cancel(s, errWhim))
			is(t, "second cancel", child.Cancel(s, errLater))
			close(twice)
			_, err = child.Join(s)
			is(t, "join", err, executor.ErrCancelled, errWhim)
			isNot(t, "join", err, errLater)
			is(t, "the nested scope of the child", below, executor.ErrCancelled, scope.ErrOwnerStopped)
			is(t, "cancel of what has settled", child.Cancel(s, nil), scope.ErrStale)
			return s.Context().Err()
		})
		is(t, "run", err)
	})
}

// What was stopped before it began never runs.
func TestStoppedBeforeItBeginsS3(t *testing.T) {
	e := start(t, executor.Config{Workers: 1})
	err := scope.Run(background, e, func(s *scope.Scope) error {
		child, err := scope.Spawn(s, scope.Options{}, func(*scope.Scope) (int, error) { t.Error("it ran"); return 1, nil })
		is(t, "spawn", err)
		is(t, "cancel", child.Cancel(s, nil)) // the only worker runs this
		_, err = child.Join(s)
		is(t, "join", err, executor.ErrCancelled)
		return nil
	})
	is(t, "run", err)
}

// The end of Run's context cancels the root, with its cause, whether that is
// queued, in its body, or joining.
func TestContextOfRunS3S12(t *testing.T) {
	type key struct{}
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		for _, inBody := range []bool{true, false} {
			ctx, cancel := context.WithCancelCause(context.WithValue(background, key{}, 7))
			ready := make(chan struct{})
			go func() { <-ready; cancel(errWhim) }()
			err := scope.Run(ctx, e, func(s *scope.Scope) error {
				if s.Context().Value(key{}) != 7 {
					t.Error("the scope's context has not the values of Run's")
				}
				wait := func(s *scope.Scope) error { close(ready); return stopped(s) }
				if inBody {
					return wait(s)
				}
				return s.Go(wait)
			})
			is(t, "run", err, executor.ErrCancelled, errWhim)
		}
		ended, cancel := context.WithCancel(background)
		cancel()
		err := scope.Run(ended, e, func(*scope.Scope) error { t.Error("it ran"); return nil })
		is(t, "run with an ended context", err, context.Canceled)
	})
}

// A body that returns after Run's context has ended is too late, always.
func TestLateBodyIsCancelledS3(t *testing.T) {
	e := start(t, executor.Config{Workers: 1})
	for range stress.Rounds(500) {
		ctx, cancel := context.WithCancel(background)
		err := scope.Run(ctx, e, func(*scope.Scope) error { cancel(); return nil })
		is(t, "run", err, executor.ErrCancelled, context.Canceled)
	}
}

// Nor is one in time that returns after a Stop of the executor.
func TestLateBodyIsStoppedS3(t *testing.T) {
	for range stress.Rounds(200) {
		e := start(t, executor.Config{Workers: 1})
		running, over := make(chan struct{}), make(chan error)
		go func() {
			over <- scope.Run(background, e, func(s *scope.Scope) error {
				close(running)
				<-s.Worker().Context().Done()
				return nil
			})
		}()
		<-running
		is(t, "stop", e.Stop())
		is(t, "run", <-over, executor.ErrCancelled, executor.ErrStopped)
	}
}

// slowError is a cause whose first look at takes until gate is closed.
type slowError struct {
	looked atomic.Bool
	gate   chan struct{}
}

func (e *slowError) Error() string { return "slow" }

func (e *slowError) Is(error) bool {
	if e.looked.CompareAndSwap(false, true) {
		<-e.gate
	}
	return false
}

// Whoever is told that its scope was stopped finds the context ended, though
// the one who stopped it has not come as far.
func TestStoppedMeansContextEndedS12(t *testing.T) {
	e := start(t, executor.Config{Workers: 2})
	is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
		slow, begun := &slowError{gate: make(chan struct{})}, make(chan struct{})
		child := spawn(t, s, func(s *scope.Scope) (int, error) {
			close(begun)
			s.Worker().Block(func() {
				stress.Until(slow.looked.Load)
			})
			is(t, "go", s.Go(nothing), scope.ErrStopped)
			is(t, "context", context.Cause(s.Context()), executor.ErrCancelled, error(slow))
			close(slow.gate)
			return 0, nil
		})
		meet(s, begun)
		return child.Cancel(s, slow)
	}))
}

// The cause is the reason too when the scope is gone before the one who stopped
// it has ended its context.
func TestCauseIsTheReasonS12(t *testing.T) {
	e := start(t, executor.Config{Workers: 2})
	is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
		slow, begun := &slowError{gate: make(chan struct{})}, make(chan struct{})
		var ctx context.Context
		child := spawn(t, s, func(s *scope.Scope) (int, error) {
			ctx = s.Context()
			context.AfterFunc(ctx, func() { close(slow.gate) })
			close(begun)
			s.Worker().Block(func() {
				stress.Until(slow.looked.Load)
			})
			return 0, nil
		})
		meet(s, begun)
		is(t, "cancel", child.Cancel(s, slow))
		is(t, "cause", context.Cause(ctx), executor.ErrCancelled, error(slow))
		isNot(t, "cause", context.Cause(ctx), scope.ErrClosedScope)
		return nil
	}))
}

// The context of a scope that was not stopped ends when the scope is gone.
func TestContextEndsWithTheScopeS12(t *testing.T) {
	e := start(t, executor.Config{Workers: 2})
	ctx, cancel := context.WithTimeout(background, 1<<40)
	defer cancel()
	var s *scope.Scope
	is(t, "run", scope.Run(ctx, e, func(root *scope.Scope) error {
		s = root
		want, _ := ctx.Deadline()
		if got, ok := s.Context().Deadline(); !ok || got != want {
			t.Errorf("deadline %v, %v; want %v", got, ok, want)
		}
		return s.Context().Err()
	}))
	if cause := context.Cause(s.Context()); !errors.Is(cause, scope.ErrClosedScope) {
		t.Errorf("cause %v", cause)
	}
	is(t, "cancel", s.Cancel(nil), scope.ErrClosedScope)
	is(t, "report", s.Report(errBoom), scope.ErrClosedScope)
}
