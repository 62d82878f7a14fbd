package tree

import (
	"fmt"
	"slices"
)

// model is the rules once more, plainly and slowly: everything that ever was
// stays in three lists, and whatever can be told from the rest is looked up
// again each time. It shares no code and no structure with Tree but the types
// of answers.
type model struct {
	run    uint64
	next   ID
	scopes []*modelScope
	tasks  []*modelTask
	things []*modelThing
	clock  int  // orders what was published and moved
	refuse int  // which reservation of the next call fails, from 1
	fresh  []ID // stopped by the last call
}

type modelScope struct {
	id, parent, task                      ID
	kind                                  kind
	supervised, joining, releasing, ended bool
	reason                                *Primary
	closing                               bool
	body                                  Primary
	bodyErrs, errs                        []error
	hosts                                 uint32
	waits                                 ID
}

type modelTask struct {
	id, owner       ID
	ticket, settled bool
	out             Primary
	errs            []error
	forgotten       bool
}

type modelThing struct {
	id, owner                ID
	value                    any
	published, claimed, gone bool
	uses, since              int
}

// errLost stands in a list for an error that was not kept.
var errLost = fmt.Errorf("lost")

// merge appends errors to a list that keeps Kept of them.
func merge(list, more []error) []error {
	list = slices.Clone(list)
	for _, err := range more {
		kept := 0
		for _, e := range list {
			if e != errLost {
				kept++
			}
		}
		if kept >= Kept {
			err = errLost
		}
		list = append(list, err)
	}
	return list
}

func listed(c Cleanup) []error {
	list := c.Errors()
	for range c.Omitted() {
		list = append(list, errLost)
	}
	return list
}

func packed(list []error) (c Cleanup) {
	for _, err := range list {
		if err == errLost {
			c.omitted++
		} else {
			c.errs[c.n] = err
			c.n++
		}
	}
	return c
}

func newModel(run uint64, last ID) *model {
	m := &model{run: run, next: last + 1}
	m.scopes = append(m.scopes, &modelScope{id: m.next, task: m.next})
	m.next++
	return m
}

func (m *model) Root() ID { return m.scopes[0].id }

func (m *model) scope(id ID) *modelScope {
	for _, s := range m.scopes {
		if s.id == id && !s.ended {
			return s
		}
	}
	return nil
}

func (m *model) task(token Token) *modelTask {
	for _, k := range m.tasks {
		if k.id == token.Key && token.Run == m.run && !k.forgotten {
			return k
		}
	}
	return nil
}

func (m *model) thing(token Token) *modelThing {
	for _, r := range m.things {
		if r.id == token.Key && token.Run == m.run && !r.gone {
			return r
		}
	}
	return nil
}

// ancestors are s and all scopes above it.
func (m *model) ancestors(id ID) (all []ID) {
	for i := len(m.scopes) - 1; i >= 0; i-- { // a parent is older than its children
		if s := m.scopes[i]; s.id == id {
			all = append(all, id)
			id = s.parent
		}
	}
	return all
}

func (m *model) inside(id, outer ID) bool { return slices.Contains(m.ancestors(id), outer) }

func (m *model) nestedOpen(id ID) bool {
	for _, s := range m.scopes {
		if s.parent == id && s.kind == nested && !s.ended {
			return true
		}
	}
	return false
}

func (m *model) unsettled(id ID) (all []ID) {
	for _, s := range m.scopes {
		if s.parent == id && s.kind == spawned && !s.ended {
			all = append(all, s.id)
		}
	}
	return all
}

func (m *model) Checkpoint(id ID) error {
	s := m.scope(id)
	if s == nil {
		return ErrClosedScope
	}
	if s.reason != nil {
		return ErrStopped
	}
	if s.joining || s.releasing || s.waits != 0 || m.nestedOpen(id) {
		return ErrInvalidTransition
	}
	return nil
}

// numbers reserves a number and places in maps, n in all.
func (m *model) numbers(n int) error {
	if m.next == 0 {
		return ErrExhausted
	}
	if m.refuse >= 1 && m.refuse <= n {
		return errRefused
	}
	return nil
}

func (m *model) number() ID { m.next++; return m.next - 1 }

func (m *model) Nested(id ID) (ID, error) {
	if err := m.Checkpoint(id); err != nil {
		return 0, err
	}
	if err := m.numbers(2); err != nil {
		return 0, err
	}
	n := m.number()
	m.scopes = append(m.scopes, &modelScope{id: n, parent: id, task: m.scope(id).task, kind: nested})
	return n, nil
}

func (m *model) Spawn(id ID, supervised, keep bool, move []Token) (Token, error) {
	if err := m.Checkpoint(id); err != nil {
		return Token{}, err
	}
	for i, token := range move {
		r := m.thing(token)
		if r == nil || !r.published || r.claimed {
			return Token{}, ErrStale
		}
		if r.owner != id {
			return Token{}, ErrOutOfScope
		}
		if r.uses > 0 || slices.Index(move, token) < i {
			return Token{}, ErrInvalidTransition
		}
	}
	if err := m.numbers(3); err != nil {
		return Token{}, err
	}
	n := m.number()
	m.scopes = append(m.scopes, &modelScope{id: n, parent: id, task: n, kind: spawned, supervised: supervised})
	m.tasks = append(m.tasks, &modelTask{id: n, owner: id, ticket: keep})
	for _, token := range move {
		r := m.thing(token)
		m.clock++
		r.owner, r.since = n, m.clock
	}
	return Token{m.run, n}, nil
}

func (m *model) Stop(id ID, why Primary) (bool, error) {
	s := m.scope(id)
	if s == nil {
		return false, ErrClosedScope
	}
	if why.End == Completed {
		return false, ErrInvalidTransition
	}
	return m.stop(s, why), nil
}

// stop applies the rules of stopping to all scopes until nothing changes.
func (m *model) stop(s *modelScope, why Primary) bool {
	if s.reason != nil {
		return false
	}
	m.give(s, why)
	for changed := true; changed; {
		changed = false
		for _, c := range m.scopes {
			p := m.scope(c.parent)
			if c.ended || p == nil {
				continue
			}
			climbs := c.kind == nested || !c.supervised
			if c.reason != nil && c.reason.End == Failed && climbs && p.reason == nil {
				m.give(p, *c.reason)
				changed = true
			}
		}
	}
	for _, c := range m.scopes {
		for _, above := range m.ancestors(c.id) {
			if a := m.scope(above); !c.ended && c.reason == nil && a != nil && a.reason != nil {
				m.give(c, Primary{Cancelled, ErrOwnerStopped})
			}
		}
	}
	return true
}

func (m *model) give(s *modelScope, why Primary) {
	s.reason, s.closing = &why, true
	m.fresh = append(m.fresh, s.id)
}
