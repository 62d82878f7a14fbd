package executor_test

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

// crowdOf is how many goroutines may wait at once.
func crowdOf(n int) int {
	n = rounds(n)
	if n > 4000 && underRace {
		n = 4000 // what some race runtimes can do at once is 8128
	}
	return n
}

// 20,000 submitters wait for the one place there is, and for some: right is that all get
// in, that each task runs once, and that each place wakes one, or it would not end.
func TestThousandsGetRoomX10(t *testing.T) {
	for _, size := range []struct{ capacity, crowd int }{{1, 20_000}, {1024, 20_000}} {
		watchdog(t)
		n := crowdOf(size.crowd)
		e, release := filled(t, size.capacity)
		ran := make(once, n)
		ends := make(chan error, n)
		for i := range n {
			go func() {
				h, err := executor.Submit(background, e, func(w *executor.Worker) (int, error) { ran.run(w, i); return 0, nil })
				if err == nil {
					_, err = h.Wait(background)
				}
				ends <- err
			}()
		}
		until(func() bool { return executor.Waiting(e) == n })
		release()
		for range n {
			if err := <-ends; err != nil {
				t.Fatal(err)
			}
		}
		ran.check(t)
		drained(t, e)
		if s := e.Stats(); s.HighWater != size.capacity || s.Submitted != uint64(n+size.capacity) {
			t.Errorf("%+v", s)
		}
	}
}

// The same for light tasks.
func TestThousandsOfLightGetRoomX10(t *testing.T) {
	for _, size := range []struct{ capacity, crowd int }{{1, 20_000}, {1024, 20_000}} {
		watchdog(t)
		n := crowdOf(size.crowd)
		e := start(t, executor.Config{Workers: 1, Capacity: size.capacity, Seed: seed(t)})
		release := gated(t, e)
		g := executor.NewGroup(e)
		ran := make(once, n+size.capacity)
		for i := range size.capacity {
			if err := g.TryGo(ran.run, n+i); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.TryGo(ran.run, 0); !errors.Is(err, executor.ErrSaturated) {
			t.Fatalf("not full: %v", err)
		}
		var begun atomic.Int64
		ends := make(chan error, n)
		for i := range n {
			go func() {
				begun.Add(1)
				ends <- g.Go(ran.run, i)
			}()
		}
		until(func() bool { return begun.Load() == int64(n) })
		if s := e.Stats(); s.Submitted != uint64(size.capacity)+1 || len(ends) > 0 {
			t.Errorf("%d were accepted beside the room: %+v", len(ends), s)
		}
		release()
		for range n {
			if err := <-ends; err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Wait(background); err != nil {
			t.Error(err)
		}
		ran.check(t)
	}
}

// Ten million tasks in one executor, with handles and light: right is that each of some
// counters is as often counted up as there were tasks for it.
func TestTenMillionTasksL1L12(t *testing.T) {
	if testing.Short() {
		t.Skip("ten million tasks take some seconds, under the race detector minutes")
	}
	watchdog(t)
	const all, counters = 10_000_000, 1 << 10
	e := start(t, executor.Config{Seed: seed(t)})
	g := executor.NewGroup(e)
	counts := make([]atomic.Int64, counters)
	count := func(_ *executor.Worker, arg any) { arg.(*atomic.Int64).Add(1) }
	for i := range all / 2 {
		if err := g.Go(count, &counts[i%counters]); err != nil {
			t.Fatal(err)
		}
	}
	storage := executor.NewStorage[int](e, counters)
	body := make([]func(*executor.Worker) (int, error), counters)
	for i := range body {
		body[i] = func(*executor.Worker) (int, error) { return int(counts[i].Add(1)), nil }
	}
	handles := make([]*executor.Handle[int], 0, counters)
	for given := 0; given < all/2; given += len(handles) {
		handles = handles[:0]
		for i := range min(counters, all/2-given) {
			h, err := storage.Submit(background, body[i])
			if err != nil {
				t.Fatal(err)
			}
			handles = append(handles, h)
		}
		for _, h := range handles {
			if _, err := h.Wait(background); err != nil {
				t.Fatal(err)
			}
		}
		if err := storage.Reset(); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Wait(background); err != nil {
		t.Fatal(err)
	}
	for i := range counts {
		want := int64(all/2/counters*2) + 2*more(i < all/2%counters)
		if got := counts[i].Load(); got != want {
			t.Errorf("counter %d: %d, want %d", i, got, want)
		}
	}
	drained(t, e)
	if s := e.Stats(); s.Submitted != all || s.Completed != all || s.Spawned+s.Failed+s.Cancelled != 0 {
		t.Errorf("%+v", s)
	}
}

func more(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

// A thousand executors, at once and one after the other, each with tasks by every door:
// right is that goroutines and memory are back in the end.
func TestThousandExecutorsX1X12(t *testing.T) {
	watchdog(t)
	n := rounds(1000)
	cfg := executor.Config{Workers: 2, Capacity: 64, Seed: seed(t)}
	round := func() {
		all := make([]*executor.Executor, n)
		for i := range all {
			e, err := executor.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			all[i] = e
		}
		for _, e := range all {
			everyDoor(t, e, 2)
		}
		for i, e := range all {
			if i%2 == 0 {
				drained(t, e)
			} else if err := e.Stop(); err != nil {
				t.Error(err)
			}
		}
		for range n {
			e, err := executor.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			everyDoor(t, e, 2)
			drained(t, e)
		}
	}
	live := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	goroutines := runtime.NumGoroutine()
	round() // what is made once: the runtime's own, for so many goroutines
	until(func() bool { return runtime.NumGoroutine() <= goroutines })
	before := live()
	round()
	until(func() bool { return runtime.NumGoroutine() <= goroutines })
	const slack = 256 << 10 // a round makes tens of megabytes
	if grown := live() - before; grown > slack {
		t.Errorf("%d bytes more after %d executors", grown, 2*n)
	}
}

// Joins, loops and forks in forks, 100,000 deep, on either side: right is that they end,
// as calls do, and that each was made once. Both on the left is in TestForkDeep.
func TestDeepX8(t *testing.T) {
	depth, right := 100_000, 100_000
	if underRace {
		// The detector takes long on deep stacks. What is stolen on the right has a
		// goroutine each, and these are bounded there.
		depth, right = rounds(50_000), 2000
	}
	for _, workers := range []int{1, 3} {
		watchdog(t)
		e := start(t, executor.Config{Workers: workers, Seed: seed(t)})
		check := func(name string, want int, f func(w *executor.Worker, n int, count *atomic.Int64)) {
			t.Helper()
			var count atomic.Int64
			if err := inTask(t, e, func(w *executor.Worker) { f(w, want, &count) }); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if got := count.Load(); got != int64(want) {
				t.Errorf("%s: %d calls, want %d", name, got, want)
			}
		}
		check("join left", depth, joinLeft)
		check("join right", right, joinRight)
		check("for", depth, forDeep)
		check("reduce", depth, reduceDeep)
	}
}

func joinLeft(w *executor.Worker, n int, count *atomic.Int64) {
	if n > 0 {
		executor.Join(w, func(w *executor.Worker) { joinLeft(w, n-1, count) }, func(*executor.Worker) { count.Add(1) })
	}
}

func joinRight(w *executor.Worker, n int, count *atomic.Int64) {
	if n > 0 {
		executor.Join(w, func(*executor.Worker) { count.Add(1) }, func(w *executor.Worker) { joinRight(w, n-1, count) })
	}
}

// forDeep is a loop of two in a loop of two, and so on.
func forDeep(w *executor.Worker, n int, count *atomic.Int64) {
	if n == 0 {
		return
	}
	executor.For(w, 2, 1, func(w *executor.Worker, low, _ int) {
		if low == 0 {
			forDeep(w, n-1, count)
		} else {
			count.Add(1)
		}
	})
}

func reduceDeep(w *executor.Worker, n int, count *atomic.Int64) {
	if n == 0 {
		return
	}
	sum := executor.Reduce(w, 2, 1, func(w *executor.Worker, low, _ int) int {
		if low == 0 {
			reduceDeep(w, n-1, count)
		}
		return low
	}, func(a, b int) int { return a + b })
	count.Add(int64(sum))
}

// Tasks that wait for tasks that wait, 4,000 deep: each has a goroutine, by whom it is
// run, and right is that they end.
func TestDeepWaitsX8(t *testing.T) {
	for _, cfg := range []executor.Config{{Workers: 1}, {Workers: 3}, {Workers: 1, Capacity: 1}} {
		watchdog(t)
		e := start(t, cfg)
		var down func(n int) func(*executor.Worker) (int, error)
		down = func(n int) func(*executor.Worker) (int, error) {
			return func(w *executor.Worker) (int, error) {
				if n == 0 {
					return 0, nil
				}
				got, err := executor.Spawn(w, down(n-1)).Wait(background)
				return got + 1, err
			}
		}
		n := rounds(4000)
		if got, err := submit(t, e, down(n)).Wait(background); got != n || err != nil {
			t.Errorf("got %d, %v, want %d", got, err, n)
		}
	}
}
