package tree

// Nested opens a scope in the task of s, which can do nothing until that has
// settled.
func (t *Tree) Nested(id ID) (ID, error) {
	s, err := t.open(id)
	if err != nil {
		return 0, err
	}
	if err := t.room("scopes"); err != nil {
		return 0, err
	}
	n := &scope{id: t.number(), task: s.task, kind: nested, parent: s}
	t.attach(n)
	s.nested = n
	return n.id, nil
}

// Spawn makes a scope with a task of its own, which s owns. With keep the task
// has a ticket, which its token can claim once. The resources named move to
// the new scope, whose ID is the token's Key: s must own each of them, and
// none may be in use. Either all of it is done or nothing is changed.
func (t *Tree) Spawn(id ID, supervised, keep bool, move []Token) (Token, error) {
	s, err := t.open(id)
	if err != nil {
		return Token{}, err
	}
	if err := t.movable(s, move); err != nil {
		return Token{}, err
	}
	if err := t.room("scopes", "tasks"); err != nil {
		return Token{}, err
	}
	n := t.number()
	record := &task{id: n, owner: s, ticket: keep}
	record.scope = &scope{id: n, task: n, kind: spawned, supervised: supervised, parent: s, record: record}
	t.attach(record.scope)
	t.remember(record)
	s.unsettled++
	for _, token := range move {
		t.resources[token.Key].move(record.scope)
	}
	return Token{t.run, n}, nil
}

// movable tells whether s may give away all of the resources, each once.
func (t *Tree) movable(s *scope, move []Token) error {
	for i, token := range move {
		r, err := t.published(token)
		switch {
		case err != nil:
			return err
		case r.owner != s:
			return ErrOutOfScope
		case r.uses > 0:
			return ErrInvalidTransition
		}
		for _, earlier := range move[:i] {
			if earlier == token {
				return ErrInvalidTransition
			}
		}
	}
	return nil
}

func (t *Tree) remember(r *task) {
	if r.next = r.owner.records; r.next != nil {
		r.next.prev = r
	}
	r.owner.records = r
	t.tasks[r.id] = r
}

func (t *Tree) forget(r *task) {
	delete(t.tasks, r.id)
	if r.prev == nil {
		r.owner.records = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	}
}

// forgetUnheld forgets a settled task that nobody can ask for any more.
func (t *Tree) forgetUnheld(r *task) {
	if r.scope == nil && !r.ticket && r.waiter == nil {
		t.forget(r)
	}
}
