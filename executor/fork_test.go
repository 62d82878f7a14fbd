package executor_test

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

// inTask runs f in a task and returns what that ended with.
func inTask(t *testing.T, e *executor.Executor, f func(*executor.Worker)) error {
	t.Helper()
	_, err := submit(t, e, func(w *executor.Worker) (int, error) { f(w); return 0, nil }).Wait(background)
	return err
}

func fibonacci(n int) int {
	a, b := 0, 1
	for range n {
		a, b = b, a+b
	}
	return a
}

// Forks compute what calls do, with any number of workers, and some were stolen.
func TestForks(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		for _, cfg.Workers = range []int{1, 2, 5} {
			e := start(t, cfg)
			fib := newFib(e)
			n := 18
			for range rounds(20) {
				err := inTask(t, e, func(w *executor.Worker) {
					if a, b := fib.Both(w, n, n-1); a != fibonacci(n) || b != fibonacci(n-1) {
						t.Errorf("%d, %d", a, b)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// A branch that somebody else has is waited for, by helping and by sleeping.
func TestForkIsStolen(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 2
		e := start(t, cfg)
		for range rounds(300) {
			var stolen atomic.Bool
			taken := make(chan struct{})
			err := inTask(t, e, func(w *executor.Worker) {
				mine := w.Index()
				executor.Join(w, func(*executor.Worker) { <-taken }, func(w *executor.Worker) {
					stolen.Store(w.Index() != mine)
					close(taken)
					executor.Join(w, func(*executor.Worker) {}, func(*executor.Worker) {})
				})
			})
			if err != nil || !stolen.Load() {
				t.Fatal(err, stolen.Load())
			}
		}
	})
}

// L6: a panic or Goexit of either call is the fork's, here and on another worker, and
// the workers go on; a panic that the caller recovers leaves the fork usable.
func TestForkFailsL6(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 2
		e := start(t, cfg)
		panics := func(*executor.Worker) { panic("mine") }
		exits := func(*executor.Worker) { runtime.Goexit() }
		for range rounds(50) {
			taken := make(chan struct{})
			waits := func(*executor.Worker) { <-taken }
			stolen := func(f func(*executor.Worker)) func(*executor.Worker) {
				return func(w *executor.Worker) { close(taken); f(w) }
			}
			nothing := func(*executor.Worker) {}
			for i, pair := range [][2]func(*executor.Worker){{panics, nothing}, {nothing, panics}, {waits, stolen(panics)}, {exits, nothing}, {nothing, exits}, {waits, stolen(exits)}} {
				if i == 5 {
					taken = make(chan struct{})
				}
				err := inTask(t, e, func(w *executor.Worker) { executor.Join(w, pair[0], pair[1]) })
				var p *executor.PanicError
				if i < 3 && (!errors.As(err, &p) || p.Value != "mine") || i >= 3 && err != executor.ErrGoexit {
					t.Errorf("case %d: %v", i, err)
				}
			}
			recovered := 0
			err := inTask(t, e, func(w *executor.Worker) {
				for range 5 {
					func() {
						defer func() { recovered += len(recover().(string)) }()
						executor.Join(w, panics, nothing)
					}()
					n := 0
					executor.Join(w, func(*executor.Worker) { n++ }, nothing)
					if n != 1 {
						t.Error("not called")
					}
				}
			})
			if err != nil || recovered != 5*len("mine") {
				t.Errorf("%v, recovered %d", err, recovered)
			}
		}
	})
}

// A caller that gives its place away in the first call, or has none, still gets both
// results, and its stand-in may run the second.
func TestForkWithoutAPlace(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		for _, cfg.Workers = range []int{1, 3} {
			e := start(t, cfg)
			fib := newFib(e)
			for range rounds(100) {
				err := inTask(t, e, func(w *executor.Worker) {
					second := make(chan struct{})
					executor.Join(w, func(w *executor.Worker) {
						w.Block(func() { <-second }) // the stand-in runs it
					}, func(*executor.Worker) { close(second) })
					if a, b := fib.Both(w, 10, 9); a != 55 || b != 34 {
						t.Errorf("%d, %d", a, b)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// What the first call spawns and leaves is run by the time that both are done, or
// later, but once; and the fork does not take it for its branch.
func TestForkOverSpawns(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		for _, cfg.Workers = range []int{1, 2} {
			e := start(t, cfg)
			g := executor.NewGroup(e)
			n := rounds(500)
			ran := make(once, 3*n)
			err := inTask(t, e, func(w *executor.Worker) {
				for i := range n {
					executor.Join(w, func(w *executor.Worker) {
						g.Spawn(w, ran.run, 3*i)
						executor.Spawn(w, func(w *executor.Worker) (int, error) { ran.run(w, 3*i+1); return 0, nil })
					}, func(w *executor.Worker) { ran.run(w, 3*i+2) })
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Wait(background); err != nil {
				t.Fatal(err)
			}
			drained(t, e)
			ran.check(t)
		}
	})
}

// X7: Stop gives a branch that is queued back to its caller, who is running.
func TestForkIsHandedBackX7(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 1
		e := start(t, cfg)
		stopping := make(chan struct{})
		ran := 0
		h := submit(t, e, func(w *executor.Worker) (int, error) {
			ctx := w.Context()
			executor.Join(w, func(*executor.Worker) { close(stopping); <-ctx.Done() }, func(*executor.Worker) { ran++ })
			return ran, nil
		})
		<-stopping
		if err := e.Stop(); err != nil {
			t.Fatal(err)
		}
		if n, err := h.Wait(background); n != 1 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	})
}

// A chain of forks 100,000 deep needs no more stack than calls do.
func TestForkDeep(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 2})
	var deep *executor.Fork[int, int]
	deep = executor.NewFork(e, func(w *executor.Worker, n int) int {
		if n <= 0 {
			return 1
		}
		a, b := deep.Both(w, n-1, 0)
		return a + b
	})
	err := inTask(t, e, func(w *executor.Worker) {
		if a, _ := deep.Both(w, 100_000, 0); a != 100_001 {
			t.Errorf("got %d", a)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// For covers a range once, in parts of at most the grain; Reduce combines in order.
func TestLoops(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 3
		e := start(t, cfg)
		for _, n := range []int{-1, 0, 1, 2, 7, 1000} {
			for _, grain := range []int{-1, 1, 3, 2000} {
				err := inTask(t, e, func(w *executor.Worker) {
					ran := make(once, max(0, n))
					executor.For(w, n, grain, func(w *executor.Worker, low, high int) {
						if low >= high || high-low > max(1, grain) {
							t.Errorf("%d to %d of grain %d", low, high, grain)
						}
						for i := low; i < high; i++ {
							ran.run(w, i)
						}
					})
					ran.check(t)
					all := executor.Reduce(w, n, grain, func(_ *executor.Worker, low, high int) (part []int) {
						for i := low; i < high; i++ {
							part = append(part, i)
						}
						return part
					}, func(a, b []int) []int { return append(a[:len(a):len(a)], b...) })
					if len(all) != max(0, n) {
						t.Errorf("%d of %d", len(all), n)
					}
					for i, v := range all {
						if i != v {
							t.Errorf("%d at %d", v, i)
						}
					}
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
