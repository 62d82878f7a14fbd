package executor_test

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/internal/stress"
	"github.com/exactlyonce/certify/queues/catalog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var background = context.Background()

// A short name for what most tests here call.
var (
	rounds   = stress.Rounds
	seed     = stress.Seed
	until    = stress.Until
	watchdog = stress.Watchdog
)

// pairs are all injectors with all deques.
func pairs(t *testing.T, f func(t *testing.T, cfg executor.Config)) {
	for _, in := range catalog.Backends[executor.Task]() {
		for _, de := range catalog.Backends[executor.Task]() {
			if in.Injector == nil || de.Deque == nil {
				continue
			}
			t.Run("injector="+in.Name+"/deque="+de.Name, func(t *testing.T) {
				watchdog(t)
				f(t, executor.Config{Injector: in, Deque: de, Seed: seed(t)})
			})
		}
	}
}

func start(t *testing.T, cfg executor.Config) *executor.Executor {
	t.Helper()
	e, err := executor.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { drained(t, e) })
	return e
}

// drained ends e and checks that nothing is left.
func drained(t *testing.T, e *executor.Executor) {
	t.Helper()
	if err := e.Shutdown(background); err != nil {
		t.Error(err)
	}
	quiet(t, e)
	if s := e.Stats(); s.Sleeping != 0 || s.Searching != 0 {
		t.Errorf("workers have left, but %+v", s)
	}
}

// quiet checks L12 at a quiet moment: nothing is left and the counters agree.
func quiet(t *testing.T, e *executor.Executor) {
	t.Helper()
	s := e.Stats()
	if s.Queued != 0 || s.Idle != 0 || s.Running != 0 || s.Stored != 0 {
		t.Errorf("not quiet: %+v", s)
	}
	if s.Submitted+s.Spawned != s.Completed+s.Failed+s.Cancelled {
		t.Errorf("counters do not add up: %+v", s)
	}
}

// asleep waits until n workers sleep and none searches.
func asleep(e *executor.Executor, n int) {
	until(func() bool { s := e.Stats(); return s.Sleeping == n && s.Searching == 0 })
}

func submit[R any](t *testing.T, e *executor.Executor, fn func(*executor.Worker) (R, error)) *executor.Handle[R] {
	t.Helper()
	h, err := executor.Submit(background, e, fn)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func nothing(*executor.Worker) (int, error) { return 0, nil }

// gated starts a task that holds a worker until release is called.
func gated(t *testing.T, e *executor.Executor) (release func()) {
	t.Helper()
	running, gate := make(chan struct{}), make(chan struct{})
	submit(t, e, func(*executor.Worker) (int, error) { close(running); <-gate; return 0, nil })
	<-running
	return func() { close(gate) }
}
