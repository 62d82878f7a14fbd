package executor_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

// L3: waiters of tasks that have one slot after the other. Each waits for its
// own task, comes at any time, and neither misses the end nor takes the wake
// of the next task's waiters.
func TestWaitersOfOneSlotL3(t *testing.T) {
	for _, capacity := range []int{1, 3} {
		watchdog(t)
		e := start(t, executor.Config{Workers: 2, Capacity: capacity, Seed: seed(t)})
		var slept, early atomic.Int64
		var waiters sync.WaitGroup
		for i := 0; i < rounds(10000) || slept.Load() == 0 || early.Load() == 0; i++ {
			h := submit(t, e, func(*executor.Worker) (int, error) { return i, nil })
			for k := range 3 { // they go on while the slot's next tasks run
				waiters.Go(func() {
					if h.State().Terminal() {
						early.Add(1)
					} else {
						slept.Add(1)
					}
					if k == 0 {
						<-h.Done()
					}
					if got, err := h.Wait(background); got != i || err != nil {
						t.Errorf("task %d: got %d, %v", i, got, err)
					}
				})
			}
			if i%64 == 0 {
				waiters.Wait()
			}
		}
		waiters.Wait()
	}
}

// L3: the end comes while a waiter puts its waitpoint into the slot that the
// next task gets; then the one of the next task replaces it, and so on.
func TestWaitpointIsReplacedL3(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1, Capacity: 1})
	ended, cancel := context.WithCancel(background)
	cancel()
	var old []*executor.Handle[int]
	for i := range rounds(2000) {
		gate, running := make(chan struct{}), make(chan struct{})
		h := submit(t, e, func(*executor.Worker) (int, error) { close(running); <-gate; return i, nil })
		<-running
		if _, err := h.Wait(ended); err == nil { // leaves a waitpoint that nobody is at
			t.Fatal("a gated task has ended")
		}
		done := h.Done() // finds it
		var waiters sync.WaitGroup
		for range 2 {
			waiters.Go(func() { <-done })
			waiters.Go(func() { _, _ = h.Wait(background) })
		}
		for _, o := range old[max(0, len(old)-4):] {
			<-o.Done()
			if _, err := o.Wait(ended); errors.Is(err, context.Canceled) {
				t.Fatalf("a task that has ended, with an ended context: %v", err)
			}
		}
		if i%2 == 0 && !h.Cancel(nil) {
			t.Fatal("cancel of a running task lost")
		}
		select {
		case <-done:
			t.Fatal("done while the body is on its worker")
		default:
		}
		close(gate)
		waiters.Wait()
		old = append(old, h)
	}
}

// L3, L8: a waiter of a task that is cancelled in its queue is let go at once,
// and the next waiter comes to a slot that keeps the old task for a while.
func TestWaitForCancelledInQueueL8(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1, Capacity: 2})
	for range rounds(2000) {
		release := gated(t, e)
		h := submit(t, e, nothing)
		var waiters sync.WaitGroup
		for range 2 {
			waiters.Go(func() { <-h.Done() })
			waiters.Go(func() { _, _ = h.Wait(background) })
		}
		h.Cancel(nil)
		waiters.Wait()
		if s := e.Stats(); s.Stored != 2 || s.Queued != 0 || s.Cancelled == 0 {
			t.Fatalf("%+v", s)
		}
		<-h.Done()
		release()
	}
}
