package tree

// ClaimJoin uses up the ticket of a task, which s then waits for until
// PollJoin delivers or AbandonJoin. A join that could never end because the
// task waits, directly or not, for that of s is ErrJoinCycle and leaves the
// ticket.
func (t *Tree) ClaimJoin(id ID, token Token) error {
	s, r, err := t.held(id, token)
	switch {
	case err != nil:
		return err
	case !r.ticket:
		return ErrStale
	case r.scope != nil && (s.within(r.scope) || t.reachable(r, s.task)):
		return ErrJoinCycle
	}
	r.ticket = false
	r.waiter, s.waits = s, r
	return nil
}

// held finds the task for a call of s about it: s may begin something, and is
// inside the scope that owns the task.
func (t *Tree) held(id ID, token Token) (*scope, *task, error) {
	s, err := t.open(id)
	if err != nil {
		return nil, nil, err
	}
	r := t.tasks[token.Key]
	switch {
	case token.Run != t.run || r == nil:
		return nil, nil, ErrStale
	case !s.within(r.owner):
		return nil, nil, ErrOutOfScope
	}
	return s, r, nil
}

// PollJoin returns the outcome of the task that s waits for, once, when it has
// settled. Until then ok is false.
func (t *Tree) PollJoin(id ID) (out Outcome, ok bool, err error) {
	s := t.scopes[id]
	switch {
	case s == nil:
		return Outcome{}, false, ErrClosedScope
	case s.waits == nil:
		return Outcome{}, false, ErrInvalidTransition
	case s.waits.scope != nil:
		return Outcome{}, false, nil
	}
	out = s.waits.outcome
	t.abandon(s)
	return out, true, nil
}

// AbandonJoin ends the wait of s without an outcome, which nobody will get.
func (t *Tree) AbandonJoin(id ID) error {
	s := t.scopes[id]
	switch {
	case s == nil:
		return ErrClosedScope
	case s.waits == nil:
		return ErrInvalidTransition
	}
	t.abandon(s)
	return nil
}

func (t *Tree) abandon(s *scope) {
	r := s.waits
	s.waits, r.waiter = nil, nil
	t.forgetUnheld(r)
}

// Discard uses up the ticket of a task whose outcome nobody wants.
func (t *Tree) Discard(id ID, token Token) error {
	_, r, err := t.held(id, token)
	switch {
	case err != nil:
		return err
	case !r.ticket:
		return ErrStale
	}
	r.ticket = false
	t.forgetUnheld(r)
	return nil
}

// Cancel stops a task that has not settled, as cancelled with cause. A second
// one keeps the first cause.
func (t *Tree) Cancel(id ID, token Token, cause error) error {
	_, r, err := t.held(id, token)
	switch {
	case err != nil:
		return err
	case r.scope == nil:
		return ErrStale
	}
	t.stop(r.scope, Primary{Cancelled, cause})
	return nil
}

func (t *Tree) reachable(from *task, wanted ID) bool {
	t.search++
	return t.reaches(t.add(from, nil), wanted)
}

// reaches tells whether any of the tasks from, a list that find or add made,
// waits for the task wanted, or is it: by a join, or because its body has ended
// and its children have not. A task does either in its innermost scope only.
func (t *Tree) reaches(from *task, wanted ID) bool {
	for r := from; r != nil; {
		if r.id == wanted {
			return true
		}
		s := r.scope
		for s != nil && s.nested != nil {
			s = s.nested
		}
		r = t.find(s, r.found)
	}
	return false
}

// find puts the tasks that s waits for before rest.
func (t *Tree) find(s *scope, rest *task) *task {
	if s == nil {
		return rest
	}
	if s.waits != nil {
		rest = t.add(s.waits, rest)
	}
	if s.phase == Joining {
		for c := s.child; c != nil; c = c.sibling {
			rest = t.add(c.record, rest) // a nested one is gone by now
		}
	}
	return rest
}

// add puts r before rest, once in a search.
func (t *Tree) add(r, rest *task) *task {
	if r.searched == t.search {
		return rest
	}
	r.searched, r.found = t.search, rest
	return r
}
