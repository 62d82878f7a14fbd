package scope

import (
	"context"
	"fmt"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope/tree"
)

// Ticket is the claim to the outcome of one task. It is used up by the first
// Join or Discard. The scope that its methods take is the caller's own, which
// must be the one that owns the task or below it.
type Ticket[R any] struct {
	token tree.Token
	child *Scope
	// result is written by the task before it settles, and read after.
	result R
}

// Join waits for the task and returns its result, or how it ended: its error,
// or one that is executor.ErrCancelled with the cause. It returns an error that
// is ErrStopped when s is stopped meanwhile, and the outcome is lost then. What
// is refused at once leaves the ticket: ErrJoinCycle when the task waits for
// that of s, ErrStopped or ErrInvalidTransition when s can begin nothing,
// ErrOutOfScope, and ErrStale when the ticket was used up.
func (t *Ticket[R]) Join(s *Scope) (R, error) { return t.JoinContext(context.Background(), s) }

// JoinContext is Join that also returns when ctx ends, with its error. The
// ticket is used up then and the outcome lost; the task goes on.
func (t *Ticket[R]) JoinContext(ctx context.Context, s *Scope) (result R, err error) {
	err = s.run.do(func(tree *tree.Tree) error { return tree.ClaimJoin(s.id, t.token) })
	if err != nil {
		return result, s.refused(fmt.Sprintf("join task %d", t.token.Key), err)
	}
	out, err := s.await(ctx, t.child)
	if err != nil {
		return result, fmt.Errorf("scope: join task %d: %w", t.token.Key, err)
	}
	if out.End == tree.Completed {
		result = t.result
	}
	return result, outcomeError(out)
}

// await waits for what s has claimed, or abandons it.
func (s *Scope) await(ctx context.Context, c *Scope) (out tree.Outcome, err error) {
	wait := func() {
		select {
		case <-c.done:
		case <-ctx.Done():
		case <-s.ctx.Done():
		}
	}
	if !c.over() && ctx.Err() == nil && s.ctx.Err() == nil {
		s.worker.Block(wait)
	}
	settled, state := false, tree.State{}
	err = s.run.do(func(t *tree.Tree) (err error) {
		state, _ = t.State(s.id)
		if out, settled, err = t.PollJoin(s.id); err == nil && !settled {
			err = t.AbandonJoin(s.id)
		}
		return err
	})
	switch {
	case err != nil:
		return out, s.refused("wait", err)
	case state.Stopped && !settled:
		return out, s.refused("wait", ErrStopped)
	case state.Stopped:
		s.cancel(primaryError(state.Reason)) // as in refused
	case !settled:
		return out, context.Cause(ctx)
	}
	return out, nil
}

func (s *Scope) over() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// Discard uses up the ticket without a wait: nobody wants the outcome.
func (t *Ticket[R]) Discard(s *Scope) error {
	err := s.run.do(func(tree *tree.Tree) error { return tree.Discard(s.id, t.token) })
	return s.refused(fmt.Sprintf("discard task %d", t.token.Key), err)
}

// Cancel stops the task as cancelled with cause, which nil makes
// executor.ErrCancelled, and leaves the ticket. When it returns, the contexts
// of all that it stopped have ended. A task that was stopped before keeps its
// reason; one that has settled is ErrStale.
func (t *Ticket[R]) Cancel(s *Scope, cause error) error {
	if cause == nil {
		cause = executor.ErrCancelled
	}
	err := s.run.do(func(tree *tree.Tree) error { return tree.Cancel(s.id, t.token, cause) })
	return s.refused(fmt.Sprintf("cancel task %d", t.token.Key), err)
}
