package executor_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

// tree spawns a binary tree of the given depth and counts its nodes.
func tree(ran *atomic.Int64, depth int) func(*executor.Worker) (int, error) {
	return func(w *executor.Worker) (int, error) {
		ran.Add(1)
		if depth > 0 {
			executor.Spawn(w, tree(ran, depth-1))
			executor.Spawn(w, tree(ran, depth-1))
		}
		return depth, nil
	}
}

// X6, X10: what a bounded deque refuses goes to the injector, and what that
// refuses is run by the spawner: nothing is lost.
func TestBoundedBackEndsLoseNothingX6X10(t *testing.T) {
	for _, room := range []struct{ injector, deque int }{{1, 1}, {1, 0}, {0, 1}, {2, 3}, {64, 65}} {
		watchdog(t)
		var refused, ran atomic.Int64
		h := hooks{refused: func() { refused.Add(1) }}
		e := start(t, executor.Config{Workers: 3, Seed: seed(t), Injector: injectorOf(room.injector, h), Deque: dequeOf(room.deque, h)})
		trees, depth := rounds(200), 7
		for range trees {
			submit(t, e, tree(&ran, depth))
		}
		drained(t, e)
		if want := int64(trees * (2<<depth - 1)); ran.Load() != want {
			t.Errorf("rooms %+v: %d ran, want %d", room, ran.Load(), want)
		}
		if refused.Load() == 0 {
			t.Errorf("rooms %+v: nothing was refused", room)
		}
	}
}

// X10: a Goexit or panic of a task that the queues refused, and that so runs
// inside Spawn, is that task's and not the spawner's.
func TestRefusedTaskEndsAloneX10L10(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1, Injector: injectorOf(1, hooks{}), Deque: dequeOf(1, hooks{})})
	release := gated(t, e)
	got := submit(t, e, func(w *executor.Worker) (int, error) {
		executor.Spawn(w, nothing) // takes the deque
		executor.Spawn(w, nothing) // takes the injector
		executor.Spawn(w, func(*executor.Worker) (int, error) { runtime.Goexit(); return 0, nil })
		executor.Spawn(w, func(*executor.Worker) (int, error) { panic("refused") })
		if s := e.Stats(); s.Goexits != 1 || s.Panics != 1 || s.Failed != 2 {
			t.Errorf("not run by the spawner: %+v", s)
		}
		return 7, nil
	})
	release()
	if v, err := got.Wait(background); v != 7 || err != nil {
		t.Errorf("the spawner got %d, %v", v, err)
	}
}
