package executor

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/exactlyonce/certify/executor/lifecycle"
)

// Poller is the body of a task that is run in steps and holds no worker while
// it waits. Package executor/poll makes them from futures.
type Poller[R any] interface {
	// Poll goes as far as it can. Being ready, or an error, ends the task.
	// Otherwise the body has seen to it that k.Wake is called when going on may
	// be possible; a wake at any time after the call began counts. No two
	// workers poll a task at once, and a poll sees what the last one wrote.
	Poll(w *Worker, k Waker) (result R, ready bool, err error)
	// Drop releases what the body holds. It is called exactly once, however
	// the task ends and before its handle resolves: by a worker, or, when no
	// poll is under way, by who cancels the task. It must not wait for the
	// task. Its panic becomes part of the task's error.
	Drop()
}

// Waker has one polled task polled again. It may be copied, kept, and used from
// any goroutine at any time: too often, too late or not at all. It keeps the
// executor alive but nothing of the task. The zero Waker wakes nobody.
type Waker struct {
	task *slot
	gen  lifecycle.Gen
}

// Wake queues the task, unless it is queued or has ended; one that is being
// polled is polled once more.
func (k Waker) Wake() {
	if t := k.task; t != nil && t.word.Schedule(k.gen) {
		t.exec.outside.roused.Add(1)
		t.exec.requeue(t)
	}
}

// Waker returns the waker of the task, which is of use if that is polled.
func (h *head) Waker() Waker { return Waker{h.task, h.gen} }

// SubmitPoll is SubmitAt for a task that is run in steps. It has its slot until
// it ends.
func SubmitPoll[R any](ctx context.Context, e *Executor, p Priority, body Poller[R]) (*Handle[R], error) {
	return submitPoll(e, p, body, func(h *head) error { return e.submit(ctx, h) })
}

// TrySubmitPoll is SubmitPoll that returns ErrSaturated instead of waiting.
func TrySubmitPoll[R any](e *Executor, p Priority, body Poller[R]) (*Handle[R], error) {
	return submitPoll(e, p, body, e.submitNow)
}

func submitPoll[R any](e *Executor, p Priority, body Poller[R], submit func(*head) error) (*Handle[R], error) {
	h := newPolled(p, body)
	err := ErrNilTask
	if body != nil {
		err = e.intake.admits(p)
	}
	if err == nil {
		e.sleep.away.Add(1)
		if err = submit(&h.head); err != nil {
			e.pollOver()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("executor: submit: %w", err)
	}
	return &h.Handle, nil
}

// SpawnPoll is Spawn for a task that is run in steps. It cannot run in place:
// when all slots are taken it returns ErrSaturated, and body is refused.
func SpawnPoll[R any](w *Worker, body Poller[R]) (*Handle[R], error) {
	if body == nil {
		return nil, fmt.Errorf("executor: spawn: %w", ErrNilTask)
	}
	h := newPolled(Normal, body)
	w.exec.sleep.away.Add(1)
	t := w.exec.slots().take(&w.place, &h.head)
	if t == nil {
		w.exec.pollOver()
		return nil, fmt.Errorf("executor: spawn: %w", ErrSaturated)
	}
	w.push(&t.Task)
	return &h.Handle, nil
}

// polled is a handle whose task is run in steps. From Claim to Pend body is the
// worker's, which the word's swaps order; from Cancel on it is the winner's.
type polled[R any] struct {
	Handle[R]
	body    Poller[R] // nil once it was dropped
	dropped error     // what Drop panicked with
}

func newPolled[R any](p Priority, b Poller[R]) *polled[R] {
	h := &polled[R]{body: b}
	h.self, h.polled, h.priority = h, true, p
	return h
}

// errPending is what call returns for a poll that is not ready.
var errPending = errors.New("executor: pending")

func (h *polled[R]) call(w *Worker) error {
	result, ready, err := h.body.Poll(w, Waker{h.task, h.gen})
	if err == nil && !ready {
		return errPending
	}
	if h.release(); h.dropped != nil {
		return errors.Join(err, h.dropped)
	}
	h.result = result
	return err
}

func (h *polled[R]) drop() {
	var none R
	h.result = none
	h.release()
}

// release drops the body, once.
func (h *polled[R]) release() {
	b := h.body
	if b == nil {
		return
	}
	h.body = nil
	defer func() {
		if value := recover(); value != nil {
			h.dropped = &PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	b.Drop()
}

func (h *polled[R]) fault() error { return h.dropped }

func (h *polled[R]) name() string { return fmt.Sprintf("%T", h.body) }

// pend is the end of a poll that was not ready. Once the word is Idle or Queued
// the task is another worker's.
func (w *Worker) pend(h *head) {
	t, e := h.task, w.exec
	for again := false; ; again = true {
		t.head = h // for whoever takes it to Queued next, or finds it there
		next := t.word.Pend(h.gen, again)
		switch next {
		case lifecycle.Park:
			w.now = nil
			w.n.idled.Add(1)
			if e.stopped.Load() { // Stop may have looked before the word was Idle
				e.stopIdle(t)
			}
			return
		case lifecycle.Requeue:
			w.now = nil
			e.requeue(t)
			return
		}
		t.head = nil
		err := ErrCancelled
		if next == lifecycle.Again {
			err = h.self.call(w)
		}
		if err != errPending {
			w.end(h, err)
			return
		}
	}
}

// requeue puts a polled task behind all others of its priority. It is the only
// one to have the task, and a queue has it when requeue returns.
func (e *Executor) requeue(t *slot) {
	if !e.intake.push(&t.Task, t.head.priority) {
		e.intake.overflow.push(&t.Task)
	}
	e.published()
}

// retire is free for a task that may be a polled one.
func (e *Executor) retire(h *head, t *slot, end lifecycle.State) {
	polled := h.polled // h may be in use again once it is free
	e.free(t, h.gen, end)
	if polled {
		e.pollOver()
	}
}

// pollOver is the end of a polled task, after its room was given back. Until
// then workers stay, also those of a draining executor: see sleepers.away.
func (e *Executor) pollOver() {
	e.sleep.away.Add(-1)
	if e.sleep.word.Load()&draining != 0 {
		e.sleep.wakeOne() // to see whether it is time to leave
	}
}

// stopIdle cancels the task in a slot if it waits for a wake. Who takes it from
// Idle to Queued owes it a place in a queue, or its end.
func (e *Executor) stopIdle(t *slot) {
	if g, s := t.word.Load(); s == lifecycle.Idle && t.word.Schedule(g) {
		e.outside.roused.Add(1)
		e.cancelSlot(t)
	}
}
