package scope

import (
	"fmt"
	"runtime/debug"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope/tree"
)

// endStep is how far the end of a scope has come. A close function that calls
// Goexit unwinds the end as well, which a deferred call then resumes.
type endStep uint8

const (
	running   endStep = iota
	joining           // the body has ended
	releasing         // only resources are left
	gone
)

// end takes a scope from the end of its body to its own:
//
//  1. the body has ended: the scope begins nothing any more
//  2. wait for the tasks of the children
//  3. wait for host calls, admissions, uses, and closes under way
//  4. close what is left, newest first
//  5. settle: the outcome is delivered, and the scope forgotten
//
// It runs on the goroutine of the body and waits so that the worker's place is
// free meanwhile.
func (s *Scope) end(body tree.Primary) {
	defer func() {
		if s.step != gone {
			s.end(body)
		}
	}()
	if s.step == running {
		s.bodyDone(body) // 1
		s.step = joining
	}
	if s.step == joining {
		s.joinChildren()                                                                    // 2
		s.until(func(t *tree.Tree) bool { ready, _ := t.BeginRelease(s.id); return ready }) // 3
		s.step = releasing
	}
	for s.closeNewest() { // 4
	}
	s.step = gone
	s.settle() // 5
}

// until calls try under mu, again after each change, until it returns true.
func (s *Scope) until(try func(*tree.Tree) bool) {
	for done := false; ; {
		_ = s.run.do(func(t *tree.Tree) error { done = try(t); return nil })
		if done {
			return
		}
		s.worker.Block(func() { <-s.changed })
	}
}

// bodyDone is refused only while a nested scope is open, which another
// goroutine than the body's must have opened.
func (s *Scope) bodyDone(end tree.Primary) {
	s.until(func(t *tree.Tree) bool {
		err := t.BodyDone(s.id, tree.Outcome{Primary: end, Cleanup: s.reports})
		if err == nil {
			s.reports = tree.Cleanup{}
		}
		return err == nil
	})
}

func (s *Scope) joinChildren() {
	for n := len(s.children); n > 0; n = len(s.children) {
		c := s.children[n-1]
		s.children[n-1], s.children = nil, s.children[:n-1]
		s.awaitChild(c)
	}
}

// awaitChild returns when the child's task has left its worker and the child
// is gone. One that a Stop of the executor cancelled in a queue has never run,
// and is ended here. Handle.Wait would run a queued child in this place, but
// its search for the caller's worker and a goroutine for each cost more than
// the one stand-in of Block: it took twice as long for a tree of tasks.
func (s *Scope) awaitChild(c *Scope) {
	done := c.handle.Done()
	select {
	case <-done:
	default:
		s.worker.Block(func() { <-done })
	}
	if !c.begun {
		c.worker, c.begun = s.worker, true
		c.end(tree.Primary{End: tree.Cancelled, Err: executor.ErrStopped})
	}
}

// closeNewest closes the resource that came last. It returns false if there
// was none.
func (s *Scope) closeNewest() (more bool) {
	token, value := s.claimNewest()
	if value == nil {
		return false
	}
	more = true // after a panic too
	err := executor.ErrGoexit
	defer func() {
		if value := recover(); value != nil {
			err = &executor.PanicError{Value: value, Stack: debug.Stack()}
		}
		_ = s.run.do(func(t *tree.Tree) error {
			if err != nil {
				s.reports.Add(err)
			}
			_, err := t.FinishClose(token)
			return err
		})
	}()
	err = value.(closer).shut()
	return more
}

func (s *Scope) claimNewest() (token tree.Token, value any) {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	token, ok, _ := s.run.tree.Newest(s.id)
	if ok {
		value, _, _ = s.run.tree.ClaimClose(s.id, token)
	}
	return token, value
}

// settle ends the scope. Its context ends before whoever waits learns that it
// is gone.
func (s *Scope) settle() {
	r := s.run
	r.mu.Lock()
	state, _ := r.tree.State(s.id)
	out, err := r.tree.Settle(s.id, &s.reports)
	stopped := r.takeStopped()
	delete(r.scopes, s.id)
	if s.parent != nil {
		r.wake(s.parent.id)
	}
	r.mu.Unlock()
	if err != nil {
		panic(fmt.Sprintf("scope: settle scope %d: %v", s.id, err)) // a bug of this package
	}
	s.out = out
	stopped.endContexts()
	if state.Stopped {
		s.cancel(primaryError(state.Reason)) // who stopped it may not have come as far
	}
	s.cancel(ErrClosedScope)
	close(s.done)
}
