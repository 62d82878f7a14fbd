package executor_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/exactlyonce/certify/executor"
)

// once counts how often each task ran. The counters are each task's own.
type once []atomic.Int32

func (o once) run(_ *executor.Worker, arg any) { o[arg.(int)].Add(1) }

func (o once) check(t *testing.T) {
	t.Helper()
	for i := range o {
		if n := o[i].Load(); n != 1 {
			t.Errorf("task %d ran %d times", i, n)
		}
	}
}

// L3, L12: each light task that is accepted runs once, from outside alone and in
// batches, from inside, and in trees of spawns, with any capacity; the group's wait
// sees all of them, and the counters add up.
func TestLightTasksRunOnceL3(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		for _, cfg.Capacity = range []int{1, 3, 64, 0} {
			for _, cfg.Workers = range []int{1, 3} {
				e := start(t, cfg)
				g := executor.NewGroup(e)
				n := rounds(3000)
				ran := make(once, 4*n)
				for i := range n {
					if err := g.Go(ran.run, i); err != nil {
						t.Fatal(err)
					}
				}
				var batch []any
				for i := range n {
					batch = append(batch, n+i)
				}
				if got, err := g.GoAll(ran.run, batch); got != n || err != nil {
					t.Fatal(got, err)
				}
				if err := g.Go(func(w *executor.Worker, _ any) { ran.spawn(g, w, 2*n, 4*n) }, nil); err != nil {
					t.Fatal(err)
				}
				if err := g.Wait(background); err != nil {
					t.Fatal(err)
				}
				ran.check(t)
				if s := e.Stats(); s.Submitted != uint64(2*n+1) || s.Completed != s.Submitted+s.Spawned {
					t.Errorf("capacity %d: %+v", cfg.Capacity, s)
				}
			}
		}
	})
}

// spawn has each of a range run, in a tree of tasks with few at each leaf.
func (o once) spawn(g *executor.Group, w *executor.Worker, from, to int) {
	if to-from < 10 {
		for i := from; i < to; i++ {
			g.Spawn(w, o.run, i)
		}
		return
	}
	mid := from + (to-from)/2
	g.Spawn(w, func(w *executor.Worker, _ any) { o.spawn(g, w, from, mid) }, nil)
	g.Spawn(w, func(w *executor.Worker, _ any) { o.spawn(g, w, mid, to) }, nil)
}

// L6: a panic and a Goexit of a light task lose nothing, from outside, inside and in
// place; the group tells of the first, and how many more there were.
func TestLightTasksFailL6(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		for _, cfg.Capacity = range []int{1, 0} {
			cfg.Workers = 2
			e := start(t, cfg)
			g := executor.NewGroup(e)
			var ran atomic.Int64
			bad := func(_ *executor.Worker, arg any) {
				if ran.Add(1)%2 == 0 {
					runtime.Goexit()
				}
				panic(arg)
			}
			root := func(w *executor.Worker, _ any) {
				for range 100 {
					g.Spawn(w, bad, "inside")
				}
			}
			for range 50 {
				if err := g.Go(bad, "outside"); err != nil {
					t.Fatal(err)
				}
			}
			if err := g.Go(root, nil); err != nil {
				t.Fatal(err)
			}
			err := g.Wait(background)
			var p *executor.PanicError
			if !errors.As(err, &p) && !errors.Is(err, executor.ErrGoexit) {
				t.Errorf("got %v", err)
			}
			if s := e.Stats(); s.Panics != 75 || s.Goexits != 75 || s.Failed != 150 || s.Completed != 1 || ran.Load() != 150 {
				t.Errorf("%+v, %d ran", s, ran.Load())
			}
			if err := g.Wait(background); err != nil {
				t.Errorf("told twice: %v", err)
			}
		}
	})
}

// What a task without a group fails with goes to Unhandled.
func TestUnhandled(t *testing.T) {
	watchdog(t)
	got := make(chan error, 2)
	e := start(t, executor.Config{Workers: 1, Unhandled: func(err error) { got <- err }})
	if err := e.Go(func(*executor.Worker, any) { panic("mine") }, nil); err != nil {
		t.Fatal(err)
	}
	var p *executor.PanicError
	if err := <-got; !errors.As(err, &p) || p.Value != "mine" || len(p.Stack) == 0 {
		t.Errorf("got %v", err)
	}
	if err := e.Go(func(w *executor.Worker, _ any) { w.Go(func(*executor.Worker, any) { runtime.Goexit() }, nil) }, nil); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != executor.ErrGoexit {
		t.Errorf("got %v", err)
	}
}

// X5: with no room TryGo refuses and Go waits, both for as long as it takes; a spawn
// runs in place. Refused tasks never run.
func TestLightTasksSaturateX5(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1, Capacity: 4})
	release := gated(t, e)
	g := executor.NewGroup(e)
	var ran atomic.Int64
	count := func(*executor.Worker, any) { ran.Add(1) }
	accepted := int64(0)
	for ; ; accepted++ {
		if err := g.TryGo(count, nil); errors.Is(err, executor.ErrSaturated) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if accepted < 4 {
		t.Errorf("%d accepted", accepted)
	}
	waited := make(chan error)
	go func() { waited <- g.Go(count, nil) }()
	release()
	if err := <-waited; err != nil {
		t.Error(err)
	}
	if err := g.Wait(background); err != nil || ran.Load() != accepted+1 {
		t.Errorf("%v, %d of %d ran", err, ran.Load(), accepted+1)
	}
	const many = 100
	inPlace := false
	root := func(w *executor.Worker, _ any) {
		for range many {
			g.Spawn(w, count, nil)
		}
		inPlace = e.Stats().InPlace > 0
	}
	if err := g.Go(root, nil); err != nil {
		t.Fatal(err)
	}
	if err := g.Wait(background); err != nil || ran.Load() != many+accepted+1 || !inPlace {
		t.Errorf("%v, %d ran, in place: %v", err, ran.Load(), inPlace)
	}
}

// X7: a submit that races with Shutdown is accepted and runs, or is refused and does
// not; after Stop what is queued never runs, and its group learns that.
func TestLightTasksAtTheEndX7(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		for round := range rounds(200) {
			cfg.Workers, cfg.Capacity = 2, 64
			e, err := executor.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			g := executor.NewGroup(e)
			var ran, accepted atomic.Int64
			var submitters sync.WaitGroup
			for range 3 {
				submitters.Go(func() {
					for g.Go(func(*executor.Worker, any) { ran.Add(1) }, nil) == nil {
						accepted.Add(1)
					}
				})
			}
			until(func() bool { return accepted.Load() > 10 })
			if stop := round%2 == 0; stop {
				if err := e.Stop(); err != nil {
					t.Fatal(err)
				}
			}
			drained(t, e)
			submitters.Wait()
			s := e.Stats()
			if s.Cancelled+uint64(ran.Load()) != uint64(accepted.Load()) || round%2 == 1 && s.Cancelled > 0 {
				t.Fatalf("%d accepted, %d ran, %+v", accepted.Load(), ran.Load(), s)
			}
			if err := g.Wait(background); s.Cancelled > 0 != errors.Is(err, executor.ErrStopped) {
				t.Fatalf("%d cancelled: %v", s.Cancelled, err)
			}
		}
	})
}

// A task that has ended keeps nothing alive, nor does a chain wake anybody: a single
// queued task is left to its worker.
func TestLightTasksLeaveNothing(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 1
		e := start(t, cfg)
		g := executor.NewGroup(e)
		big := new([1 << 10]int)
		kept := weak.Make(big)
		if err := g.Go(func(_ *executor.Worker, arg any) { arg.(*[1 << 10]int)[0] = 1 }, big); err != nil {
			t.Fatal(err)
		}
		big = nil
		if err := g.Wait(background); err != nil {
			t.Fatal(err)
		}
		asleep(e, 1)
		until(func() bool { runtime.GC(); return kept.Value() == nil })
	})
}

func TestChainWakesNobody(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 2})
	g := executor.NewGroup(e)
	asleep(e, 2)
	left := rounds(100_000)
	var hop executor.Func
	hop = func(w *executor.Worker, _ any) {
		if left--; left > 0 {
			g.Spawn(w, hop, nil)
		}
	}
	if err := g.Go(hop, nil); err != nil {
		t.Fatal(err)
	}
	if err := g.Wait(background); err != nil {
		t.Fatal(err)
	}
	if s := e.Stats(); s.Wakes > 1 {
		t.Errorf("%d wakes", s.Wakes)
	}
}

// What makes no sense is refused.
func TestLightTasksRefused(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1})
	g := executor.NewGroup(e)
	if err := e.Go(nil, 1); !errors.Is(err, executor.ErrNilTask) {
		t.Error(err)
	}
	if err := e.TryGo(nil, 1); !errors.Is(err, executor.ErrNilTask) {
		t.Error(err)
	}
	if n, err := g.GoAll(nil, []any{1}); n != 0 || !errors.Is(err, executor.ErrNilTask) {
		t.Error(n, err)
	}
	if err := g.Go(func(w *executor.Worker, _ any) { g.Spawn(w, nil, nil) }, nil); err != nil {
		t.Error(err)
	}
	if err := g.Wait(background); !errors.Is(err, executor.ErrNilTask) {
		t.Error(err)
	}
	if n, err := g.GoAll(func(*executor.Worker, any) {}, nil); n != 0 || err != nil {
		t.Error(n, err)
	}
}

// X2: light tasks and tasks with handles mix, and each kind may give the other.
func TestLightAndHeavyX2(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 2
		e := start(t, cfg)
		g := executor.NewGroup(e)
		var mu sync.Mutex
		var got []string
		add := func(s string) { mu.Lock(); got = append(got, s); mu.Unlock() }
		for i := range 100 {
			h := submit(t, e, func(w *executor.Worker) (int, error) {
				g.Spawn(w, func(w *executor.Worker, arg any) {
					inner := executor.Spawn(w, func(*executor.Worker) (int, error) { add(fmt.Sprint("inner ", arg)); return 1, nil })
					if n, err := inner.Wait(background); n != 1 || err != nil {
						t.Error(n, err)
					}
					add(fmt.Sprint("light ", arg))
				}, i)
				return i, nil
			})
			if n, err := h.Wait(background); n != i || err != nil {
				t.Error(n, err)
			}
		}
		if err := g.Wait(background); err != nil {
			t.Error(err)
		}
		slices.Sort(got)
		if got = slices.Compact(got); len(got) != 200 {
			t.Errorf("%d of 200", len(got))
		}
	})
}
