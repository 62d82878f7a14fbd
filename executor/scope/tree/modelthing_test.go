package tree

func (m *model) BeginAcquire(id ID) (Token, error) {
	s := m.scope(id)
	if s == nil || s.closing {
		return Token{}, ErrClosedScope
	}
	if err := m.numbers(2); err != nil {
		return Token{}, err
	}
	r := &modelThing{id: m.number(), owner: id}
	m.things = append(m.things, r)
	return Token{m.run, r.id}, nil
}

func (m *model) Publish(token Token, value any) (ID, error) {
	r := m.thing(token)
	if r == nil || r.published {
		return 0, ErrStale
	}
	m.clock++
	r.published, r.value, r.since = true, value, m.clock
	return r.owner, nil
}

func (m *model) Withdraw(token Token) (ID, error) {
	r := m.thing(token)
	if r == nil || r.published {
		return 0, ErrStale
	}
	r.gone = true
	return r.owner, nil
}

func (m *model) BeginUse(id ID, token Token) (any, error) {
	s, r := m.scope(id), m.thing(token)
	if s == nil || s.releasing {
		return nil, ErrClosedScope
	}
	if r == nil || !r.published || r.claimed {
		return nil, ErrStale
	}
	if !m.inside(id, r.owner) {
		return nil, ErrOutOfScope
	}
	r.uses++
	return r.value, nil
}

func (m *model) EndUse(token Token) (ID, error) {
	r := m.thing(token)
	if r == nil || !r.published || r.claimed {
		return 0, ErrStale
	}
	if r.uses == 0 {
		return 0, ErrInvalidTransition
	}
	r.uses--
	return r.owner, nil
}

func (m *model) newest(id ID) (best *modelThing) {
	for _, r := range m.things {
		if r.owner == id && r.published && !r.gone && (best == nil || r.since > best.since) {
			best = r
		}
	}
	return best
}

func (m *model) Newest(id ID) (Token, bool, error) {
	if m.scope(id) == nil {
		return Token{}, false, ErrClosedScope
	}
	r := m.newest(id)
	if r == nil {
		return Token{}, false, nil
	}
	return Token{m.run, r.id}, true, nil
}

func (m *model) ClaimClose(id ID, token Token) (any, bool, error) {
	s, r := m.scope(id), m.thing(token)
	if s == nil {
		return nil, false, ErrClosedScope
	}
	if r == nil || !r.published {
		return nil, false, ErrStale
	}
	if r.owner != id {
		return nil, false, ErrOutOfScope
	}
	if r.claimed {
		return nil, false, nil
	}
	if r.uses > 0 {
		return nil, false, ErrInvalidTransition
	}
	r.claimed = true
	return r.value, true, nil
}

func (m *model) FinishClose(token Token) (ID, error) {
	r := m.thing(token)
	if r == nil {
		return 0, ErrStale
	}
	if !r.claimed {
		return 0, ErrInvalidTransition
	}
	r.gone = true
	return r.owner, nil
}

// Len counts what the rules let be remembered.
func (m *model) Len() (scopes, tasks, resources int) {
	for _, s := range m.scopes {
		if !s.ended {
			scopes++
		}
	}
	for _, k := range m.tasks {
		if !k.forgotten {
			tasks++
		}
	}
	for _, r := range m.things {
		if !r.gone {
			resources++
		}
	}
	return scopes, tasks, resources
}
