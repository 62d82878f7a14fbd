package scope_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope"
)

// ways to end a body, or the closing of a resource, badly.
var badEnds = map[string]func() error{
	"panic":  func() error { panic(errBoom) },
	"goexit": func() error { runtime.Goexit(); return nil },
}

func badly(name string) error {
	if name == "panic" {
		return errBoom
	}
	return executor.ErrGoexit
}

// A panic or Goexit is a failure of its scope, whatever kind that is, and
// loses neither children nor resources.
func TestBadBodiesS1S2(t *testing.T) {
	for name, end := range badEnds {
		eachSize(t, func(t *testing.T, e *executor.Executor) {
			var d diary
			bad := func(s *scope.Scope) error {
				d.acquire(t, s, "a")
				is(t, "go", s.Go(func(s *scope.Scope) error { _, err := sleeper(s); return err }))
				return end()
			}
			err := scope.Run(background, e, bad)
			is(t, name+" in the root", err, badly(name))
			d.check(t, "a")
			err = scope.Run(background, e, func(s *scope.Scope) error {
				d.acquire(t, s, "root")
				return s.Nested(bad)
			})
			is(t, name+" in a nested scope", err, badly(name))
			d.check(t, "a", "a", "root")
			is(t, name+" in a child", scope.Run(background, e, func(s *scope.Scope) error { return s.Go(bad) }), badly(name))
			is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
				child, err := scope.Spawn(s, scope.Options{Supervised: true}, func(s *scope.Scope) (int, error) { return 1, bad(s) })
				is(t, "spawn", err)
				_, err = child.Join(s)
				is(t, name+" in a supervised child", err, badly(name))
				var p *executor.PanicError
				if name == "panic" && (!errors.As(err, &p) || len(p.Stack) == 0) {
					t.Errorf("no stack in %#v", err)
				}
				return nil
			}))
		})
	}
}

// A close function that panics or calls Goexit is an error of cleaning up, and
// the others are closed all the same.
func TestBadClosersS7S9(t *testing.T) {
	for name, end := range badEnds {
		eachSize(t, func(t *testing.T, e *executor.Executor) {
			var d diary
			bad := func(s *scope.Scope) error {
				d.acquire(t, s, "older")
				for range 2 {
					_, err := scope.Acquire(s, openNothing, func(int) error { return end() })
					is(t, "acquire", err)
				}
				d.acquire(t, s, "newer")
				return s.Report(errLater)
			}
			err := scope.Run(background, e, bad)
			is(t, name+" in the root", err, errLater, badly(name))
			err = scope.Run(background, e, func(s *scope.Scope) error { d.acquire(t, s, "root"); return s.Go(bad) })
			is(t, name+" in a child", err, errLater, badly(name))
			err = scope.Run(background, e, func(s *scope.Scope) error { d.acquire(t, s, "root"); return s.Nested(bad) })
			is(t, name+" in a nested scope", err, badly(name))
			d.check(t, "newer", "older", "newer", "older", "root", "newer", "older", "root")
		})
	}
}

// Whoever calls in a wrong phase is told which, and nothing changes.
func TestWrongPhasesS2S12(t *testing.T) {
	e := start(t, executor.Config{Workers: 2})
	var s *scope.Scope
	check := func(what string, s *scope.Scope, want error) {
		t.Helper()
		is(t, what+": go", s.Go(nothing), want)
		is(t, what+": nested", s.Nested(nothing), want)
		_, err := scope.Spawn(s, scope.Options{}, seven)
		is(t, what+": spawn", err, want)
		_, err = s.Host()
		is(t, what+": host", err, want)
		_, err = new(scope.Ticket[int]).Join(s)
		is(t, what+": join", err, want)
	}
	is(t, "nil body", scope.Run(background, e, nil), scope.ErrInvalidTransition)
	is(t, "run", scope.Run(background, e, func(root *scope.Scope) error {
		s = root
		is(t, "nil body", s.Go(nil), scope.ErrInvalidTransition)
		is(t, "nil body", s.Nested(nil), scope.ErrInvalidTransition)
		_, err := scope.Spawn[int](s, scope.Options{}, nil)
		is(t, "nil body", err, scope.ErrInvalidTransition)
		_, err = new(scope.Ticket[int]).Join(s)
		is(t, "join of no ticket", err, scope.ErrStale)
		is(t, "nested", s.Nested(func(n *scope.Scope) error {
			check("parent of an open scope", s, scope.ErrInvalidTransition)
			if got, want := s.Go(nothing).Error(), "scope: spawn in scope 1, whose nested scope 2 is open: scope: invalid transition"; got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
			is(t, "cancel", n.Cancel(errWhim))
			check("stopped", n, scope.ErrStopped)
			check("stopped", n, errWhim)
			return nil
		}), errWhim)
		return s.Context().Err()
	}))
	check("gone", s, scope.ErrClosedScope)
}
