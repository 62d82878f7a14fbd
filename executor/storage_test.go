package executor_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/lifecycle"
)

// A storage is refilled thousands of times, its tasks end in every way, and
// each time each handle tells of its task and no earlier one.
func TestStorageIsUsedAgain(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers, cfg.Capacity = 2, 1 // what is stored takes no room
		e := start(t, cfg)
		const n = 40
		storage := executor.NewStorage[int](e, n+1)
		fns := make([]func(*executor.Worker) (int, error), n)
		for i := range fns {
			fns[i] = func(w *executor.Worker) (int, error) {
				if i%8 == 0 && w.Context().Err() != nil {
					return 0, errors.New("the context of an earlier task")
				}
				return ending(i)
			}
		}
		fns[0] = func(w *executor.Worker) (int, error) { <-w.Context().Done(); return 0, nil } // until it is cancelled
		var handles [n + 1]*executor.Handle[int]
		fill := func(w *executor.Worker) (int, error) {
			for i := range n / 2 {
				h, err := storage.Spawn(w, fns[i])
				if err != nil {
					return 0, err
				}
				handles[i+1] = h
			}
			return 7, storage.SpawnAll(w, fns[n/2:])
		}
		for round := range rounds(1000) {
			root, err := storage.Submit(background, fill)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := root.Wait(background); got != 7 || err != nil {
				t.Fatal(got, err)
			}
			if !handles[1].Cancel(nil) {
				t.Fatal("cancel of a task that waits for it lost")
			}
			cancelled := handles[1+round%(n/2)].Cancel(nil)
			next := 0
			err = storage.Wait(background, func(i, got int, err error) {
				if i != next {
					t.Fatalf("task %d came at %d", i, next)
				}
				next++
				switch {
				case i == 1 && !errors.Is(err, executor.ErrCancelled):
					t.Fatalf("the cancelled task: got %d, %v", got, err)
				case i <= 1 || i == 1+round%(n/2) && cancelled:
				case i <= n/2:
					checkEnding(t, i-1, handles[i])
				case (i-1)%16 != 3 && (i-1)%16 != 7 && (i-1)%16 != 11 && (got != i-1 || err != nil):
					t.Fatalf("task %d: got %d, %v", i, got, err)
				}
			})
			if err != nil || next != n+1 {
				t.Fatalf("waited for %d: %v", next, err)
			}
			until(func() bool { return storage.Reset() == nil }) // a cancelled task may be in its queue
		}
		if s := e.Stats(); storage.HighWater() != n+1 || s.InPlace != 0 || s.Capacity != 1+n+1 || s.Cancelled == 0 || s.HighWater != 0 {
			t.Errorf("high water %d, %+v", storage.HighWater(), s)
		}
	})
}

// Full storage refuses; busy storage is not reset; a task that was cancelled
// in its queue is busy until the queue lets go of it.
func TestStorageInUse(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1})
	storage := executor.NewStorage[int](e, 2)
	running, gate := make(chan struct{}), make(chan struct{})
	refused := func(*executor.Worker) (int, error) { t.Error("a refused task ran"); return 0, nil }
	first, err := storage.Submit(background, func(w *executor.Worker) (int, error) {
		second, err := storage.Spawn(w, func(*executor.Worker) (int, error) { t.Error("a cancelled task ran"); return 0, nil })
		if err != nil {
			return 0, err
		}
		_, full := storage.Spawn(w, refused)
		all := storage.SpawnAll(w, []func(*executor.Worker) (int, error){refused})
		if !errors.Is(full, executor.ErrStorage) || !errors.Is(all, executor.ErrStorage) {
			t.Errorf("got %v and %v", full, all)
		}
		second.Cancel(nil)
		close(running)
		<-gate
		return 7, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	<-running
	if _, err := storage.Submit(background, refused); !errors.Is(err, executor.ErrStorage) {
		t.Errorf("got %v", err)
	}
	ended, cancel := context.WithCancel(background)
	cancel()
	var order []int
	each := func(i, got int, err error) {
		order = append(order, i)
		if i == 0 && (got != 7 || err != nil) || i == 1 && (got != 0 || !errors.Is(err, executor.ErrCancelled)) {
			t.Errorf("task %d: got %d, %v", i, got, err)
		}
	}
	if err := storage.Wait(ended, each); !errors.Is(err, context.Canceled) || len(order) != 0 {
		t.Errorf("wait with an ended context: %v after %v", err, order)
	}
	if err := storage.Reset(); !errors.Is(err, executor.ErrStorage) {
		t.Errorf("reset of busy storage: %v", err)
	}
	close(gate)
	if err := storage.Wait(background, each); err != nil || len(order) != 2 || order[0] != 0 {
		t.Errorf("wait: %v, order %v", err, order)
	}
	if first.State() != lifecycle.Completed || storage.HighWater() != 0 {
		t.Errorf("%s, high water %d before any Reset", first.State(), storage.HighWater())
	}
	asleep(e, 1) // the queue has let go
	if err := storage.Reset(); err != nil || storage.HighWater() != 2 {
		t.Errorf("reset: %v, high water %d", err, storage.HighWater())
	}
}

// A task that was cancelled in its queue has ended for Wait, not for Reset.
func TestStorageKeepsCancelledInQueue(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1})
	release := gated(t, e)
	storage := executor.NewStorage[int](e, 1)
	for _, wait := range []bool{true, false} {
		h, err := storage.Submit(background, nothing)
		if err != nil {
			t.Fatal(err)
		}
		h.Cancel(nil)
		if wait {
			if err := storage.Wait(background, func(int, int, error) {}); err != nil {
				t.Fatal(err)
			}
		}
		if err := storage.Reset(); !errors.Is(err, executor.ErrStorage) {
			t.Errorf("reset with a task in the injector: %v", err)
		}
		release()
		asleep(e, 1)
		if err := storage.Reset(); err != nil {
			t.Error(err)
		}
		release = gated(t, e)
	}
	release()
}

// A nil function among many: none is given, and the counts of the executor add
// up.
func TestStorageSpawnAllNil(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1})
	storage := executor.NewStorage[int](e, 8)
	var ran atomic.Int64
	count := func(*executor.Worker) (int, error) { ran.Add(1); return 0, nil }
	_, err := submit(t, e, func(w *executor.Worker) (int, error) {
		return 0, storage.SpawnAll(w, []func(*executor.Worker) (int, error){count, count, nil, count})
	}).Wait(background)
	if !errors.Is(err, executor.ErrNilTask) || !strings.Contains(err.Error(), "spawn 3 of 4") {
		t.Errorf("got %v", err)
	}
	drained(t, e)
	if s := e.Stats(); ran.Load() != 0 || s.Spawned != 0 {
		t.Errorf("%d ran, %+v", ran.Load(), s)
	}
}

// A task that goes through a storage allocates nothing.
func TestStorageAllocatesNothing(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1})
	const n = 1000
	storage := executor.NewStorage[int](e, n+1)
	sum, want := 0, 0
	one := func(*executor.Worker) (int, error) { return 3, nil }
	fill := func(w *executor.Worker) (int, error) {
		for range n {
			if _, err := storage.Spawn(w, one); err != nil {
				return 0, err
			}
		}
		return 0, nil
	}
	each := func(_, got int, err error) { sum += got }
	allocs := testing.AllocsPerRun(20, func() {
		want += 3 * n
		root, err := storage.Submit(background, fill)
		if err == nil {
			_, err = root.Wait(background)
		}
		if err == nil {
			err = storage.Wait(background, each)
		}
		if err == nil {
			err = storage.Reset()
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	// A few a batch are those of whoever waits.
	if allocs > n/20 || sum != want {
		t.Errorf("%v allocations for %d tasks; sum %d, want %d", allocs, n, sum, want)
	}
}
