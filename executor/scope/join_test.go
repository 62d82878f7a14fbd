package scope_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope"
)

func spawn(t *testing.T, s *scope.Scope, body func(*scope.Scope) (int, error)) *scope.Ticket[int] {
	t.Helper()
	ticket, err := scope.Spawn(s, scope.Options{}, body)
	if err != nil {
		t.Fatal(err)
	}
	return ticket
}

func seven(*scope.Scope) (int, error) { return 7, nil }

func TestTicketsAreSingleUseS4(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
			joined, discarded := spawn(t, s, seven), spawn(t, s, seven)
			n, err := joined.Join(s)
			is(t, "join", err)
			if n != 7 {
				t.Errorf("result %d, want 7", n)
			}
			_, err = joined.Join(s)
			is(t, "second join", err, scope.ErrStale)
			is(t, "discard after join", joined.Discard(s), scope.ErrStale)
			is(t, "discard", discarded.Discard(s))
			_, err = discarded.Join(s)
			is(t, "join after discard", err, scope.ErrStale)
			return nil
		}))
	})
}

// A join that is given up, by its context or because the joining scope was
// stopped, uses the ticket up and leaves the task alone.
func TestAbandonedJoinsS4(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
			gate, waiting := make(chan struct{}), make(chan *scope.Scope, 1)
			wait := func(s *scope.Scope) (int, error) { meet(s, gate); return 1, s.Context().Err() }
			byContext, byStop := spawn(t, s, wait), spawn(t, s, wait)
			ctx, cancel := context.WithCancelCause(background)
			cancel(errWhim)
			_, err := byContext.JoinContext(ctx, s)
			is(t, "join", err, errWhim)
			_, err = byContext.Join(s)
			is(t, "join again", err, scope.ErrStale)

			waiter := spawn(t, s, func(s *scope.Scope) (int, error) {
				waiting <- s
				_, err := byStop.Join(s)
				is(t, "join in a stopped scope", err, scope.ErrStopped, errWhim)
				return 0, err
			})
			s.Worker().Block(func() { joining(<-waiting, s) })
			is(t, "cancel", waiter.Cancel(s, errWhim))
			_, err = waiter.Join(s)
			is(t, "join of the waiter", err, executor.ErrCancelled, errWhim)
			_, err = byStop.Join(s)
			is(t, "join again", err, scope.ErrStale)
			close(gate)
			return s.Context().Err()
		}))
	})
}

// A join ends when its context does, though the task would only end later.
func TestJoinWithDeadlineS4(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
			child := spawn(t, s, sleeper)
			ctx, cancel := context.WithTimeout(background, 1)
			defer cancel()
			_, err := child.JoinContext(ctx, s)
			is(t, "join", err, context.DeadlineExceeded)
			return child.Cancel(s, nil) // or it would never end
		}))
	})
}

// A task that waits for itself, from a nested scope too, is told so and keeps
// the ticket.
func TestSelfJoinS5(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
			var self *scope.Ticket[int]
			ready, told := make(chan struct{}), make(chan struct{})
			self = spawn(t, s, func(s *scope.Scope) (int, error) {
				meet(s, ready)
				defer close(told)
				return 3, s.Nested(func(s *scope.Scope) error {
					_, err := self.Join(s)
					is(t, "self join", err, scope.ErrJoinCycle)
					return nil
				})
			})
			close(ready)
			meet(s, told)
			n, err := self.Join(s)
			is(t, "join", err)
			if n != 3 {
				t.Errorf("result %d, want 3", n)
			}
			return nil
		}))
	})
}

// Of two tasks that join each other exactly one is told of the cycle. It goes
// on, so the other one gets its result.
func TestMutualJoinS5(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
			var tickets [2]*scope.Ticket[int]
			ready, told := make(chan struct{}), make(chan int, 2)
			for i := range tickets {
				tickets[i] = spawn(t, s, func(s *scope.Scope) (int, error) {
					meet(s, ready)
					n, err := tickets[1-i].Join(s)
					if errors.Is(err, scope.ErrJoinCycle) {
						told <- i
						return 5, nil
					}
					if n != 5 {
						t.Errorf("joined %d, %v; want 5", n, err)
					}
					return n, err
				})
			}
			close(ready)
			var i int
			s.Worker().Block(func() { i = <-told })
			n, err := tickets[1-i].Join(s)
			is(t, "join with the ticket that is left", err)
			if n != 5 || len(told) > 0 {
				t.Errorf("result %d, want 5; %d more cycles", n, len(told))
			}
			_, err = tickets[i].Join(s)
			is(t, "join with the other ticket", err, scope.ErrStale)
			return nil
		}))
	})
}

// joining blocks until s waits in a join: another goroutine that asks it for a
// host call is refused then.
func joining(s, caller *scope.Scope) {
	caller.Worker().Block(func() {
		for {
			h, err := s.Host()
			if errors.Is(err, scope.ErrInvalidTransition) {
				return
			}
			_ = h.End()
			runtime.Gosched()
		}
	})
}

// A body that ends while a child of its waits for it, through another task,
// would never be gone: it fails, and the others learn of it.
func TestImplicitCycleS5(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
			var a, b *scope.Ticket[int]
			ready, scopes := make(chan struct{}), make(chan *scope.Scope, 1)
			supervised := scope.Options{Supervised: true}
			a, err := scope.Spawn(s, supervised, func(s *scope.Scope) (int, error) {
				meet(s, ready)
				var c *scope.Scope
				err := s.Nested(func(n *scope.Scope) error {
					cs := make(chan *scope.Scope, 1)
					is(t, "go", n.Go(func(c *scope.Scope) error { cs <- c; _, err := b.Join(c); return err }))
					n.Worker().Block(func() { c = <-cs })
					joining(c, n)
					n.Worker().Block(func() { joining(<-scopes, n) })
					return nil // and the nested scope joins c
				})
				is(t, "nested", err, scope.ErrJoinCycle)
				return 0, nil
			})
			is(t, "spawn", err)
			b = spawn(t, s, func(s *scope.Scope) (int, error) {
				meet(s, ready)
				scopes <- s
				_, err := a.Join(s)
				is(t, "b joins a", err, scope.ErrJoinCycle)
				isNot(t, "b joins a", err, scope.ErrStopped)
				return 1, nil
			})
			close(ready)
			return nil
		}))
	})
}

// A ticket of another run, and one of a scope that does not enclose the
// caller's, are told apart from a used one by their error.
func TestForeignTicketsS4S9(t *testing.T) {
	e := start(t, executor.Config{Workers: 2})
	var foreign *scope.Ticket[int]
	is(t, "first run", scope.Run(background, e, func(s *scope.Scope) error {
		foreign = spawn(t, s, seven)
		inner := make(chan *scope.Ticket[int], 1)
		is(t, "go", s.Go(func(s *scope.Scope) error { inner <- spawn(t, s, seven); return stopped(s) }))
		var below *scope.Ticket[int]
		s.Worker().Block(func() { below = <-inner })
		_, err := below.Join(s)
		is(t, "join of a grandchild", err, scope.ErrOutOfScope)
		is(t, "discard of a grandchild", below.Discard(s), scope.ErrOutOfScope)
		is(t, "cancel of a grandchild", below.Cancel(s, nil), scope.ErrOutOfScope)
		is(t, "cancel", s.Cancel(nil))
		return nil
	}), executor.ErrCancelled)
	is(t, "second run", scope.Run(background, e, func(s *scope.Scope) error {
		_, err := foreign.Join(s)
		is(t, "join", err, scope.ErrStale)
		is(t, "discard", foreign.Discard(s), scope.ErrStale)
		is(t, "cancel", foreign.Cancel(s, nil), scope.ErrStale)
		return nil
	}))
}
