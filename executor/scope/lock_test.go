package scope_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope"
	"github.com/exactlyonce/certify/internal/stress"
)

// reentrant is an error whose methods call the scope: whoever looked at it
// with the lock held would hang.
type reentrant struct {
	s     *scope.Scope
	calls atomic.Int32
	busy  atomic.Bool // it is part of the errors of the calls that it makes
}

func (e *reentrant) Error() string { e.call(); return "reentrant" }

func (e *reentrant) Is(error) bool { e.call(); return false }

func (e *reentrant) Unwrap() error { e.call(); return nil }

func (e *reentrant) call() {
	if !e.busy.CompareAndSwap(false, true) {
		return
	}
	defer e.busy.Store(false)
	e.calls.Add(1)
	_ = e.s.Report(nil)
	_ = e.s.Context().Err()
	if h, err := e.s.Host(); err == nil {
		_ = h.End()
	}
}

// Code of users' that is called during stop and settlement may call back into
// the scope: close functions, what hangs on contexts, and methods of errors.
func TestUserCodeIsCalledWithoutTheLockS11(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		var called, after atomic.Int32
		why := &reentrant{}
		err := scope.Run(background, e, func(s *scope.Scope) error {
			why.s = s
			child, err := scope.Spawn(s, scope.Options{Supervised: true}, func(s *scope.Scope) (int, error) {
				r, err := scope.Acquire(s, openNothing, nil)
				is(t, "acquire", err)
				_, err = scope.Acquire(s, openNothing, func(int) error {
					called.Add(1)
					is(t, "go", s.Go(nothing), scope.ErrStopped)
					is(t, "use", r.Use(s, useNothing), scope.ErrClosedScope)
					is(t, "cancel", s.Cancel(nil))
					is(t, "report", s.Report(why))
					return context.Cause(s.Context())
				})
				is(t, "acquire", err)
				context.AfterFunc(s.Context(), func() { why.call(); after.Add(1) })
				return 0, why
			})
			is(t, "spawn", err)
			_, err = child.Join(s)
			is(t, "join", err, error(why))
			begun := make(chan struct{})
			child = spawn(t, s, func(s *scope.Scope) (int, error) { close(begun); return sleeper(s) })
			meet(s, begun)
			is(t, "cancel", child.Cancel(s, why)) // which asks why whether it is executor.ErrCancelled
			return nil
		})
		is(t, "run", err)
		stress.Until(func() bool { return after.Load() != 0 }) // the goroutine of AfterFunc has called
		if called.Load() != 1 || why.calls.Load() == 0 {
			t.Errorf("closed %d times, the error called %d times", called.Load(), why.calls.Load())
		}
	})
}
