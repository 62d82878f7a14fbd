package scope_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope"
)

func openNothing(context.Context) (int, error) { return 0, nil }

func useNothing(int) error { return nil }

// diary is what was closed, in order.
type diary struct {
	mu    sync.Mutex
	lines []string // guarded by mu
}

func (d *diary) acquire(t *testing.T, s *scope.Scope, name string) *scope.Resource[string] {
	t.Helper()
	r, err := scope.Acquire(s, func(context.Context) (string, error) { return name, nil }, func(name string) error {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.lines = append(d.lines, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (d *diary) check(t *testing.T, want ...string) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Equal(d.lines, want) {
		t.Errorf("closed %q, want %q", d.lines, want)
	}
}

// Resources are closed newest first, when their scope has nothing else left;
// those that were moved with the child, in which they count as new.
func TestResourcesCloseNewestFirstS9(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		var d diary
		is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
			a, b := d.acquire(t, s, "a"), d.acquire(t, s, "b")
			d.acquire(t, s, "c")
			asked := make(chan struct{})
			child, err := scope.Spawn(s, scope.Options{Move: []scope.Movable{b, a}}, func(s *scope.Scope) (int, error) {
				meet(s, asked)
				d.acquire(t, s, "d")
				return 0, a.Use(s, func(string) error { return nil })
			})
			is(t, "spawn", err)
			is(t, "use of what was moved", a.Use(s, func(string) error { return nil }), scope.ErrOutOfScope)
			close(asked)
			_, err = child.Join(s)
			d.check(t, "d", "a", "b")
			return err
		}))
		d.check(t, "d", "a", "b", "c")
	})
}

// An early close is the only one, and leaves the others.
func TestResourcesCloseOnceS9(t *testing.T) {
	e := start(t, executor.Config{Workers: 2})
	var d diary
	var r *scope.Resource[string]
	is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
		r = d.acquire(t, s, "a")
		d.acquire(t, s, "b")
		is(t, "in use", r.Use(s, func(string) error { return r.Close(s) }), scope.ErrInvalidTransition)
		is(t, "nested", s.Nested(func(n *scope.Scope) error {
			is(t, "close below the owner", r.Close(n), scope.ErrOutOfScope)
			return r.Use(n, func(string) error { return nil })
		}))
		is(t, "close", r.Close(s))
		is(t, "second close", r.Close(s), scope.ErrStale)
		is(t, "use", r.Use(s, func(string) error { return nil }), scope.ErrStale)
		_, err := scope.Spawn(s, scope.Options{Move: []scope.Movable{r}}, sleeper)
		is(t, "move", err, scope.ErrStale)
		return nil
	}))
	d.check(t, "a", "b")
	is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
		return r.Use(s, func(string) error { return nil }) // of the other run
	}), scope.ErrStale)
}

// A move is of all or of none.
func TestMoveIsAllOrNothingS6S9(t *testing.T) {
	e := start(t, executor.Config{Workers: 2})
	var d diary
	is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
		above := d.acquire(t, s, "above")
		return s.Nested(func(s *scope.Scope) error {
			a, b := d.acquire(t, s, "a"), d.acquire(t, s, "b")
			for _, c := range []struct {
				name string
				move []scope.Movable
				want error
			}{
				{"not the owner's", []scope.Movable{a, above}, scope.ErrOutOfScope},
				{"twice", []scope.Movable{a, b, a}, scope.ErrInvalidTransition},
			} {
				_, err := scope.Spawn(s, scope.Options{Move: c.move}, sleeper)
				is(t, c.name, err, c.want)
			}
			is(t, "in use", b.Use(s, func(string) error {
				_, err := scope.Spawn(s, scope.Options{Move: []scope.Movable{a, b}}, sleeper)
				return err
			}), scope.ErrInvalidTransition)
			return a.Close(s) // it is still here
		})
	}))
	d.check(t, "a", "b", "above")
}

// An admission holds the scope, is refused once that closes, and may publish
// after that if it came before.
func TestAdmissionIsTwoPhaseS9(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		closed := 0
		err := scope.Run(background, e, func(s *scope.Scope) error {
			a, err := scope.Admit[int](s)
			is(t, "admit", err)
			w, err := scope.Admit[int](s)
			is(t, "admit", err)
			go func() {
				<-s.Context().Done()
				_, err := scope.Admit[int](s)
				is(t, "late admission", err, scope.ErrClosedScope)
				is(t, "withdraw", w.Withdraw())
				is(t, "second withdraw", w.Withdraw(), scope.ErrStale)
				_, err = a.Publish(1, func(int) error { closed++; return nil })
				is(t, "publish", err)
				_, err = a.Publish(2, nil)
				is(t, "second publish", err, scope.ErrStale)
			}()
			return errBoom
		})
		is(t, "run", err, errBoom)
		if closed != 1 {
			t.Errorf("closed %d times", closed)
		}
	})
}

// A child admits a resource to the scope above it, which owns it when the
// child, stopped meanwhile, is gone.
func TestAdmissionOfAnAncestorS8S9(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		var d diary
		is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
			admitted := make(chan *scope.Admission[string], 1)
			child, err := scope.Spawn(s, scope.Options{}, func(child *scope.Scope) (int, error) {
				a, err := scope.Admit[string](s)
				is(t, "admit", err)
				admitted <- a
				return 0, stopped(child)
			})
			is(t, "spawn", err)
			var a *scope.Admission[string]
			s.Worker().Block(func() { a = <-admitted })
			is(t, "cancel", child.Cancel(s, nil))
			_, err = child.Join(s)
			is(t, "join", err, executor.ErrCancelled)
			r, err := a.Publish("late", func(name string) error { d.lines = append(d.lines, name); return nil })
			is(t, "publish", err)
			return r.Use(s, func(string) error { return nil })
		}))
		d.check(t, "late")
	})
}

// What is not opened is not owned, however opening fails.
func TestFailedAcquireOwnsNothingS9(t *testing.T) {
	e := start(t, executor.Config{Workers: 1})
	shut := func(int) error { t.Error("it was closed"); return nil }
	is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
		_, err := scope.Acquire(s, func(context.Context) (int, error) { return 0, errWhim }, shut)
		is(t, "acquire", err, errWhim)
		return nil
	}))
	err := scope.Run(background, e, func(s *scope.Scope) error {
		_, err := scope.Acquire(s, func(context.Context) (int, error) { panic(errBoom) }, shut)
		return fmt.Errorf("not reached: %w", err)
	})
	is(t, "run", err, errBoom)
}
