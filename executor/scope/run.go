package scope

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope/tree"
)

// runs counts the runs of the process: a token names its run, so that one of
// another run is no token of this one.
var runs atomic.Uint64

// run is what the scopes of one call of Run share.
type run struct {
	ctx  context.Context // Run's
	base context.Context // the same without its end: scopes are stopped, they do not end by themselves

	// mu guards the tree, scopes, and what says so in Scope. While it is held
	// nothing is called but the tree, so no code of a user's runs under it.
	mu     sync.Mutex
	tree   *tree.Tree
	scopes map[tree.ID]*Scope // that are not gone
}

// Run calls body as a task of e, with the root of a new tree of scopes, and
// returns when everything in it has ended. It returns nil if that is how it
// ended; else the first failure that climbed to the root, or an error that is
// executor.ErrCancelled with the cause: of ctx, which stops the root when it
// ends, or executor.ErrStopped. Errors of cleaning up are in a *CleanupError
// around it. A body that e refuses never runs; a full e makes Run wait.
//
// Inside a task of e, prefer Nested: of tasks that each wait for room for a
// Run, in an e that they fill, none gets it.
func Run(ctx context.Context, e *executor.Executor, body func(*Scope) error) error {
	if body == nil {
		return fmt.Errorf("scope: run: body is nil: %w", ErrInvalidTransition)
	}
	r := &run{ctx: ctx, base: context.WithoutCancel(ctx), tree: tree.New(runs.Add(1)), scopes: map[tree.ID]*Scope{}}
	root := r.newScope(nil)
	root.id = r.tree.Root()
	r.scopes[root.id] = root
	h, err := executor.Submit(ctx, e, func(w *executor.Worker) (none struct{}, err error) {
		defer root.watch(w)()
		return none, root.begin(w, func(s *Scope) error {
			err := body(s)
			s.notice(ctx)
			s.notice(w.Context())
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("scope: run: %w", err)
	}
	defer context.AfterFunc(ctx, func() { h.Cancel(context.Cause(ctx)) })()
	_, err = h.Wait(context.Background())
	select {
	case <-h.Done():
	default: // a *executor.CycleError: Run was called by a task that something in it waits for
		h.Cancel(err)
		<-h.Done()
	}
	if !root.begun {
		return fmt.Errorf("scope: run: %w", err)
	}
	return outcomeError(root.out)
}

// watch stops the root when its task is cancelled, by the end of Run's ctx or
// a Stop of the executor. It returns what ends the watch.
func (s *Scope) watch(w *executor.Worker) (end func()) {
	ctx, over := w.Context(), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(over)
		s.notice(ctx)
	})
	return func() {
		if !stop() {
			<-over
		}
	}
}

// notice stops the root if ctx has ended: the body may have seen it before the
// watch did.
func (s *Scope) notice(ctx context.Context) {
	if ctx.Err() != nil {
		_ = s.stop(tree.Primary{End: tree.Cancelled, Err: context.Cause(ctx)})
	}
}

// do calls op under mu, and ends the contexts of the scopes that it stopped,
// after mu: their ends are seen by code of users'.
func (r *run) do(op func(*tree.Tree) error) error {
	r.mu.Lock()
	err := op(r.tree)
	stopped := r.takeStopped()
	r.mu.Unlock()
	stopped.endContexts()
	return err
}

// takeStopped links the scopes that were stopped since the last call, those
// farthest below first. mu is held.
func (r *run) takeStopped() (first *Scope) {
	for id, why, ok := r.tree.NextStopped(); ok; id, why, ok = r.tree.NextStopped() {
		s := r.scopes[id]
		s.why, s.stoppedBefore = why, first
		first = s
	}
	return first
}

// endContexts is for who took the list: a scope is stopped once.
func (s *Scope) endContexts() {
	for s != nil {
		s.cancel(primaryError(s.why))
		s, s.stoppedBefore = s.stoppedBefore, nil
	}
}

// wake lets a scope that waits in until look again. mu is held.
func (r *run) wake(id tree.ID) {
	if s := r.scopes[id]; s != nil {
		select {
		case s.changed <- struct{}{}:
		default: // it will look anyway
		}
	}
}
