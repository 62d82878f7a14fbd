package executor_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/lifecycle"
)

// resolved tells whether Done is closed, and checks that Wait agrees.
func resolved(t *testing.T, h *executor.Handle[int]) bool {
	t.Helper()
	select {
	case <-h.Done():
		if _, err := h.Wait(background); errors.Is(err, context.Canceled) {
			t.Errorf("done, but Wait says %v", err)
		}
		return true
	default:
		ended, cancel := context.WithCancel(background)
		cancel()
		if _, err := h.Wait(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("not done, but Wait says %v", err)
		}
		return false
	}
}

// L3, L8, L9: what State, Done and Wait say of a task in each state. State
// knows of a cancel at once; Done and Wait are for whoever must know that the
// body has left its worker.
func TestHandleInEveryStateL3L9(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1})
	check := func(h *executor.Handle[int], state lifecycle.State, over bool) {
		t.Helper()
		for range 2 {
			if got := h.State(); got != state {
				t.Errorf("got %s, want %s", got, state)
			}
			if got := resolved(t, h); got != over {
				t.Errorf("%s: resolved %v, want %v", state, got, over)
			}
		}
	}
	boom := errors.New("boom")
	gates := [3]chan struct{}{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	running := make(chan struct{})
	task := func(i int, err error) *executor.Handle[int] {
		return submit(t, e, func(*executor.Worker) (int, error) { running <- struct{}{}; <-gates[i]; return i, err })
	}
	done, failed, cancelled, never := task(0, nil), task(1, boom), task(2, nil), task(0, nil)
	<-running
	check(done, lifecycle.Running, false)
	check(failed, lifecycle.Queued, false)
	close(gates[0])
	<-running
	check(done, lifecycle.Completed, true)
	check(failed, lifecycle.Running, false)
	close(gates[1])
	<-running
	check(failed, lifecycle.Failed, true)
	if !cancelled.Cancel(boom) || !never.Cancel(nil) || done.Cancel(nil) || failed.Cancel(nil) {
		t.Error("want the cancel of the running and the queued task to win only")
	}
	check(cancelled, lifecycle.Cancelled, false) // the body is still there
	check(never, lifecycle.Cancelled, true)
	close(gates[2])
	if got, err := cancelled.Wait(background); got != 0 || !errors.Is(err, executor.ErrCancelled) || !errors.Is(err, boom) {
		t.Errorf("got %d, %v", got, err)
	}
	check(cancelled, lifecycle.Cancelled, true)
	check(done, lifecycle.Completed, true) // its slot has had other tasks
	if got, err := failed.Wait(background); got != 0 || err != boom {
		t.Errorf("got %d, %v", got, err)
	}
}

// L3: 64 goroutines wait for one handle, in each of the ways, some with a
// context that ends first; everybody is told the truth.
func TestManyWaitersL3(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 2, Capacity: 2})
	for i := range rounds(300) {
		gate := make(chan struct{})
		h := submit(t, e, func(*executor.Worker) (int, error) { <-gate; return i, nil })
		short, end := context.WithCancel(background)
		var waiters, early sync.WaitGroup
		for k := range 64 {
			switch k % 4 {
			case 0:
				early.Go(func() {
					if _, err := h.Wait(short); !errors.Is(err, context.Canceled) {
						t.Errorf("got %v", err)
					}
				})
			case 1:
				waiters.Go(func() { <-h.Done() })
			default:
				long, cancel := context.WithCancel(background)
				defer cancel()
				waiters.Go(func() {
					if got, err := h.Wait(long); got != i || err != nil {
						t.Errorf("got %d, %v", got, err)
					}
				})
			}
		}
		end()
		early.Wait()
		close(gate)
		waiters.Wait()
	}
}

// L3, L4: a handle tells of its own task for ever, also when the next tasks
// have its slot; and its Cancel does not reach them.
func TestOldHandleL3(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1, Capacity: 1})
	var old []*executor.Handle[int]
	for i := range 1000 {
		gate := make(chan struct{})
		h := submit(t, e, func(*executor.Worker) (int, error) { <-gate; return ending(i) })
		for _, o := range old[max(0, len(old)-16):] {
			if !o.State().Terminal() || !resolved(t, o) || o.Cancel(nil) {
				t.Fatalf("a task that has ended is %s", o.State())
			}
		}
		if s := h.State(); s != lifecycle.Running && s != lifecycle.Queued {
			t.Fatalf("the running task is %s", s)
		}
		close(gate)
		checkEnding(t, i, h)
		old = append(old, h)
	}
	for i, h := range old {
		checkEnding(t, i, h)
	}
}

// A task's context ends when the task does, and knows no values or deadline.
func TestContextEndsWithTask(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1, Capacity: 1})
	for i := range 48 {
		var seen context.Context
		h := submit(t, e, func(w *executor.Worker) (int, error) {
			seen = w.Context()
			if seen.Err() != nil || w.Context() != seen {
				return 0, fmt.Errorf("a new task's context: %w", seen.Err())
			}
			return ending(i)
		})
		checkEnding(t, i, h)
		if seen.Err() == nil {
			t.Errorf("task %d has ended, its context has not", i)
		}
	}
}

// Wait honours a deadline, in a bubble whose clock moves only when everybody
// sleeps: the executor takes no time of its own.
func TestWaitDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := executor.New(executor.Config{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		h := submit(t, e, func(*executor.Worker) (int, error) { time.Sleep(time.Hour); return 7, nil })
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := h.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Minute {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
		if got, err := h.Wait(t.Context()); got != 7 || err != nil || time.Since(began) != time.Hour {
			t.Errorf("got %d, %v after %v", got, err, time.Since(began))
		}
		if err := e.Shutdown(t.Context()); err != nil || time.Since(began) != time.Hour {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
	})
}

// A nil function is refused by name, and takes no room.
func TestNilTask(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1, Capacity: 1})
	storage := executor.NewStorage[int](e, 1)
	nils := make([]func(*executor.Worker) (int, error), 1)
	check := func(want string, err error) {
		t.Helper()
		if !errors.Is(err, executor.ErrNilTask) || err.Error() != want+executor.ErrNilTask.Error() {
			t.Errorf("got %v, want %s ErrNilTask", err, want)
		}
	}
	for _, call := range []func() (*executor.Handle[int], error){
		func() (*executor.Handle[int], error) { return executor.Submit(background, e, nils[0]) },
		func() (*executor.Handle[int], error) { return executor.TrySubmit(e, nils[0]) },
		func() (*executor.Handle[int], error) { return storage.Submit(background, nils[0]) },
		func() (*executor.Handle[int], error) {
			return executor.SubmitPoll[int](background, e, executor.Normal, nil)
		},
		func() (*executor.Handle[int], error) { return executor.TrySubmitPoll[int](e, executor.Normal, nil) },
	} {
		_, err := call()
		check("executor: submit: ", err)
	}
	_, err := executor.SubmitAll(background, e, nils)
	check("executor: submit 1 of 1: ", err)
	if err := storage.Wait(background, func(int, int, error) { t.Error("a task that was never given") }); err != nil {
		t.Error(err)
	}
	_, err = submit(t, e, func(w *executor.Worker) (int, error) {
		_, err := storage.Spawn(w, nil)
		check("executor: spawn: ", err)
		check("executor: spawn 1 of 1: ", storage.SpawnAll(w, nils))
		_, err = executor.SpawnPoll[int](w, nil)
		check("executor: spawn: ", err)
		return executor.Spawn(w, nils[0]).Wait(background)
	}).Wait(background)
	check("", err)
}
