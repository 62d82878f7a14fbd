package executor_test

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

// X2: a worker takes its own newest task first.
func TestOwnDequeNewestFirstX2(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 1
		e := start(t, cfg)
		const n = executor.InjectorTick/2 - 5 // before the next look at what waits long
		var order []int
		submit(t, e, func(w *executor.Worker) (int, error) {
			for i := range n {
				executor.Spawn(w, func(*executor.Worker) (int, error) { order = append(order, i); return 0, nil })
			}
			return 0, nil
		})
		drained(t, e)
		slices.Reverse(order)
		if len(order) != n || !slices.IsSorted(order) {
			t.Errorf("from the last: %v", order)
		}
	})
}

// X2: the injector is looked at at least every 61st time, so that a worker
// flooded by its own spawns runs an injected task before 61 of its own.
func TestInjectorIsNotStarvedX2(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 1
		e := start(t, cfg)
		for range rounds(100) {
			flooded, gate := make(chan struct{}), make(chan struct{})
			var own, before int
			submit(t, e, func(w *executor.Worker) (int, error) {
				for range 3 * executor.InjectorTick {
					executor.Spawn(w, func(*executor.Worker) (int, error) { own++; return 0, nil })
				}
				close(flooded)
				<-gate
				return 0, nil
			})
			<-flooded
			injected := submit(t, e, func(*executor.Worker) (int, error) { before = own; return 0, nil })
			close(gate)
			if _, err := injected.Wait(background); err != nil {
				t.Fatal(err)
			}
			if before >= executor.InjectorTick {
				t.Fatalf("%d tasks before the injected one", before)
			}
			asleep(e, 1)
		}
	})
}

// X2: a task that a worker took along from the injector, under one that goes
// on spawning a successor, has its turn all the same.
func TestMovedTaskIsNotBuriedX2(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 1
		e := start(t, cfg)
		release := gated(t, e)
		links, after := 0, -1
		var link func(w *executor.Worker) (int, error)
		link = func(w *executor.Worker) (int, error) {
			if links++; after < 0 && links < 100_000 {
				executor.Spawn(w, link)
			}
			return 0, nil
		}
		submit(t, e, link)
		moved := submit(t, e, func(*executor.Worker) (int, error) { after = links; return 0, nil })
		release()
		if _, err := moved.Wait(background); err != nil {
			t.Fatal(err)
		}
		if after > 2*executor.InjectorTick {
			t.Errorf("%d tasks before the one that came second", after)
		}
	})
}

// X2, X3: peers steal what a worker spawns: all meet in tasks of one spawner.
func TestPeersStealX2X3(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		for _, cfg.Workers = range []int{2, 3, 8} {
			e := start(t, cfg)
			for range rounds(200) {
				asleep(e, cfg.Workers)
				var here atomic.Int64
				all := make(chan struct{})
				submit(t, e, func(w *executor.Worker) (int, error) {
					for range cfg.Workers {
						executor.Spawn(w, func(*executor.Worker) (int, error) {
							if here.Add(1) == int64(cfg.Workers) {
								close(all)
							}
							<-all
							return 0, nil
						})
					}
					return 0, nil
				})
				<-all
			}
			drained(t, e)
			if s := e.Stats(); s.Steals == 0 || s.Stolen < s.Steals || s.Wakes == 0 {
				t.Errorf("%+v", s)
			}
		}
	})
}

// X5: a worker is on one goroutine at a time, however tasks end: its plain
// counter is a data race otherwise, and the race detector sees it.
func TestOneGoroutineAWorkerX5(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers, cfg.Capacity = 4, 32 // small enough that some run in place
		e := start(t, cfg)
		counts := make([]int, cfg.Workers)
		var want atomic.Int64
		var body func(depth int) func(*executor.Worker) (int, error)
		body = func(depth int) func(*executor.Worker) (int, error) {
			return func(w *executor.Worker) (int, error) {
				counts[w.Index()]++
				want.Add(1)
				for range min(depth, 3) {
					executor.Spawn(w, body(depth-1))
				}
				return ending(int(want.Load()))
			}
		}
		all := func() bool { s := e.Stats(); return s.Goexits > 0 && s.Panics > 0 && s.InPlace > 0 && s.Steals > 0 }
		for i := 0; i < rounds(400) || !all(); i++ {
			submit(t, e, body(5))
		}
		drained(t, e)
		sum := 0
		for _, n := range counts {
			sum += n
		}
		if int64(sum) != want.Load() {
			t.Errorf("counted %d, want %d: %+v", sum, want.Load(), e.Stats())
		}
	})
}
