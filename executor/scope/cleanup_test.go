package scope_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope"
)

// hold makes s own a resource whose closing returns err.
func hold(t *testing.T, s *scope.Scope, err error) *scope.Resource[int] {
	t.Helper()
	r, acquired := scope.Acquire(s, func(context.Context) (int, error) { return 1, nil }, func(int) error { return err })
	if acquired != nil {
		t.Fatal(acquired)
	}
	return r
}

// An error of cleaning up fails what nothing else did, and replaces neither a
// failure nor a cancellation; it is reachable then.
func TestCleanupNeverReplacesS7(t *testing.T) {
	e := start(t, executor.Config{Workers: 2})
	run := func(body func(*scope.Scope) error) error {
		return scope.Run(background, e, func(s *scope.Scope) error { hold(t, s, errLater); return body(s) })
	}
	err := run(nothing)
	if err != errLater {
		t.Errorf("success with an error of closing: %v", err)
	}
	var cleanup *scope.CleanupError
	err = run(func(*scope.Scope) error { return errBoom })
	is(t, "failure", err, errBoom, errLater)
	if !errors.As(err, &cleanup) || cleanup.Primary != errBoom || len(cleanup.Errors) != 1 || cleanup.Omitted != 0 {
		t.Errorf("failure: %#v", err)
	}
	err = run(func(s *scope.Scope) error { return s.Cancel(errWhim) })
	is(t, "cancellation", err, executor.ErrCancelled, errWhim, errLater)
	if !errors.As(err, &cleanup) || !errors.Is(cleanup.Primary, errWhim) {
		t.Errorf("cancellation: %v", err)
	}
}

// The first 16 are kept, in order, and the rest counted: those that the body
// reported, then those from below, then its own of closing.
func TestCleanupIsBoundedS7(t *testing.T) {
	e := start(t, executor.Config{Workers: 1})
	err := scope.Run(background, e, func(s *scope.Scope) error {
		hold(t, s, errLater)
		is(t, "report", s.Report(errWhim))
		is(t, "nested", s.Nested(func(s *scope.Scope) error {
			is(t, "nothing to report", s.Report(nil))
			for i := range 25 {
				is(t, "report", s.Report(fmt.Errorf("fault %d", i)))
			}
			hold(t, s, errLater)
			return errBoom
		}), errBoom)
		return nil
	})
	var cleanup *scope.CleanupError
	if !errors.As(err, &cleanup) {
		t.Fatalf("run: %v", err)
	}
	is(t, "the first", cleanup.Errors[0], errWhim)
	if n := len(cleanup.Errors); n != 16 || cleanup.Errors[15].Error() != "fault 14" || cleanup.Omitted != 12 {
		t.Errorf("%d kept to %v, %d omitted; want 16 to fault 14, 12 omitted", n, cleanup.Errors[n-1], cleanup.Omitted)
	}
	want := "boom; cleaning up: whim; fault 0; fault 1; fault 2; fault 3; fault 4; fault 5; fault 6; fault 7; fault 8; " +
		"fault 9; fault 10; fault 11; fault 12; fault 13; fault 14; and 12 more"
	if err.Error() != want {
		t.Errorf("got %q\nwant %q", err, want)
	}
}

// Cleanup is delivered once: to the owner of an unsupervised task, and with
// the outcome of a supervised one.
func TestCleanupIsDeliveredOnceS7(t *testing.T) {
	for _, supervised := range []bool{true, false} {
		e := start(t, executor.Config{Workers: 2})
		var joined error
		err := scope.Run(background, e, func(s *scope.Scope) error {
			begun := make(chan struct{})
			child, err := scope.Spawn(s, scope.Options{Supervised: supervised}, func(s *scope.Scope) (int, error) {
				hold(t, s, errLater)
				close(begun)
				return sleeper(s)
			})
			is(t, "spawn", err)
			meet(s, begun)
			is(t, "cancel", child.Cancel(s, errWhim))
			_, joined = child.Join(s)
			return nil
		})
		is(t, "join", joined, executor.ErrCancelled, errWhim)
		with, without := joined, err
		if !supervised {
			with, without = err, joined
		}
		is(t, "where it was delivered", with, errLater)
		isNot(t, "elsewhere", without, errLater)
	}
}

// A failure that comes of cleaning up climbs like any other.
func TestCleanupFailureClimbsS3S7(t *testing.T) {
	eachSize(t, func(t *testing.T, e *executor.Executor) {
		err := scope.Run(background, e, func(s *scope.Scope) error {
			is(t, "go", s.Go(func(s *scope.Scope) error { hold(t, s, errBoom); return nil }))
			is(t, "the owner's context", stopped(s), errBoom)
			return errLater
		})
		is(t, "run", err, errBoom)
		isNot(t, "run", err, errLater)
	})
}
