package scope

import (
	"context"
	"fmt"

	"github.com/exactlyonce/certify/executor/scope/tree"
)

// Resource is a value that a scope owns, and closes when it ends. It may be
// used in the owner and in all scopes below it.
type Resource[B any] struct {
	tok tree.Token
	// value and shutting are written before the resource is published, and
	// cleared by its one closer, when nobody uses it or can any more.
	value    B
	shutting func(B) error
}

// closer is a Resource for whoever does not know its type.
type closer interface{ shut() error }

func (r *Resource[B]) token() tree.Token { return r.tok }

func (r *Resource[B]) shut() error {
	value, shutting := r.value, r.shutting
	var none B
	r.value, r.shutting = none, nil
	if shutting == nil {
		return nil
	}
	return shutting(value)
}

// Admission is the promise of a scope to own a resource that is being made. It
// holds the scope until Publish or Withdraw.
type Admission[B any] struct {
	scope *Scope
	tok   tree.Token
}

// Admit admits a resource to s, which may be a scope above the caller's, or
// returns an error that is ErrClosedScope when s was stopped or its body has
// ended.
func Admit[B any](s *Scope) (*Admission[B], error) {
	a := &Admission[B]{scope: s}
	err := s.run.do(func(t *tree.Tree) (err error) {
		a.tok, err = t.BeginAcquire(s.id)
		return err
	})
	if err != nil {
		return nil, s.refused("admit", err)
	}
	return a, nil
}

// Publish gives value to the scope, also when that was stopped meanwhile. The
// scope, or whoever the resource is moved to, calls shut, if it is not nil,
// exactly once, and its error is one of cleaning up. An admission that was used
// before is ErrStale; value is still the caller's then.
func (a *Admission[B]) Publish(value B, shut func(B) error) (*Resource[B], error) {
	r, s := &Resource[B]{a.tok, value, shut}, a.scope
	err := s.run.do(func(t *tree.Tree) error {
		owner, err := t.Publish(a.tok, r)
		s.run.wake(owner)
		return err
	})
	if err != nil {
		return nil, s.refused("publish", err)
	}
	return r, nil
}

// Withdraw gives the admission up. One that was used before is ErrStale.
func (a *Admission[B]) Withdraw() error {
	s := a.scope
	return s.refused("withdraw", s.run.do(func(t *tree.Tree) error {
		owner, err := t.Withdraw(a.tok)
		s.run.wake(owner)
		return err
	}))
}

// Acquire calls open with the scope's context, between an admission and the
// publication of what it returns. If open fails, its error is returned and
// nothing owned.
func Acquire[B any](s *Scope, open func(context.Context) (B, error), shut func(B) error) (*Resource[B], error) {
	a, err := Admit[B](s)
	if err != nil {
		return nil, err
	}
	opened := false
	defer func() {
		if !opened {
			_ = a.Withdraw()
		}
	}()
	value, err := open(s.ctx)
	if err != nil {
		return nil, fmt.Errorf("scope: acquire in scope %d: %w", s.id, err)
	}
	opened = true
	return a.Publish(value, shut)
}

// Use calls f with the value, which is not closed or moved before f returns. s
// is the caller's scope. A resource that is closed is ErrStale, one whose owner
// does not enclose s is ErrOutOfScope.
func (r *Resource[B]) Use(s *Scope, f func(B) error) error {
	err := s.run.do(func(t *tree.Tree) error {
		_, err := t.BeginUse(s.id, r.tok)
		return err
	})
	if err != nil {
		return s.refused("use", err)
	}
	defer func() {
		_ = s.run.do(func(t *tree.Tree) error {
			owner, err := t.EndUse(r.tok)
			s.run.wake(owner)
			return err
		})
	}()
	return f(r.value)
}

// Close closes the resource early and returns the error of closing it. s must
// own it. One that is closed, or being closed, is ErrStale; one in use is
// ErrInvalidTransition.
func (r *Resource[B]) Close(s *Scope) error {
	first := false
	err := s.run.do(func(t *tree.Tree) (err error) {
		if _, first, err = t.ClaimClose(s.id, r.tok); err == nil && !first {
			err = ErrStale
		}
		return err
	})
	if err != nil {
		return s.refused("close", err)
	}
	defer func() {
		_ = s.run.do(func(t *tree.Tree) error {
			owner, err := t.FinishClose(r.tok)
			s.run.wake(owner)
			return err
		})
	}()
	return r.shut()
}
