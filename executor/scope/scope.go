package scope

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope/tree"
)

// Scope is what a body receives. Worker, Nested, Go, Spawn and joins are only
// for the goroutine of the body that received it, as its Worker is: a child
// spawns in its own scope, not in its parent's. All else is for any goroutine.
type Scope struct {
	run    *run
	parent *Scope  // nil for the root
	id     tree.ID // set under mu when the tree knows it; read by who was given the scope later
	ctx    context.Context
	cancel context.CancelCauseFunc

	// worker and begun are written when the body begins, or by the owner of a
	// task that was cancelled before, when that has ended.
	worker *executor.Worker
	begun  bool

	// children are those that may not have left their workers; kept is how many
	// there may be before it is worth looking. Both are the body's goroutine's.
	children []*Scope
	kept     int
	handle   *executor.Handle[struct{}] // of a spawned one; set before Spawn returns

	step endStep      // the body's goroutine's
	out  tree.Outcome // written before done is closed

	reports       tree.Cleanup // guarded by mu
	why           tree.Primary // guarded by mu until set, once, with stoppedBefore
	stoppedBefore *Scope       // belongs to who stopped it

	changed chan struct{} // holds one; filled under mu, by whatever ends in the scope
	done    chan struct{} // closed when the scope is gone
}

// scopeContext ends when its scope is stopped, or gone.
type scopeContext struct {
	context.Context
	run context.Context
}

// Deadline is that of Run's context.
func (c scopeContext) Deadline() (time.Time, bool) { return c.run.Deadline() }

func (r *run) newScope(parent *Scope) *Scope {
	ctx, cancel := context.WithCancelCause(r.base)
	return &Scope{run: r, parent: parent, ctx: scopeContext{ctx, r.ctx}, cancel: cancel, changed: make(chan struct{}, 1), done: make(chan struct{})}
}

// Context ends when the scope is stopped, and context.Cause tells why: the
// failure that stopped it, or an error that is executor.ErrCancelled with the
// cause. It also ends, with ErrClosedScope, when the scope is gone. It has the
// values and the deadline of Run's context.
func (s *Scope) Context() context.Context { return s.ctx }

// Worker is the worker of the task that the body is part of. A body that has
// to block on anything else than this package's calls does it in its Block.
func (s *Scope) Worker() *executor.Worker { return s.worker }

// Nested calls body, in the same task, with a scope of its own, and returns
// when everything in that has ended. Until then s can begin nothing. A failure
// of the nested scope is one of s.
func (s *Scope) Nested(body func(*Scope) error) error {
	if body == nil {
		return fmt.Errorf("scope: nested in scope %d: body is nil: %w", s.id, ErrInvalidTransition)
	}
	n := s.run.newScope(s)
	err := s.run.do(func(t *tree.Tree) (err error) {
		if n.id, err = t.Nested(s.id); err == nil {
			s.run.scopes[n.id] = n
		}
		return err
	})
	if err != nil {
		return s.refused("nested", err)
	}
	return n.begin(s.worker, body)
}

// Cancel stops the scope as cancelled with cause, which nil makes
// executor.ErrCancelled. A scope that was stopped before keeps its reason. An
// error means that the scope is gone.
func (s *Scope) Cancel(cause error) error {
	if cause == nil {
		cause = executor.ErrCancelled
	}
	return s.refused("cancel", s.stop(tree.Primary{End: tree.Cancelled, Err: cause}))
}

func (s *Scope) stop(why tree.Primary) error {
	return s.run.do(func(t *tree.Tree) error {
		_, err := t.Stop(s.id, why)
		return err
	})
}

// Report adds an error of cleaning up to those of the scope, unless it is nil.
// It does not stop the scope, and makes it fail in the end if nothing else
// did. An error means that the scope is gone.
func (s *Scope) Report(err error) error {
	if err == nil {
		return nil
	}
	return s.refused("report", s.run.do(func(t *tree.Tree) error {
		_, gone := t.State(s.id)
		if gone == nil {
			s.reports.Add(err)
		}
		return gone
	}))
}

// begin calls the body on its goroutine and ends the scope, whatever the body
// does. After a Goexit it does not return.
func (s *Scope) begin(w *executor.Worker, body func(*Scope) error) (err error) {
	s.worker, s.begun = w, true
	end := tree.Primary{End: tree.Failed, Err: executor.ErrGoexit}
	defer func() {
		if value := recover(); value != nil {
			end.Err = &executor.PanicError{Value: value, Stack: debug.Stack()}
		}
		s.end(end)
		err = outcomeError(s.out)
	}()
	end = s.call(body)
	return nil
}

// call calls the body, unless the scope was stopped before.
func (s *Scope) call(body func(*Scope) error) tree.Primary {
	s.run.mu.Lock()
	state, _ := s.run.tree.State(s.id)
	s.run.mu.Unlock()
	if state.Stopped {
		return state.Reason
	}
	if err := body(s); err != nil {
		return tree.Primary{End: tree.Failed, Err: err}
	}
	return tree.Primary{}
}
