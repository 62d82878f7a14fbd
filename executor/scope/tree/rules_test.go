package tree

import (
	"math"
	"testing"
)

// stage is a tree whose calls must be done, and end a test if they are not.
type stage struct {
	*testing.T
	*Tree
}

func newStage(t *testing.T) stage { return stage{t, New(1)} }

func (s stage) done(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// refuses checks that a call was refused with want.
func (s stage) refuses(what string, err, want error) {
	s.Helper()
	if err != want {
		s.Errorf("%s: %v, want %v", what, err, want)
	}
}

func (s stage) spawn(owner ID, supervised bool, move ...Token) Token {
	s.Helper()
	token, err := s.Spawn(owner, supervised, true, move)
	s.done(err)
	return token
}

func (s stage) nest(owner ID) ID {
	s.Helper()
	id, err := s.Tree.Nested(owner)
	s.done(err)
	return id
}

func (s stage) acquire(owner ID, value any) Token {
	s.Helper()
	token, err := s.BeginAcquire(owner)
	s.done(err)
	_, err = s.Publish(token, value)
	s.done(err)
	return token
}

func (s stage) stops(id ID, why Primary) {
	s.Helper()
	_, err := s.Stop(id, why)
	s.done(err)
}

// ready checks whether the scope may begin its release, and lets it.
func (s stage) ready(id ID, want bool) {
	s.Helper()
	if got, err := s.BeginRelease(id); got != want || err != nil {
		s.Fatalf("release of %d: %v, %v; want %v", id, got, err, want)
	}
}

// ends ends a scope that nothing holds.
func (s stage) ends(id ID, body Primary, own ...error) Outcome {
	s.Helper()
	s.done(s.BodyDone(id, Outcome{Primary: body}))
	s.ready(id, true)
	return s.settles(id, own...)
}

func (s stage) settles(id ID, own ...error) Outcome {
	s.Helper()
	var cleanup Cleanup
	for _, err := range own {
		cleanup.Add(err)
	}
	out, err := s.Settle(id, &cleanup)
	s.done(err)
	return out
}

func (s stage) joins(id ID, want Primary) Outcome {
	s.Helper()
	out, ok, err := s.PollJoin(id)
	if err != nil || !ok || out.Primary != want {
		s.Errorf("join of %d: %v, %v, %v; want %v", id, out.Primary, ok, err, want)
	}
	return out
}

func (s stage) reasonIs(id ID, want Primary) {
	s.Helper()
	state, err := s.State(id)
	if err != nil || state.Reason != want || state.Stopped != (want != Primary{}) {
		s.Errorf("reason of %d: %v, %v; want %v", id, state.Reason, err, want)
	}
}

func (s stage) hasLeft(scopes, tasks, resources int) {
	s.Helper()
	if a, b, c := s.Len(); a != scopes || b != tasks || c != resources {
		s.Errorf("%d scopes, %d tasks, %d resources; want %d, %d, %d", a, b, c, scopes, tasks, resources)
	}
}

func failed(n int) Primary { return Primary{Failed, fault(n)} }

func cancelled(n int) Primary { return Primary{Cancelled, fault(n)} }

var ownerStopped = Primary{Cancelled, ErrOwnerStopped}

// The body's end closes the scope to resources and leaves it to its child;
// until that has settled a stop still counts, and reaches the child.
func TestJoiningScopeRemainsStoppableS1S3S9(t *testing.T) {
	s := newStage(t)
	root := s.Root()
	child := s.spawn(root, false)
	s.done(s.BodyDone(root, Outcome{}))
	_, err := s.BeginAcquire(root)
	s.refuses("acquire after the body", err, ErrClosedScope)
	s.refuses("second end of the body", s.BodyDone(root, Outcome{}), ErrInvalidTransition)
	s.ready(root, false)
	s.stops(root, failed(77))
	s.stops(root, failed(78))
	s.reasonIs(root, failed(77))
	s.reasonIs(child.Key, ownerStopped)
	if out := s.ends(child.Key, Primary{}); out.Primary != ownerStopped {
		t.Errorf("child: %v", out)
	}
	s.ready(root, true)
	_, err = s.BeginRelease(root)
	s.refuses("second release", err, ErrInvalidTransition)
	if out := s.settles(root); out.Primary != failed(77) {
		t.Errorf("root: %v", out)
	}
	s.refuses("anything after it", s.Checkpoint(root), ErrClosedScope)
	s.hasLeft(0, 0, 0)
}

// Nested scopes are part of their parent's task: it can begin nothing, nor
// end, before they have.
func TestNestedScopesAreLastInFirstOutS2(t *testing.T) {
	s := newStage(t)
	outer := s.nest(s.Root())
	inner := s.nest(outer)
	for _, id := range []ID{s.Root(), outer} {
		s.refuses("checkpoint", s.Checkpoint(id), ErrInvalidTransition)
		s.refuses("end of the body", s.BodyDone(id, Outcome{}), ErrInvalidTransition)
	}
	if out := s.ends(inner, failed(1)); out.Primary != failed(1) {
		t.Errorf("inner: %v", out)
	}
	s.refuses("checkpoint after the failure", s.Checkpoint(outer), ErrStopped)
	if out := s.ends(outer, Primary{}); out.Primary != failed(1) {
		t.Errorf("outer: %v", out)
	}
	s.reasonIs(s.Root(), failed(1))
}

// The first failure of a sibling stops the others before any is released, and
// a second one changes nothing; a supervised failure stays with its task.
func TestFirstFailureWinsAndSupervisionContainsS2S3(t *testing.T) {
	s := newStage(t)
	owner := s.spawn(s.Root(), true)
	a, b := s.spawn(owner.Key, false), s.spawn(owner.Key, false)
	s.done(s.BodyDone(a.Key, Outcome{Primary: failed(7)}))
	s.reasonIs(b.Key, ownerStopped)
	s.reasonIs(owner.Key, failed(7))
	s.reasonIs(s.Root(), Primary{})
	s.done(s.BodyDone(b.Key, Outcome{Primary: failed(8)}))
	for _, id := range []ID{a.Key, b.Key} {
		s.ready(id, true)
		s.settles(id)
	}
	if out := s.ends(owner.Key, failed(9)); out.Primary != failed(7) {
		t.Errorf("owner: %v", out)
	}
	s.done(s.ClaimJoin(s.Root(), owner))
	s.joins(s.Root(), failed(7))
	if out := s.ends(s.Root(), Primary{}); out != (Outcome{}) {
		t.Errorf("root: %v", out)
	}
}

// A ticket is used up by the claim, not by the delivery.
func TestTicketLivesS4(t *testing.T) {
	s := newStage(t)
	root := s.Root()
	child, lazy := s.spawn(root, false), s.spawn(root, false)
	s.done(s.ClaimJoin(root, child))
	s.refuses("claim while waiting", s.ClaimJoin(root, lazy), ErrInvalidTransition)
	if _, ok, err := s.PollJoin(root); ok || err != nil {
		t.Errorf("poll before the end: %v, %v", ok, err)
	}
	s.done(s.AbandonJoin(root))
	s.refuses("second abandon", s.AbandonJoin(root), ErrInvalidTransition)
	s.refuses("claim after abandon", s.ClaimJoin(root, child), ErrStale)
	s.refuses("discard after claim", s.Discard(root, child), ErrStale)
	s.ends(child.Key, Primary{}) // nobody can ask for it
	s.hasLeft(2, 1, 0)
	s.ends(lazy.Key, Primary{}) // somebody can
	s.hasLeft(1, 1, 0)
	s.refuses("cancel of what has settled", s.Cancel(root, lazy, fault(1)), ErrStale)
	s.done(s.Discard(root, lazy))
	s.hasLeft(1, 0, 0)
}

// A body that ends while it waits abandons the wait.
func TestBodyEndAbandonsItsJoinS4(t *testing.T) {
	s := newStage(t)
	waiter, target := s.spawn(s.Root(), true), s.spawn(s.Root(), true)
	s.done(s.ClaimJoin(waiter.Key, target))
	s.stops(waiter.Key, cancelled(1))
	s.ends(waiter.Key, cancelled(1))
	s.ends(target.Key, Primary{})
	s.refuses("claim", s.ClaimJoin(s.Root(), target), ErrStale)
}

func TestHostCallsHoldS8(t *testing.T) {
	s := newStage(t)
	child := s.spawn(s.Root(), true)
	s.done(s.BeginHost(child.Key))
	s.stops(child.Key, cancelled(1))
	s.refuses("begin in a stopped scope", s.BeginHost(child.Key), ErrStopped)
	s.done(s.BodyDone(child.Key, Outcome{}))
	s.ready(child.Key, false)
	s.done(s.EndHost(child.Key))
	s.refuses("one end too many", s.EndHost(child.Key), ErrInvalidTransition)
	s.ready(child.Key, true)
	s.scopes[s.Root()].hosts = math.MaxUint32
	s.refuses("one call too many", s.BeginHost(s.Root()), ErrExhausted)
}
