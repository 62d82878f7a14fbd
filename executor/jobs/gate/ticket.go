package gate

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Ticket is the right to do the work of one revision and to publish its
// result, until a newer one is admitted. It is safe for any goroutine. Who
// has one ends it by Publish, Fail or Cancel, or lets its ctx end.
type Ticket[K comparable, V any] struct {
	gate   *Gate[K, V]
	entry  *entry[V] // set by admission
	rev    uint64
	ctx    context.Context
	cancel context.CancelCauseFunc

	// unfollow goes once from nil to what stops following ctx.
	//
	//	follow                  end
	//	1. store unfollow       1. end the ticket's context
	//	2. load the context     2. load unfollow
	//
	// Of the two steps 2 at least one sees the other's 1, and calls unfollow.
	unfollow atomic.Pointer[func() bool]
}

// Revision is the one that was admitted.
func (t *Ticket[K, V]) Revision() uint64 { return t.rev }

// Context ends when the ticket does. Its cause is ErrSuperseded, ErrForgotten,
// what Cancel or Fail was given, or ErrTerminal after Publish; when the ctx of
// Admit ends, that one's.
func (t *Ticket[K, V]) Context() context.Context { return t.ctx }

// Start claims the work: it returns nil once. Else the error is ErrStarted,
// ErrSuperseded, ErrCancelled, ErrTerminal or ErrForgotten.
func (t *Ticket[K, V]) Start() error {
	return t.say("start", t.move(running, pending))
}

// Publish makes v what Latest returns, unless the revision lost: then the
// error is ErrSuperseded, ErrCancelled, ErrTerminal (a Publish or Fail came
// first), ErrForgotten or ErrNotStarted, and nobody sees v. When it returns
// nil, readers see v or something newer.
func (t *Ticket[K, V]) Publish(v V) error {
	p := &value[V]{t.rev, v}
	if err := t.move(published, running); err != nil {
		return t.say("publish", err)
	}
	t.gate.step.at(won)
	t.entry.advance(p, t.gate.step)
	t.leave(ErrTerminal)
	return nil
}

// Fail ends the revision without a result; cause, or ErrTerminal for nil, is
// its context's. It loses as Publish does.
func (t *Ticket[K, V]) Fail(cause error) error {
	if err := t.move(failed, running); err != nil {
		return t.say("fail", err)
	}
	if cause == nil {
		cause = ErrTerminal
	}
	t.leave(cause)
	return nil
}

// Cancel ends the revision, started or not, and returns true for exactly the
// call that did it. The cause, or ErrCancelled for nil, is its context's.
func (t *Ticket[K, V]) Cancel(cause error) bool {
	if t.move(cancelled, pending, running) != nil {
		return false
	}
	if cause == nil {
		cause = ErrCancelled
	}
	t.leave(cause)
	return true
}

func (t *Ticket[K, V]) move(to state, from ...state) error {
	return t.entry.word.move(t.rev, to, t.gate.step, from...)
}

func (t *Ticket[K, V]) say(op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("gate: %s revision %d: %w", op, t.rev, err)
}

// leave is what the one who ended the revision owes: the key forgets the
// ticket, unless a newer one has taken its place.
func (t *Ticket[K, V]) leave(cause error) {
	t.end(cause)
	defer t.gate.step.at(unlock)
	t.gate.step.at(lock)
	t.gate.mu.Lock()
	defer t.gate.mu.Unlock()
	if t.entry.ticket == ender(t) {
		t.entry.ticket = nil
	}
}

// end ends the context; of several causes the first stays.
func (t *Ticket[K, V]) end(cause error) {
	t.cancel(cause)                             // 1
	if stop := t.unfollow.Load(); stop != nil { // 2
		(*stop)()
	}
}

// follow cancels the ticket when ctx ends, so that one that nobody ends is not
// kept by its key.
func (t *Ticket[K, V]) follow(ctx context.Context) {
	if ctx.Done() == nil {
		return
	}
	stop := context.AfterFunc(ctx, func() { t.Cancel(context.Cause(ctx)) })
	t.unfollow.Store(&stop) // 1
	if t.ctx.Err() != nil { // 2
		stop()
	}
}
