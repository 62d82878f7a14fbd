package executor

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/exactlyonce/certify/executor/lifecycle"
)

// Handle is the caller's side of one task. It is safe for any goroutine.
type Handle[R any] struct {
	head
	// fn is called and cleared by the worker that claimed the task, or
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
	var none R
	if err := h.await(ctx); err != nil {
		return none, fmt.Errorf("executor: wait: %w", err)
	}
	switch h.State() {
	case lifecycle.Failed:
		return none, h.err
	case lifecycle.Cancelled:
		return none, cancelError(h.cancelled.Load().cause)
	}
	return h.result, nil
}

// body is a task as the worker and the slot see it, whatever its result type.
type body interface {
	common() *head
	call(*Worker) error // runs the function and keeps its result
	release(drop bool)  // forgets the function, and with drop the result
}

func (h *Handle[R]) common() *head { return &h.head }

func (h *Handle[R]) call(w *Worker) (err error) {
	h.result, err = h.fn(w)
	return err
}

func (h *Handle[R]) release(drop bool) {
	h.fn = nil
	if drop {
		var none R
		h.result = none
	}
}

// head is what handles of every result type have.
type head struct {
	task *Task // nil: it ran in place and has ended
	gen  lifecycle.Gen
	self body // the handle this head is part of

	// outcome and err are written by the worker before it recycles the
	// task's word, and read only by who saw the generation move on.
	outcome lifecycle.State
	err     error

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
}

// bind gives the task the slot that was taken for it, before it is queued.
func (h *head) bind(t *Task) {
	h.task, h.gen = t, t.gen
	t.body = h.self
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
	if h.task == nil {
		return h.outcome
	}
	if g, s := h.task.word.Load(); g == h.gen {
		return s
	}
	if c := h.cancelled.Load(); c != nil && c.settled.Load() && c.queued {
		return lifecycle.Cancelled
	}
	return h.outcome
}

// left tells whether the task has ended and left its worker.
func (h *head) left() bool {
	if h.task == nil {
		return true
	}
	if g, s := h.task.word.Load(); g == h.gen {
		return s == lifecycle.Cancelled && h.settledQueued()
	}
	return true
}

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
	if h.left() {
		return nil
	}
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
	h.self.release(true)
	c.queued = true
	task, g := h.task, h.gen // h may be in use again once it is settled
	c.settled.Store(true)
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
	h.ctx.Store(c)                                         // 1
	if h.task != nil && h.State() == lifecycle.Cancelled { // 2
		cancel(h.cancelled.Load().cause)
	}
	return c
}

// endContext lets go of what the context holds of the executor's.
func (h *head) endContext() {
	if c := h.ctx.Load(); c != nil {
		c.cancel(nil)
	}
}
