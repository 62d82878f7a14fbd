package tree

import "math"

// BeginHost counts a host call, which holds the scope open until EndHost.
func (t *Tree) BeginHost(id ID) error {
	s, err := t.open(id)
	switch {
	case err != nil:
		return err
	case s.hosts == math.MaxUint32:
		return ErrExhausted
	}
	s.hosts++
	return nil
}

// EndHost ends a host call, also of a scope that was stopped.
func (t *Tree) EndHost(id ID) error {
	s := t.scopes[id]
	switch {
	case s == nil:
		return ErrClosedScope
	case s.hosts == 0:
		return ErrInvalidTransition
	}
	s.hosts--
	return nil
}

// BodyDone is the end of the body, as out. A join that it left waiting is
// abandoned, and an end other than Completed stops the scope. So does a child
// that waits for this task, as failed with ErrJoinCycle: neither would end.
func (t *Tree) BodyDone(id ID, out Outcome) error {
	s := t.scopes[id]
	switch {
	case s == nil:
		return ErrClosedScope
	case s.phase != Open || s.nested != nil:
		return ErrInvalidTransition
	}
	if s.waits != nil {
		t.abandon(s)
	}
	if out.End != Completed {
		t.stop(s, out.Primary)
	}
	s.body, s.closing, s.phase = out, true, Joining
	t.search++
	if t.reaches(t.find(s, nil), s.task) {
		t.stop(s, Primary{Failed, ErrJoinCycle})
	}
	return nil
}

// BeginRelease lets the closing of resources begin. It returns false while
// something holds the scope: a child, a host call, an admission, or a resource
// that is in use or being closed.
func (t *Tree) BeginRelease(id ID) (ready bool, err error) {
	s := t.scopes[id]
	switch {
	case s == nil:
		return false, ErrClosedScope
	case s.phase != Joining:
		return false, ErrInvalidTransition
	case s.unsettled > 0 || s.hosts > 0 || s.admissions+s.inUse+s.closings > 0:
		return false, nil
	}
	s.phase = Releasing
	return true, nil
}

// Settle ends a scope that owns no resource any more. own are the errors of
// closing them, nil for none. The outcome is the first reason to stop, else
// the body's end, else, if there were errors of cleaning up, failed with the
// first. Those errors go to the parent, unless the scope is supervised: then,
// and for the root, they stay with the outcome.
func (t *Tree) Settle(id ID, own *Cleanup) (Outcome, error) {
	s := t.scopes[id]
	switch {
	case s == nil:
		return Outcome{}, ErrClosedScope
	case s.phase != Releasing || s.newest != nil:
		return Outcome{}, ErrInvalidTransition
	}
	out := s.result(own)
	if out.End == Failed {
		t.stop(s, out.Primary)
	}
	for s.records != nil {
		t.forget(s.records)
	}
	t.deliver(s, &out)
	t.detach(s)
	return out, nil
}

func (s *scope) result(own *Cleanup) Outcome {
	out := s.body
	if s.stopped {
		out.Primary = s.reason
	}
	out.Cleanup.Append(&s.cleanup)
	if own != nil {
		out.Cleanup.Append(own)
	}
	if out.End == Completed && out.Cleanup.n > 0 {
		out.Primary = Primary{Failed, out.Cleanup.takeFirst()}
	}
	return out
}

func (t *Tree) deliver(s *scope, out *Outcome) {
	if s.climbs() {
		s.parent.cleanup.Append(&out.Cleanup)
		out.Cleanup = Cleanup{}
	}
	if s.kind == nested {
		s.parent.nested = nil
	}
	if r := s.record; r != nil {
		r.scope, r.outcome = nil, *out
		s.parent.unsettled--
		t.forgetUnheld(r)
	}
}
