package tree

import "testing"

// Tokens of another run, of what is gone and of nothing are stale everywhere.
func TestForeignAndOldTokensS9(t *testing.T) {
	s := newStage(t)
	root := s.Root()
	thing, child := s.acquire(root, "a"), s.spawn(root, false)
	for _, token := range []Token{{}, {2, thing.Key}, {2, child.Key}, {1, 99}} {
		_, err := s.BeginUse(root, token)
		s.refuses("use", err, ErrStale)
		_, err = s.EndUse(token)
		s.refuses("end of a use", err, ErrStale)
		_, err = s.Publish(token, "b")
		s.refuses("publish", err, ErrStale)
		_, err = s.Withdraw(token)
		s.refuses("withdraw", err, ErrStale)
		_, _, err = s.ClaimClose(root, token)
		s.refuses("claim of a close", err, ErrStale)
		_, err = s.FinishClose(token)
		s.refuses("finish of a close", err, ErrStale)
		_, err = s.Spawn(root, false, false, []Token{token})
		s.refuses("move", err, ErrStale)
		s.refuses("join", s.ClaimJoin(root, token), ErrStale)
		s.refuses("discard", s.Discard(root, token), ErrStale)
		s.refuses("cancel", s.Cancel(root, token, nil), ErrStale)
	}
	s.hasLeft(2, 1, 1)
}

// An admission granted before the close publishes after it, into the scope
// that admitted it, also when who asked for it is gone.
func TestAdmissionOutlivesTheCloseS8S9(t *testing.T) {
	s := newStage(t)
	owner := s.spawn(s.Root(), true)
	child := s.spawn(owner.Key, false)
	admission, err := s.BeginAcquire(owner.Key)
	s.done(err)
	s.stops(owner.Key, cancelled(1))
	_, err = s.BeginAcquire(owner.Key)
	s.refuses("admission to a stopped scope", err, ErrClosedScope)
	s.ends(child.Key, Primary{})
	s.done(s.BodyDone(owner.Key, Outcome{}))
	s.ready(owner.Key, false)
	if got, err := s.Publish(admission, "late"); got != owner.Key || err != nil {
		t.Errorf("published to %d, %v", got, err)
	}
	s.ready(owner.Key, true)
	_, err = s.Settle(owner.Key, nil)
	s.refuses("settle with a resource left", err, ErrInvalidTransition)
	s.closes(owner.Key, admission, "late")
	s.settles(owner.Key)
}

func (s stage) closes(id ID, token Token, want any) {
	s.Helper()
	if value, first, err := s.ClaimClose(id, token); value != want || !first || err != nil {
		s.Errorf("claim: %v, %v, %v; want %v", value, first, err, want)
	}
	if value, first, err := s.ClaimClose(id, token); value != nil || first || err != nil {
		s.Errorf("second claim: %v, %v, %v", value, first, err)
	}
	_, err := s.FinishClose(token)
	s.done(err)
	_, err = s.FinishClose(token)
	s.refuses("second finish", err, ErrStale)
}

// A resource is seen from below its owner only, and held by whoever uses it.
func TestResourcesAreSeenFromBelowS9(t *testing.T) {
	s := newStage(t)
	a, b := s.spawn(s.Root(), false), s.spawn(s.Root(), false)
	below := s.nest(a.Key)
	thing := s.acquire(a.Key, "a")
	for _, id := range []ID{s.Root(), b.Key} {
		_, err := s.BeginUse(id, thing)
		s.refuses("use from outside", err, ErrOutOfScope)
	}
	if value, err := s.BeginUse(below, thing); value != "a" || err != nil {
		t.Errorf("use: %v, %v", value, err)
	}
	s.ends(below, Primary{})
	_, _, err := s.ClaimClose(a.Key, thing)
	s.refuses("close while in use", err, ErrInvalidTransition)
	_, err = s.Spawn(a.Key, false, false, []Token{thing})
	s.refuses("move while in use", err, ErrInvalidTransition)
	s.done(s.BodyDone(a.Key, Outcome{}))
	s.ready(a.Key, false)
	_, err = s.EndUse(thing)
	s.done(err)
	s.ready(a.Key, true)
	_, err = s.BeginUse(a.Key, thing)
	s.refuses("use during release", err, ErrClosedScope)
	s.closes(a.Key, thing, "a")
	s.settles(a.Key)
}

// What is being closed holds the scope until it is closed.
func TestCloseUnderWayHoldsS1S9(t *testing.T) {
	s := newStage(t)
	thing := s.acquire(s.Root(), "a")
	_, _, err := s.ClaimClose(s.Root(), thing)
	s.done(err)
	s.done(s.BodyDone(s.Root(), Outcome{}))
	s.ready(s.Root(), false)
	owner, err := s.FinishClose(thing)
	s.done(err)
	if owner != s.Root() {
		t.Errorf("owner %d", owner)
	}
	s.ready(s.Root(), true)
	s.settles(s.Root())
	s.hasLeft(0, 0, 0)
}
