package tree

import "errors"

// The answers to a call that cannot be done. Each has changed nothing.
var (
	// ErrClosedScope: the scope is gone, or takes no more resources.
	ErrClosedScope = errors.New("scope: closed")
	// ErrStopped: the scope was stopped and begins nothing new.
	ErrStopped = errors.New("scope: stopped")
	// ErrStale: the token is of another run, used up, or of something gone.
	ErrStale = errors.New("scope: stale token")
	// ErrOutOfScope: the token's owner does not enclose the calling scope.
	ErrOutOfScope = errors.New("scope: out of scope")
	// ErrJoinCycle: whoever waits would wait for itself.
	ErrJoinCycle = errors.New("scope: tasks join in a cycle")
	// ErrInvalidTransition: the scope or resource is in the wrong phase.
	ErrInvalidTransition = errors.New("scope: invalid transition")
	// ErrExhausted: no number or counter is left.
	ErrExhausted = errors.New("scope: numbers exhausted")
)

// ErrOwnerStopped is the reason of a scope that was cancelled because one
// above it was stopped.
var ErrOwnerStopped = errors.New("scope: owner stopped")
