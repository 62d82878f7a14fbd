package scope

import (
	"fmt"
	"sync/atomic"

	"github.com/exactlyonce/certify/executor/scope/tree"
)

// HostCall is a call out of the tree that is in flight: a callback that will
// come, a request that another goroutine serves.
type HostCall struct {
	scope *Scope
	ended atomic.Bool // false to true, by the End that counts
}

// Host begins a host call. The scope does not end before it, stopped or not.
func (s *Scope) Host() (*HostCall, error) {
	err := s.run.do(func(t *tree.Tree) error { return t.BeginHost(s.id) })
	if err != nil {
		return nil, s.refused("host call", err)
	}
	return &HostCall{scope: s}, nil
}

// End ends the host call. Any goroutine may call it, once: later calls return
// an error that is ErrInvalidTransition.
func (h *HostCall) End() error {
	s := h.scope
	if !h.ended.CompareAndSwap(false, true) {
		return fmt.Errorf("scope: end host call of scope %d: ended before: %w", s.id, ErrInvalidTransition)
	}
	return s.run.do(func(t *tree.Tree) error {
		s.run.wake(s.id)
		return t.EndHost(s.id)
	})
}
