package executor_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"runtime"
	"testing"

	"go.uber.org/goleak"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues/catalog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var background = context.Background()

var seedFlag = flag.Uint64("seed", 0, "repeat a test with this seed; 0 means one of its own")

// seed is the seed of one test, which a failure prints. It fixes the choices
// of the test and of the thieves, not the schedule.
func seed(t *testing.T) uint64 {
	t.Helper()
	n := *seedFlag
	if n == 0 {
		n = rand.Uint64() | 1
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("repeat: go test -race -run '^%s$' ./executor -seed %d", t.Name(), n)
		}
	})
	return n
}

func watchdog(t *testing.T) { t.Helper(); executor.Watchdog(t) }

// rounds is n, and a tenth of it in a short run.
func rounds(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

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

// until polls cond. Nothing may depend on how long that takes.
func until(cond func() bool) {
	for !cond() {
		runtime.Gosched()
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
