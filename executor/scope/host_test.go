package scope_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope"
)

// A host call holds its scope, and the resources that the callback uses, also
// when the scope is stopped meanwhile.
func TestHostCallHoldsTheScopeS8(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		var closed, ended atomic.Bool
		err := scope.Run(background, e, func(s *scope.Scope) error {
			r, err := scope.Acquire(s, openNothing, func(int) error { closed.Store(true); return nil })
			is(t, "acquire", err)
			call, err := s.Host()
			is(t, "host call", err)
			go func() { // the host
				<-s.Context().Done()
				for range 100 {
					runtime.Gosched() // the scope goes as far as it can
				}
				is(t, "use", r.Use(s, func(int) error {
					if closed.Load() {
						t.Error("closed under a host call")
					}
					return nil
				}))
				is(t, "late report", s.Report(errLater))
				ended.Store(true)
				is(t, "end", call.End())
				is(t, "second end", call.End(), scope.ErrInvalidTransition)
			}()
			return errBoom
		})
		is(t, "run", err, errBoom, errLater)
		if !ended.Load() || !closed.Load() {
			t.Errorf("the run has ended: call ended %v, resource closed %v", ended.Load(), closed.Load())
		}
	})
}

// A call that is ended twice does not end another one.
func TestHostCallsEndOnceS8(t *testing.T) {
	e := start(t, executor.Config{Workers: 1})
	is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
		first, err := s.Host()
		is(t, "host call", err)
		second, err := s.Host()
		is(t, "host call", err)
		is(t, "end", first.End())
		is(t, "second end", first.End(), scope.ErrInvalidTransition)
		is(t, "end of the other", second.End())
		return nil
	}))
}

func TestHostCallsBeginInOpenScopesS8(t *testing.T) {
	e := start(t, executor.Config{Workers: 1})
	var s *scope.Scope
	is(t, "run", scope.Run(background, e, func(root *scope.Scope) error {
		s = root
		is(t, "cancel", s.Cancel(nil))
		_, err := s.Host()
		is(t, "in a stopped scope", err, scope.ErrStopped)
		return nil
	}), executor.ErrCancelled)
	_, err := s.Host()
	is(t, "in a scope that is gone", err, scope.ErrClosedScope)
}
