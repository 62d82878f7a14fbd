package scope_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope"
	"github.com/exactlyonce/certify/internal/stress"
)

// Whatever holds a scope lets it go when it ends on another goroutine, in
// every order of the two; a lost wake-up would hang here.
func TestWhatHoldsAScopeLetsItGoS1S8S9(t *testing.T) {
	e := start(t, executor.Config{Workers: 2})
	for name, hold := range map[string]func(s *scope.Scope) (end func() error){
		"host call": func(s *scope.Scope) func() error {
			call, err := s.Host()
			is(t, "host call", err)
			return call.End
		},
		"admission withdrawn": func(s *scope.Scope) func() error {
			a, err := scope.Admit[int](s)
			is(t, "admit", err)
			return a.Withdraw
		},
		"admission published": func(s *scope.Scope) func() error {
			a, err := scope.Admit[int](s)
			is(t, "admit", err)
			return func() error { _, err := a.Publish(1, nil); return err }
		},
		"use": func(s *scope.Scope) func() error {
			return during(func(f func(int) error) error { return hold(t, s, nil).Use(s, f) })
		},
		"close": func(s *scope.Scope) func() error {
			return during(func(f func(int) error) error {
				r, err := scope.Acquire(s, openNothing, f)
				is(t, "acquire", err)
				return r.Close(s)
			})
		},
	} {
		var early, late int // ends before and after the end of the body
		for round := 0; round < stress.Rounds(1000) || early == 0 || late == 0; round++ {
			var host sync.WaitGroup
			is(t, name, scope.Run(background, e, func(s *scope.Scope) error {
				end := hold(s)
				host.Go(func() {
					for range round % 10 {
						runtime.Gosched()
					}
					if call, err := s.Host(); err == nil {
						early++
						is(t, "end", call.End())
					} else {
						late++
					}
					is(t, name, end())
				})
				for range 2 * (round / 10 % 10) {
					runtime.Gosched()
				}
				return nil
			}))
			host.Wait()
		}
		t.Logf("%s: %d ends before that of the body, %d after", name, early, late)
	}
}

// during runs call on another goroutine as far as the function that it calls,
// and returns what lets that return.
func during(call func(func(int) error) error) (end func() error) {
	inside, gate, over := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		over <- call(func(int) error { close(inside); <-gate; return nil })
	}()
	<-inside
	return func() error { close(gate); return <-over }
}

// When a call that stops scopes returns, the contexts of all of them have
// ended.
func TestStopEndsContextsS3S12(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
			const depth = 5
			var scopes [depth]*scope.Scope
			ready := make(chan struct{})
			var down func(level int) func(*scope.Scope) error
			down = func(level int) func(*scope.Scope) error {
				return func(s *scope.Scope) error {
					scopes[level] = s
					switch {
					case level == depth-1:
						close(ready)
						return stopped(s)
					case level%2 == 0:
						return s.Nested(down(level + 1))
					}
					return s.Go(down(level + 1))
				}
			}
			child := spawn(t, s, func(s *scope.Scope) (int, error) { return 0, down(0)(s) })
			meet(s, ready)
			ended := make(chan int, depth)
			for i, s := range scopes {
				context.AfterFunc(s.Context(), func() { ended <- i })
			}
			is(t, "cancel", child.Cancel(s, errWhim))
			for i, s := range scopes {
				want := errWhim
				if i > 0 {
					want = scope.ErrOwnerStopped
				}
				is(t, "context", context.Cause(s.Context()), executor.ErrCancelled, want)
			}
			s.Worker().Block(func() {
				for range depth {
					<-ended
				}
			})
			return nil
		}))
	})
}
