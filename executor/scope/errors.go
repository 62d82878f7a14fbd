package scope

import (
	"errors"
	"fmt"
	"strings"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope/tree"
)

// The errors that callers branch on, through errors.Is. A call that returns
// one has changed nothing, but for a join that had begun to wait.
var (
	// ErrClosedScope: the scope is gone, or takes no more resources.
	ErrClosedScope = tree.ErrClosedScope
	// ErrStopped: the scope was stopped and begins nothing; the reason is
	// wrapped beside it.
	ErrStopped = tree.ErrStopped
	// ErrStale: the ticket, resource or admission is of another run, used up,
	// or gone.
	ErrStale = tree.ErrStale
	// ErrOutOfScope: the scope is not inside the one that owns what it names.
	ErrOutOfScope = tree.ErrOutOfScope
	// ErrJoinCycle: whoever waits would wait for itself.
	ErrJoinCycle = tree.ErrJoinCycle
	// ErrInvalidTransition: the scope or resource is in the wrong phase, or a
	// body is nil.
	ErrInvalidTransition = tree.ErrInvalidTransition
	// ErrExhausted: no number or counter is left.
	ErrExhausted = tree.ErrExhausted
)

// ErrOwnerStopped is, beside executor.ErrCancelled, the cause of a scope that
// was cancelled because one above it was stopped.
var ErrOwnerStopped = tree.ErrOwnerStopped

// CleanupError is the end of a scope with the errors of cleaning up that are
// delivered with it.
type CleanupError struct {
	Primary error   // how the scope ended; never nil
	Errors  []error // the first tree.Kept of them, without one that is Primary
	Omitted uint64  // how many there were besides
}

func (e *CleanupError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v; cleaning up:", e.Primary)
	for i, err := range e.Errors {
		if i > 0 {
			b.WriteString(";")
		}
		fmt.Fprintf(&b, " %v", err)
	}
	if e.Omitted > 0 {
		fmt.Fprintf(&b, "; and %d more", e.Omitted)
	}
	return b.String()
}

// Unwrap returns Primary and then Errors.
func (e *CleanupError) Unwrap() []error { return append([]error{e.Primary}, e.Errors...) }

// primaryError is how an end looks to callers, and the cause of the context of
// a scope that was stopped for it.
func primaryError(p tree.Primary) error {
	if p.End != tree.Cancelled || errors.Is(p.Err, executor.ErrCancelled) {
		return p.Err
	}
	return fmt.Errorf("%w: %w", executor.ErrCancelled, p.Err)
}

func outcomeError(out tree.Outcome) error {
	primary, errs := primaryError(out.Primary), out.Cleanup.Errors()
	if len(errs) == 0 && out.Cleanup.Omitted() == 0 {
		return primary
	}
	return &CleanupError{primary, errs, out.Cleanup.Omitted()}
}

// refused says what was refused, where, and in which state.
func (s *Scope) refused(op string, err error) error {
	if err == nil {
		return nil
	}
	s.run.mu.Lock()
	state, gone := s.run.tree.State(s.id)
	s.run.mu.Unlock()
	switch {
	case err == ErrStopped:
		why := primaryError(state.Reason)
		s.cancel(why) // whoever learns of the stop finds the context ended
		return fmt.Errorf("scope: %s in scope %d: %w: %w", op, s.id, err, why)
	case gone != nil:
		return fmt.Errorf("scope: %s in scope %d, which is gone: %w", op, s.id, err)
	}
	return fmt.Errorf("scope: %s in scope %d, %s: %w", op, s.id, describe(state), err)
}

func describe(state tree.State) string {
	switch {
	case state.Nested != 0:
		return fmt.Sprintf("whose nested scope %d is open", state.Nested)
	case state.Waits != 0:
		return fmt.Sprintf("which waits for task %d", state.Waits)
	case state.Stopped:
		return "which is stopped and " + state.Phase.String()
	}
	return "which is " + state.Phase.String()
}
