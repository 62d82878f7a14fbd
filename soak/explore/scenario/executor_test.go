package scenario_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/soak/explore/rewrite"
)

// executors is a driver of our executor as it is: tasks that are accepted run
// once, though the executor shuts down meanwhile, and its workers leave.
const executors = `package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues/mutex"
	"github.com/exactlyonce/certify/soak/explore"
)

func program(workers, submitters int) func(*explore.T) {
	return func(t *explore.T) {
		var ran, accepted atomic.Int64
		var e *executor.Executor
		ctx := context.Background()
		t.Go(func() {
			all := mutex.Backends[executor.Task]()
			cfg := executor.Config{Workers: workers, Capacity: 64, Seed: 1}
			for _, b := range all {
				if b.Injector != nil {
					cfg.Injector = b
				} else {
					cfg.Deque = b
				}
			}
			var err error
			if e, err = executor.New(cfg); err != nil {
				panic(err)
			}
			for range submitters {
				explore.Go(func() {
					h, err := executor.Submit(ctx, e, func(w *executor.Worker) (int, error) {
						executor.Spawn(w, func(*executor.Worker) (int, error) { ran.Add(1); return 0, nil })
						ran.Add(1)
						return 7, nil
					})
					if err != nil {
						return // it was shut down before
					}
					accepted.Add(2)
					if n, err := h.Wait(ctx); n != 7 || err != nil {
						panic(fmt.Sprint(n, err))
					}
				})
			}
			if err := e.Shutdown(ctx); err != nil {
				panic(err)
			}
		})
		t.Check(func() error {
			if ran.Load() != accepted.Load() {
				return fmt.Errorf("%d accepted, %d ran", accepted.Load(), ran.Load())
			}
			return nil
		})
	}
}

func main() {
	for _, s := range []explore.Strategy{explore.Preemptions(1), explore.PCT(3, 3000), explore.POS(3000), explore.Random(1000)} {
		r, err := explore.Run(program(2, 2), explore.Options{Strategy: s, Executions: 5000})
		fmt.Println(r, r.Threads, "threads", r.MaxSteps, "steps", int(r.Rate()), "/s", err)
	}
}
`

// exploreExecutor builds and runs the driver, with files that say something
// else instead.
func exploreExecutor(t *testing.T, instead map[string]string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "driver.exe")
	r, err := rewrite.Build(rewrite.Subject{
		Dir: ".", Patterns: []string{module + "executor", module + "queues/mutex", module + "soak/explore"}, Work: t.TempDir(),
		Coarse:  []rewrite.Coarse{{Package: module + "queues/mutex", Reads: []string{"Len"}}},
		Instead: instead,
	}, executors, bin)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(bin).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%v\n%s", rewrite.Kinds(r.Sites), out)
	return string(out)
}

// TestExecutor: our executor under control, with workers that park.
func TestExecutor(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	if out := exploreExecutor(t, nil); strings.Count(out, ": passed, ") != 4 {
		t.Error("not all passed")
	}
}

// TestFaultyExecutor: the same executor, but that a worker parks although it was
// woken before, is stuck.
func TestFaultyExecutor(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	parker, err := filepath.Abs("../../../executor/parker.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(parker)
	if err != nil {
		t.Fatal(err)
	}
	faulty := strings.Replace(string(text), "for !p.permit {", "for first := true; first || !p.permit; first = false {", 1)
	if faulty == string(text) {
		t.Fatal("there is no such loop")
	}
	if out := exploreExecutor(t, map[string]string{parker: faulty}); strings.Count(out, ": leak, ")+strings.Count(out, ": deadlock, ") != 4 {
		t.Error("not found by all")
	}
}
