package executor

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/exactlyonce/certify/executor/lifecycle"
)

// Handle is the caller's side of one task. It is safe for any goroutine.
type Handle[R any] struct {
	head
	// fn is called and then cleared by the worker that claimed the task, or
	// cleared by the cancel that won before any did.
	fn func(*Worker) (R, error)
	// result is written by the worker before the task's end is visible, and
	// read only after. A result whose end lost against a cancel is cleared
	// unread.
	result R
}

// Wait returns the task's result once it has ended and left its worker, or an
// error: the task's own, a *PanicError, ErrGoexit, one that is ErrCancelled
// and wraps the cause, or ctx's if that ends first, which says nothing about
// the task.
func (h *Handle[R]) Wait(ctx context.Context) (R, error) {
	s, over := h.ended()
	if !over {
		if err := h.await(ctx); err != nil {
			var none R
			return none, fmt.Errorf("executor: wait: %w", err)
		}
		s, _ = h.ended()
	}
	return h.result, h.outcomeError(s)
}

// outcomeError is the error of a task that ended as s. Its result is the zero
// value then.
func (h *head) outcomeError(s lifecycle.State) error {
	switch s {
	case lifecycle.Failed:
		return h.err
	case lifecycle.Cancelled:
		err := cancelError(h.cancelled.Load().cause)
		if fault := h.self.fault(); fault != nil {
			return errors.Join(err, fault)
		}
		return err
	}
	return nil
}

// body is the part of a task that depends on its result type.
type body interface {
	call(*Worker) error // runs the function, keeps its result and forgets it
	drop()              // forgets function and result
	fault() error       // what was wrong about that
	name() string       // of the function, while it is not forgotten
}

func (h *Handle[R]) call(w *Worker) (err error) {
	h.result, err = h.fn(w)
	h.fn = nil // not before: name reads it while the task waits
	return err
}

func (h *Handle[R]) fault() error { return nil }

func (h *Handle[R]) name() string { return functionName(h.fn) }

func (h *Handle[R]) drop() {
	var none R
	h.fn, h.result = nil, none
}

// head is what handles of every result type have.
type head struct {
	task *slot // nil: it ran in place and has ended
	gen  lifecycle.Gen
	self body // the handle this head is part of

	// outcome and err are written by whoever recycles the task's word, before
	// that, and read only by who saw the generation move on.
	outcome lifecycle.State
	// priority and polled (see poll.go) are written before the task is accepted.
	priority Priority
	polled   bool
	err      error

	// cancelled goes once from nil to the first canceller's record, before
	// the word says Cancelled: who sees that state finds the cause here.
	cancelled atomic.Pointer[cancellation]

	// ctx is set at most once, by the worker, when the body asks for it.
	//
	//	worker             canceller
	//	1. store ctx       1. make the word Cancelled
	//	2. load the word   2. load ctx
	//
	// Of the two steps 2 at least one sees the other side's 1 and cancels.
	ctx atomic.Pointer[taskContext]
	// helped: its waiter runs it, or has. Written by the waiter, which the end
	// publishes.
	helped bool
	// over goes from false to true when a helped task has ended.
	over atomic.Bool

	// asked is the worker's note that it has set ctx, which is cheaper to look
	// at, until the task's end is visible.
	asked bool
}

// cancellation is the record of a cancel.
type cancellation struct {
	cause error
	// queued is written before settled is set: the body never ran, and the
	// handle is resolved.
	queued bool
	// settled goes from false to true when the winner has done all it owes:
	// until then the worker neither recycles the word nor resolves the handle.
	settled atomic.Bool
}

type taskContext struct {
	context.Context
	cancel context.CancelCauseFunc
}

// State is where the task is. A terminal state shows here before Done, which
// waits until the body has left its worker.
func (h *head) State() lifecycle.State {
	s, over := h.ended()
	if !over {
		if g, now := h.task.word.Load(); g == h.gen {
			return now
		}
		s, _ = h.ended() // meanwhile
	}
	return s
}

// ended tells whether the task has ended and left its worker, and how.
func (h *head) ended() (s lifecycle.State, over bool) {
	t := h.task
	if t == nil {
		return h.outcome, true
	}
	g, s := t.word.Load()
	if g != h.gen {
		return h.outcome, true
	}
	return s, s.Terminal() && (h.over.Load() || s == lifecycle.Cancelled && h.settledQueued())
}

func (h *head) left() bool { _, over := h.ended(); return over }

// recycled tells whether nobody but the holders of the handle knows it any
// more: the task has ended and no queue has its slot.
func (h *head) recycled() bool {
	if h.task == nil {
		return true
	}
	g, _ := h.task.word.Load()
	return g != h.gen
}

func (h *head) settledQueued() bool {
	c := h.cancelled.Load()
	return c.settled.Load() && c.queued
}

// Done is closed when the task has ended and left its worker.
func (h *head) Done() <-chan struct{} {
	if h.left() {
		return closed
	}
	p := h.task.waitpoint(h.gen)
	if h.left() {
		return closed
	}
	return p.channel()
}

func (h *head) await(ctx context.Context) error {
	if soon(h.left) {
		return nil
	}
	if w := h.task.exec.current(); w != nil {
		return w.await(ctx, h)
	}
	return h.block(ctx)
}

// block is await for a goroutine that may sleep.
func (h *head) block(ctx context.Context) error {
	p := h.task.waitpoint(h.gen) // 1
	if h.left() {                // 2
		return nil
	}
	return p.wait(ctx) // 3
}

// Cancel ends the task as Cancelled and returns true, for exactly the call
// that did it; nil stands for ErrCancelled. A queued task never runs. A
// running one is Cancelled at once, its Worker.Context ends with cause, and
// its result is dropped when it returns. False means that it had ended, or
// that another Cancel came first.
func (h *head) Cancel(cause error) bool {
	if h.left() {
		return false
	}
	if cause == nil {
		cause = ErrCancelled
	}
	first := h.cancelled.CompareAndSwap(nil, &cancellation{cause: cause})
	// A later canceller helps the first, so that the task is terminal when
	// any Cancel returns.
	if from, won := h.task.word.Cancel(h.gen); won {
		h.settle(from)
	}
	return first && h.State() == lifecycle.Cancelled
}

// settle does what the one winner of a cancel owes.
func (h *head) settle(from lifecycle.State) {
	c, outside := h.cancelled.Load(), &h.task.exec.outside
	if from == lifecycle.Running || from == lifecycle.Notified {
		outside.cancelledRunning.Add(1)
		if ctx := h.ctx.Load(); ctx != nil { // 2
			ctx.cancel(c.cause)
		}
		c.settled.Store(true)
		return // the worker resolves the handle when the body returns
	}
	outside.cancelledQueued.Add(1)
	if ctx := h.ctx.Load(); ctx != nil { // of an earlier poll
		ctx.cancel(c.cause)
	}
	h.self.drop()
	c.queued = true
	task, g := h.task, h.gen // h may be in use again once it is settled
	c.settled.Store(true)
	if from == lifecycle.Idle {
		outside.roused.Add(1)
		task.discard(task.unbind()) // no queue has it
	}
	task.wake(g)
}

// awaitSettled is for the worker that found its task Cancelled: the winner is
// a few instructions from the end of settle.
func (h *head) awaitSettled() {
	for !h.cancelled.Load().settled.Load() {
		runtime.Gosched()
	}
}

// context returns the body's context, made when first asked for.
func (h *head) context(parent context.Context) context.Context {
	if c := h.ctx.Load(); c != nil {
		return c
	}
	ctx, cancel := context.WithCancelCause(parent)
	c := &taskContext{ctx, cancel}
	h.asked = true
	h.ctx.Store(c)                                         // 1
	if h.task != nil && h.State() == lifecycle.Cancelled { // 2
		cancel(h.cancelled.Load().cause)
	}
	return c
}

// endContext lets go of what the context holds of the executor's.
func (h *head) endContext() { h.ctx.Load().cancel(nil) }
