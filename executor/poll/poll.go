// Package poll is for tasks that wait without holding a worker: futures that an
// executor polls, and wakers that have them polled again.
//
//	h, err := poll.Submit(ctx, e, poll.Then(poll.Receive(requests),
//		func(r Request) poll.Future[Reply] { return poll.Until(r.Context, fetch(r)) }))
//	reply, err := h.Wait(ctx)
//
// A million such tasks that wait are a million slots and no goroutine, unless
// they wait for something that only a goroutine can wait for: a channel, or the
// handle of another task.
//
// The rules between a future and who polls it are Rust's, with one change: what
// ends with an error is ready too.
//
//   - A future that is not ready has seen to it that the waker of its last
//     poll is woken when it may be. A wake counts from the moment that the poll
//     begins; one too many costs a poll, one too few is a task that waits for
//     ever.
//   - A future does nothing before its first poll, and is not polled by two
//     goroutines at once.
//   - A future that is ready, or has failed, is not polled again; those of this
//     package say ErrEnded to it. One that will not be polled again is dropped,
//     ready or not, exactly once if it is a Dropper.
//
// Polls must be short: they run on the executor's workers. What blocks belongs
// into executor.Worker.Block, or in a task of its own with Of.
package poll

import (
	"context"
	"errors"
	"fmt"

	"github.com/exactlyonce/certify/executor"
)

// Future is a value that may not be there yet.
type Future[T any] interface {
	// Poll returns the value and true, or an error. Neither means that it is not
	// there yet, and that c's waker will be woken.
	Poll(c *Context) (value T, ready bool, err error)
}

// Dropper is a Future that holds what must be let go of: a timer, a goroutine.
// Drop is called once, when it has ended or will not be polled any more, never
// during a poll. A combinator drops what it was made of.
type Dropper interface{ Drop() }

// The errors that callers branch on, through errors.Is.
var (
	// ErrEnded: the future had ended before this poll.
	ErrEnded = errors.New("polled after its end")
	// ErrNoWaker: a future that has to wait was polled with a nil or zero Context.
	ErrNoWaker = errors.New("no waker")
	// ErrNilFuture: a future, or the function that it was to be made of, is nil.
	ErrNilFuture = errors.New("nil future")
	// ErrClosed: the channel is closed.
	ErrClosed = errors.New("channel closed")
)

// Context is what a poll is told. It is valid until the poll returns; its Waker
// is for ever.
type Context struct {
	worker *executor.Worker
	ctx    context.Context
	waker  Waker
}

// Waker has the future polled again that is being polled.
func (c *Context) Waker() Waker { return c.waker }

// Worker is the worker that polls, or nil under Block.
func (c *Context) Worker() *executor.Worker { return c.worker }

// Context ends when the task is cancelled or the executor stopped, with the
// cause. Under Block it is the context given there.
func (c *Context) Context() context.Context {
	if c.worker != nil {
		return c.worker.Context()
	}
	return c.ctx
}

// check is for futures that are about to need a waker.
func (c *Context) check(op string) error {
	if c == nil || c.waker.target == nil {
		return fmt.Errorf("poll: %s: %w", op, ErrNoWaker)
	}
	return nil
}

// Submit gives f to the executor from outside, which polls it until it has
// ended. It is refused like a task of executor.Submit, and then not dropped.
func Submit[T any](ctx context.Context, e *executor.Executor, f Future[T]) (*executor.Handle[T], error) {
	return SubmitAt(ctx, e, executor.Normal, f)
}

// SubmitAt is Submit for a future whose polls are not of Normal priority.
func SubmitAt[T any](ctx context.Context, e *executor.Executor, p executor.Priority, f Future[T]) (*executor.Handle[T], error) {
	if f == nil {
		return nil, fmt.Errorf("poll: submit: %w", ErrNilFuture)
	}
	return executor.SubmitPoll(ctx, e, p, &task[T]{future: f})
}

// TrySubmit is Submit that returns executor.ErrSaturated instead of waiting.
func TrySubmit[T any](e *executor.Executor, f Future[T]) (*executor.Handle[T], error) {
	if f == nil {
		return nil, fmt.Errorf("poll: submit: %w", ErrNilFuture)
	}
	return executor.TrySubmitPoll(e, executor.Normal, &task[T]{future: f})
}

// Spawn gives f to the worker's own deque from inside a task. When no slot is
// free it returns executor.ErrSaturated.
func Spawn[T any](w *executor.Worker, f Future[T]) (*executor.Handle[T], error) {
	if f == nil {
		return nil, fmt.Errorf("poll: spawn: %w", ErrNilFuture)
	}
	return executor.SpawnPoll(w, &task[T]{future: f})
}

// task is a future as the executor sees it.
type task[T any] struct {
	future  Future[T]
	context Context // made by the first poll
}

func (t *task[T]) Poll(w *executor.Worker, k executor.Waker) (T, bool, error) {
	if t.context.waker.target == nil {
		t.context.waker = Waker{&root{k}}
	}
	t.context.worker = w
	return t.future.Poll(&t.context)
}

func (t *task[T]) Drop() { drop(t.future) }

// drop lets go of a future that will not be polled any more.
func drop[T any](f Future[T]) {
	if d, ok := f.(Dropper); ok {
		d.Drop()
	}
}
