package executor

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/exactlyonce/certify/executor/lifecycle"
)

// Handle is the caller's side of one task. It is safe for any goroutine and
// never reused.
type Handle[R any] struct {
	head
	// fn is called and cleared by the worker that claimed the task, or
	// cleared by the cancel that won before any did.
	fn func(*Worker) (R, error)
	// result is written by the worker before the word says Completed, and
	// read only after that. A result whose end lost against a cancel is
	// cleared unread.
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
	if err := h.outcome(); err != nil {
		return none, err
	}
	return h.result, nil
}

// body is a task as the worker and the queues' slots see it, whatever its
// result type.
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

// head is what tasks of every result type have.
type head struct {
	// word decides every race about the task.
	word lifecycle.Word
	exec *Executor
	self body // the handle this head is part of

	// err is written by the worker before the word says Failed, and read only
	// after that.
	err error

	// cancelled is set once, nil to the first canceller's record, and before
	// the word says Cancelled: whoever sees that state finds the cause here.
	cancelled atomic.Pointer[cancellation]

	// ctx is set at most once, by the worker when the body asks for it.
	// Worker: store ctx, then load the word. Canceller: set the word, then
	// load ctx. So one of the two cancels the context.
	ctx atomic.Pointer[taskContext]

	// done goes nil → a waitpoint (the first waiter) → passed (the end), or
	// nil → passed. What the end wrote before is visible to who sees passed.
	done atomic.Pointer[waitpoint]
}

type cancellation struct{ cause error }

type taskContext struct {
	context.Context
	cancel context.CancelCauseFunc
}

// State is where the task is. A terminal state is announced here before Done,
// which waits until the body has left its worker.
func (h *head) State() lifecycle.State { return h.word.Load() }

// Done is closed when the task has ended and left its worker.
func (h *head) Done() <-chan struct{} { return h.waitpoint().channel() }

// Cancel ends the task as Cancelled and returns true, for exactly the call
// that did it; nil stands for ErrCancelled. A queued task never runs. A
// running one is Cancelled at once, its Worker.Context ends with cause, and
// its result is dropped when it returns. False means that it had ended, or
// that another Cancel came first.
func (h *head) Cancel(cause error) bool {
	if cause == nil {
		cause = ErrCancelled
	}
	record := &cancellation{cause}
	first := h.cancelled.CompareAndSwap(nil, record)
	// A later canceller helps the first, so that the task is terminal when
	// any Cancel returns.
	if from, won := h.word.Cancel(); won {
		h.cancelFrom(from)
	}
	return first && h.word.Load() == lifecycle.Cancelled
}

// cancelFrom does what the one winner of a cancel owes.
func (h *head) cancelFrom(from lifecycle.State) {
	outside := &h.exec.outside
	if from == lifecycle.Running || from == lifecycle.Notified {
		outside.cancelledRunning.Add(1)
		if c := h.ctx.Load(); c != nil {
			c.cancel(h.cause())
		}
		return // the worker resolves the handle when the body returns
	}
	outside.cancelledQueued.Add(1)
	h.self.release(true)
	h.resolve()
}

// cause may be called once the word says Cancelled.
func (h *head) cause() error { return h.cancelled.Load().cause }

// outcome may be called once done has passed.
func (h *head) outcome() error {
	switch h.word.Load() {
	case lifecycle.Failed:
		return h.err
	case lifecycle.Cancelled:
		return cancelError(h.cause())
	}
	return nil
}

// resolve tells the waiters. The counters include the task by now.
func (h *head) resolve() {
	if p := h.done.Swap(passed); p != nil {
		p.pass()
	}
}

func (h *head) await(ctx context.Context) error {
	if h.done.Load() == passed {
		return nil
	}
	return h.waitpoint().wait(ctx)
}

func (h *head) waitpoint() *waitpoint {
	if p := h.done.Load(); p != nil {
		return p
	}
	p := newWaitpoint()
	if h.done.CompareAndSwap(nil, p) {
		return p
	}
	return h.done.Load()
}

// context returns the body's context, made when first asked for.
func (h *head) context() context.Context {
	if c := h.ctx.Load(); c != nil {
		return c
	}
	ctx, cancel := context.WithCancelCause(h.exec.ctx)
	c := &taskContext{ctx, cancel}
	h.ctx.Store(c)
	if h.word.Load() == lifecycle.Cancelled {
		cancel(h.cause())
	}
	return c
}

// endContext frees what the context holds of the executor's.
func (h *head) endContext() {
	if c := h.ctx.Load(); c != nil {
		c.cancel(nil)
	}
}
