package soak_test

import (
	"runtime"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/internal/stress"
	"github.com/exactlyonce/certify/queues/catalog"
	"github.com/exactlyonce/certify/soak"
)

// Every drill with one task, and with few, on one worker, one after the other and
// together, and on one processor: right is that it passes, and does not wait for what
// only a second one would do.
func TestDrillsOfOne(t *testing.T) {
	injector, err := catalog.Injector[executor.Task]("sharded")
	if err != nil {
		t.Fatal(err)
	}
	deque, err := catalog.Deque[executor.Task]("claim")
	if err != nil {
		t.Fatal(err)
	}
	for i, procs := range []int{1, runtime.GOMAXPROCS(0)} {
		if i > 0 && testing.Short() {
			continue
		}
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			for _, d := range soak.Drills() {
				for _, size := range [][2]int{{1, 1}, {10, 1}, {50, 50}} {
					stress.Watchdog(t)
					soak.Run(t, soak.WorkStealing(injector, deque), soak.Spec{
						Drill: d.Name, Tasks: size[0], Batch: size[1], Workers: 1, Seed: stress.Seed(t)})
				}
			}
		}()
	}
}

// Ten million tasks in one repetition, ledger and all.
func TestTenMillion(t *testing.T) {
	if testing.Short() {
		t.Skip("ten million tasks take some seconds, under the race detector minutes")
	}
	stress.Watchdog(t)
	injector, err := catalog.Injector[executor.Task]("sharded")
	if err != nil {
		t.Fatal(err)
	}
	deque, err := catalog.Deque[executor.Task]("claim")
	if err != nil {
		t.Fatal(err)
	}
	soak.Run(t, soak.WorkStealing(injector, deque), soak.Spec{Tasks: 10_000_000, Seed: stress.Seed(t)})
}
