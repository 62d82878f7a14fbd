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
		want := int64(fillUp(t, e, &ran, room.injector+room.deque+5))
		if refused.Load() == 0 {
			t.Errorf("rooms %+v: nothing was refused", room)
		}
		trees, depth := rounds(100), 7
		for range trees {
			submit(t, e, tree(&ran, depth))
		}
		drained(t, e)
		if want += int64(trees * (2<<depth - 1)); ran.Load() != want {
			t.Errorf("rooms %+v: %d ran, want %d", room, ran.Load(), want)
		}
	}
}

// fillUp gives e, of three workers, n tasks from inside while nobody steals,
// and then n from outside, and returns how many were accepted.
func fillUp(t *testing.T, e *executor.Executor, ran *atomic.Int64, n int) (accepted int) {
	releases := []func(){gated(t, e), gated(t, e)}
	spawned, gate := make(chan struct{}), make(chan struct{})
	submit(t, e, func(w *executor.Worker) (int, error) {
		for range n {
			executor.Spawn(w, tree(ran, 0))
		}
		close(spawned)
		<-gate
		return 0, nil
	})
	<-spawned
	accepted = n
	for range n {
		if _, err := executor.TrySubmit(e, tree(ran, 0)); err == nil {
			accepted++
		}
	}
	close(gate)
	for _, release := range releases {
		release()
	}
	return accepted
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

// X4, X10: a submitter that waits for a full injector goes on when a worker
// takes a task from it, which may be long before that task ends. Both doors.
func TestBlockedSubmitSeesInjectorRoomX4X10(t *testing.T) {
	for _, stored := range []bool{false, true} {
		watchdog(t)
		var refused atomic.Int64
		h := hooks{refused: func() { refused.Add(1) }}
		e := start(t, executor.Config{Workers: 2, Injector: injectorOf(1, h)})
		releaseA, releaseB := gated(t, e), gated(t, e)
		storage := executor.NewStorage[int](e, 1)
		second := make(chan struct{})
		submit(t, e, func(*executor.Worker) (int, error) { <-second; return 0, nil }) // fills the injector
		done := make(chan error)
		go func() {
			body := func(*executor.Worker) (int, error) { close(second); return 0, nil }
			var err error
			if stored {
				_, err = storage.Submit(background, body)
			} else {
				_, err = executor.Submit(background, e, body)
			}
			done <- err
		}()
		until(func() bool { return refused.Load() >= 2 }) // one try, and one as a waiter
		releaseA()                                        // the first task is taken, and waits for the second
		if err := <-done; err != nil {
			t.Error(err)
		}
		if n := refused.Load(); n != 2 {
			t.Errorf("%d refusals, want 2: the end of the first task was no help", n)
		}
		releaseB()
		drained(t, e)
	}
}

// X11: a submitter that waits for a full injector sleeps: a refusal is no news
// to the one that was refused.
func TestBlockedSubmitSleepsX11(t *testing.T) {
	watchdog(t)
	var refused atomic.Int64
	e := start(t, executor.Config{Workers: 1, Injector: injectorOf(1, hooks{refused: func() { refused.Add(1) }})})
	release := gated(t, e)
	submit(t, e, nothing)
	done := make(chan error)
	go func() {
		_, err := executor.Submit(background, e, nothing)
		done <- err
	}()
	until(func() bool { return refused.Load() >= 2 }) // one try, and one as a waiter
	for range 10000 {
		runtime.Gosched()
	}
	if n := refused.Load(); n != 2 {
		t.Errorf("%d tries, want 2", n)
	}
	release()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
