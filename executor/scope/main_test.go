package scope_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope"
	"github.com/exactlyonce/certify/internal/stress"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	background = context.Background()
	errBoom    = errors.New("boom")
	errLater   = errors.New("later")
	errWhim    = errors.New("whim")
)

// eachSize runs f on executors with few workers and little room, where waiting
// is the most dangerous, and checks that nothing is left.
func eachSize(t *testing.T, f func(t *testing.T, e *executor.Executor)) {
	t.Helper()
	for _, workers := range []int{1, 2, 3} {
		for _, capacity := range []int{1, 3, 1024} {
			t.Run(fmt.Sprintf("workers=%d/capacity=%d", workers, capacity), func(t *testing.T) {
				f(t, start(t, executor.Config{Workers: workers, Capacity: capacity}))
			})
		}
	}
}

// start starts an executor that is shut down, and quiet, in the end.
func start(t *testing.T, cfg executor.Config) *executor.Executor {
	t.Helper()
	stress.Watchdog(t)
	e, err := executor.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Shutdown(background); err != nil {
			t.Error(err)
		}
		quiet(t, e)
	})
	return e
}

func quiet(t *testing.T, e *executor.Executor) {
	t.Helper()
	if s := e.Stats(); s.Queued != 0 || s.Running != 0 || s.Stored != 0 {
		t.Errorf("not quiet: %+v", s)
	}
}

// is checks that err is all of wants, and nil if there are none.
func is(t *testing.T, what string, err error, wants ...error) {
	t.Helper()
	if len(wants) == 0 && err != nil {
		t.Errorf("%s: %v, want nil", what, err)
	}
	for _, want := range wants {
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
}

// isNot checks that err is none of others.
func isNot(t *testing.T, what string, err error, others ...error) {
	t.Helper()
	for _, other := range others {
		if errors.Is(err, other) {
			t.Errorf("%s: %v, which is %v", what, err, other)
		}
	}
}

// stopped blocks until s is stopped and returns why.
func stopped(s *scope.Scope) error {
	s.Worker().Block(func() { <-s.Context().Done() })
	return context.Cause(s.Context())
}

// meet blocks until ch is closed.
func meet(s *scope.Scope, ch <-chan struct{}) { s.Worker().Block(func() { <-ch }) }

func nothing(*scope.Scope) error { return nil }

// sleeper is a child's body that blocks until it is stopped.
func sleeper(s *scope.Scope) (int, error) { return 0, stopped(s) }

// checker is the part of a *testing.T that a check needs.
type checker interface {
	Helper()
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
}

// complaints counts what a check finds wrong, to check the check.
type complaints struct{ n int }

func (c *complaints) Helper()               {}
func (c *complaints) Errorf(string, ...any) { c.n++ }
func (c *complaints) Logf(string, ...any)   {}
