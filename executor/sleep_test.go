package executor_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

// X4: a task that is submitted while everybody sleeps is run. Each round is a
// chance to lose the wake; how soon after the sleep it comes varies.
func TestNoLostWakeX4(t *testing.T) {
	for _, procs := range []int{1, 2} {
		for _, workers := range []int{1, 2, 4} {
			t.Run(fmt.Sprintf("procs=%d/workers=%d", procs, workers), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				watchdog(t)
				e := start(t, executor.Config{Workers: workers, Capacity: 64, Seed: seed(t)})
				for i := range rounds(10000) {
					if i%2 == 0 {
						asleep(e, workers)
					}
					for range i % 8 {
						runtime.Gosched()
					}
					if got, err := submit(t, e, func(*executor.Worker) (int, error) { return i, nil }).Wait(background); got != i || err != nil {
						t.Fatalf("round %d: got %d, %v", i, got, err)
					}
				}
				if s := e.Stats(); s.Parks < uint64(rounds(10000))/2 || s.Wakes < uint64(rounds(10000))/2 {
					t.Errorf("hardly ever asleep: %+v", s)
				}
			})
		}
	}
}

// X4, E10: the fields of the packed word never borrow from each other, over
// more sleeps than a field can count, and everything works afterwards.
func TestSleepWordX4(t *testing.T) {
	watchdog(t)
	const workers = 2
	e := start(t, executor.Config{Workers: workers, Capacity: 64, Seed: seed(t)})
	want := uint64(rounds(70_001))
	var over, searched, slept atomic.Bool
	var sampler sync.WaitGroup
	sampler.Go(func() {
		for !over.Load() {
			searching, idle, stack := executor.SleepWord(e)
			if idle != stack || searching+idle > workers {
				t.Errorf("searching %d, idle %d, %d on the stack, %d workers", searching, idle, stack, workers)
				return
			}
			if searching > 0 {
				searched.Store(true)
			}
			if idle > 0 {
				slept.Store(true)
			}
			runtime.Gosched()
		}
	})
	var ran atomic.Int64
	for i := 0; !t.Failed() && (e.Stats().Parks < want || !searched.Load() || !slept.Load()); i++ {
		submit(t, e, tree(&ran, i%3))
		asleep(e, workers)
	}
	over.Store(true)
	sampler.Wait()
	ran.Store(0)
	submit(t, e, tree(&ran, 16))
	drained(t, e)
	if want := int64(2<<16 - 1); ran.Load() != want {
		t.Errorf("%d ran of %d", ran.Load(), want)
	}
	if searching, idle, stack := executor.SleepWord(e); searching != 0 || idle != 0 || stack != 0 {
		t.Errorf("all have left: searching %d, idle %d, %d on the stack", searching, idle, stack)
	}
}

// X4, E01: a look at the counters wakes nobody, and the next task is run.
func TestStatsWhileAsleepX4(t *testing.T) {
	watchdog(t)
	const workers = 4
	e := start(t, executor.Config{Workers: workers})
	for range rounds(20) {
		asleep(e, workers)
		before := e.Stats()
		for range 1000 {
			// A worker counts its sleep when it has looked once more.
			s := e.Stats()
			if s.Sleeping != workers || s.Searching != 0 || s.Wakes != before.Wakes || s.Parks > before.Parks+workers {
				t.Fatalf("a look changed something: %+v", s)
			}
		}
		if _, err := submit(t, e, nothing).Wait(background); err != nil {
			t.Fatal(err)
		}
	}
}

// X3, E04: a task spawns a child and waits for it by means that the executor
// knows nothing of, with everybody else asleep: a peer is woken for the child.
func TestSpawnWakesAPeerX3(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		for _, cfg.Workers = range []int{2, 8} {
			e := start(t, cfg)
			for range rounds(500) {
				asleep(e, cfg.Workers)
				var spawner, peer int
				submit(t, e, func(w *executor.Worker) (int, error) {
					asleep(e, cfg.Workers-1) // the peers that looked for work too
					done := make(chan struct{})
					executor.Spawn(w, func(w *executor.Worker) (int, error) { peer = w.Index(); close(done); return 0, nil })
					<-done
					spawner = w.Index()
					return 0, nil
				}).Wait(background)
				if spawner == peer {
					t.Fatalf("worker %d was in two tasks", peer)
				}
			}
		}
	})
}

// X3: one task wakes one sleeper.
func TestOneSubmitWakesOneX3(t *testing.T) {
	watchdog(t)
	const workers = 8
	e := start(t, executor.Config{Workers: workers})
	for range rounds(1000) {
		asleep(e, workers)
		before := e.Stats().Wakes
		release := gated(t, e)
		asleep(e, workers-1)
		if n := e.Stats().Wakes - before; n != 1 {
			t.Fatalf("%d were woken", n)
		}
		release()
	}
}
