package tree

// Stop stops a scope and all below it, for a reason other than Completed. It
// returns true if this was the first reason, which holds for ever. A failure
// climbs, with its reason, through nested and unsupervised scopes; whatever is
// below a scope that was stopped is cancelled with ErrOwnerStopped.
func (t *Tree) Stop(id ID, why Primary) (first bool, err error) {
	s := t.scopes[id]
	switch {
	case s == nil:
		return false, ErrClosedScope
	case why.End == Completed:
		return false, ErrInvalidTransition
	}
	return t.stop(s, why), nil
}

func (t *Tree) stop(s *scope, why Primary) (first bool) {
	if s.stopped {
		return false
	}
	t.mark(s, why)
	// A scope below a stopped one is stopped, so none of these is.
	for why.End == Failed && s.climbs() {
		s = s.parent
		t.mark(s, why)
	}
	t.cancelBelow(s)
	return true
}

// climbs tells whether a failure of s is one of its parent.
func (s *scope) climbs() bool { return s.kind == nested || s.kind == spawned && !s.supervised }

func (t *Tree) mark(s *scope, why Primary) {
	s.stopped, s.reason, s.closing = true, why, true
	if t.stoppedTail == nil {
		t.stopped = s
	} else {
		t.stoppedTail.stoppedNext = s
	}
	t.stoppedTail = s
}

// cancelBelow goes through the tree below top, children first and then
// siblings. Of a climb, the scopes on its way are stopped already.
func (t *Tree) cancelBelow(top *scope) {
	for s := top; ; {
		if s.child != nil {
			s = s.child
		} else {
			for s != top && s.sibling == nil {
				s = s.parent
			}
			if s == top {
				return
			}
			s = s.sibling
		}
		if !s.stopped {
			t.mark(s, Primary{Cancelled, ErrOwnerStopped})
		}
	}
}

// NextStopped hands out, once each and in the order in which they were
// stopped, the scopes that were stopped. They may be gone by now.
func (t *Tree) NextStopped() (id ID, why Primary, ok bool) {
	s := t.stopped
	if s == nil {
		return 0, Primary{}, false
	}
	if t.stopped = s.stoppedNext; t.stopped == nil {
		t.stoppedTail = nil
	}
	s.stoppedNext = nil
	return s.id, s.reason, true
}
