package executor

import (
	"context"
	"fmt"

	"github.com/exactlyonce/certify/executor/lifecycle"
)

// Shutdown refuses new work from outside, lets everything accepted run, the
// tasks that running tasks still spawn included, and returns when every
// worker has left. A polled task that nobody wakes holds it up. When ctx ends
// first it returns ctx's error and the drain goes on; it may be called again,
// and together with Stop. A task of the executor that calls it gets
// ErrInsideTask.
func (e *Executor) Shutdown(ctx context.Context) error {
	if e.current() != nil {
		return fmt.Errorf("executor: shutdown: %w", ErrInsideTask)
	}
	e.close()
	if err := e.left.wait(ctx); err != nil {
		return fmt.Errorf("executor: shutdown: %w", err)
	}
	e.cancel(ErrShutdown) // nothing is left under it
	return nil
}

// Stop abandons: queued tasks become Cancelled with ErrStopped and their
// handles resolve, running ones get their Context cancelled. It returns when
// every worker has left, which running tasks decide. It may be called again,
// and together with Shutdown. A task of the executor that calls it gets
// ErrInsideTask.
func (e *Executor) Stop() error {
	if e.current() != nil {
		return fmt.Errorf("executor: stop: %w", ErrInsideTask)
	}
	e.stopped.Store(true)
	e.cancel(ErrStopped)
	e.close()
	e.abandon()
	return e.left.wait(context.Background())
}

// close is the same for both, and happens once.
func (e *Executor) close() {
	e.closing.Do(func() {
		e.outside.close()
		e.light.close()
		e.room.disperse() // blocked submitters find the gate closed
		e.intake.disperse()
		e.sleep.drain()
	})
}

// abandon cancels what is queued or waits for a wake, so that handles resolve
// while the workers are still busy. What is pushed behind its back, a busy worker cancels when
// it gets there.
func (e *Executor) abandon() {
	if s := e.slab.Load(); s != nil {
		for i := range s.tasks {
			e.stopIdle(&s.tasks[i])
		}
	}
	e.light.abandon(e)
	for {
		t, ok := e.intake.pop()
		if !ok {
			break
		}
		e.cancelQueued(t)
	}
	var loot [batchMax]*Task
	for _, d := range e.deques() {
		thief := d.Stealer()
		for n, retry := thief.Steal(loot[:]); n > 0 || retry; n, retry = thief.Steal(loot[:]) {
			for _, t := range loot[:n] {
				e.cancelQueued(t)
			}
		}
	}
}

// cancelSlot ends a task that was taken from its queue. It is claimed first, for
// a waiter may be running it, and then it is not queued.
func (e *Executor) cancelQueued(t *Task) {
	if t.fn != nil {
		g := t.group
		*t = Task{}
		e.light.pool.put([]*Task{t})
		e.cancelLight(g)
	} else if x, ok := t.arg.(*slot); ok {
		e.cancelSlot(x)
	} else {
		t.arg.(stolen).handBack()
	}
}

// cancelSlot is cancelQueued for a task with a handle.
func (e *Executor) cancelSlot(t *slot) {
	h := t.unbind()
	if !t.word.Claim(h.gen) {
		t.discard(h)
		return
	}
	h.Cancel(ErrStopped)
	h.awaitSettled()
	e.outside.overridden.Add(1)
	h.self.drop()
	h.outcome = lifecycle.Cancelled
	e.retire(h, t, lifecycle.Cancelled)
}
