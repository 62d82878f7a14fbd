package tree

import (
	"math"
	"slices"
)

// mine finds a task for a call of scope id about it.
func (m *model) mine(id ID, token Token) (*modelTask, error) {
	if err := m.Checkpoint(id); err != nil {
		return nil, err
	}
	k := m.task(token)
	if k == nil {
		return nil, ErrStale
	}
	if !m.inside(id, k.owner) {
		return nil, ErrOutOfScope
	}
	return k, nil
}

func (m *model) ClaimJoin(id ID, token Token) error {
	k, err := m.mine(id, token)
	if err != nil {
		return err
	}
	if !k.ticket {
		return ErrStale
	}
	if !k.settled && (m.inside(id, k.id) || slices.Contains(m.waitsFor(k.id, nil), m.scope(id).task)) {
		return ErrJoinCycle
	}
	k.ticket = false
	m.scope(id).waits = k.id
	return nil
}

// waitsFor is seen, a task, and all tasks that it waits for through others.
func (m *model) waitsFor(task ID, seen []ID) []ID {
	if slices.Contains(seen, task) {
		return seen
	}
	seen = append(seen, task)
	for _, s := range m.scopes {
		if s.ended || s.task != task {
			continue
		}
		if s.waits != 0 {
			seen = m.waitsFor(s.waits, seen)
		}
		if s.joining {
			for _, c := range m.unsettled(s.id) {
				seen = m.waitsFor(c, seen)
			}
		}
	}
	return seen
}

func (m *model) waiting(id ID) (*modelScope, error) {
	s := m.scope(id)
	if s == nil {
		return nil, ErrClosedScope
	}
	if s.waits == 0 {
		return nil, ErrInvalidTransition
	}
	return s, nil
}

func (m *model) PollJoin(id ID) (Outcome, bool, error) {
	s, err := m.waiting(id)
	if err != nil {
		return Outcome{}, false, err
	}
	k := m.task(Token{m.run, s.waits})
	if !k.settled {
		return Outcome{}, false, nil
	}
	s.waits = 0
	m.prune()
	return Outcome{k.out, packed(k.errs)}, true, nil
}

func (m *model) AbandonJoin(id ID) error {
	s, err := m.waiting(id)
	if err != nil {
		return err
	}
	s.waits = 0
	m.prune()
	return nil
}

// prune forgets the tasks that have settled and nobody can ask for.
func (m *model) prune() {
	for _, k := range m.tasks {
		waiter := slices.ContainsFunc(m.scopes, func(s *modelScope) bool { return !s.ended && s.waits == k.id })
		if owner := m.scope(k.owner); k.settled && !k.ticket && !waiter || owner == nil {
			k.forgotten = true
		}
	}
}

func (m *model) Discard(id ID, token Token) error {
	k, err := m.mine(id, token)
	if err != nil {
		return err
	}
	if !k.ticket {
		return ErrStale
	}
	k.ticket = false
	m.prune()
	return nil
}

func (m *model) Cancel(id ID, token Token, cause error) error {
	k, err := m.mine(id, token)
	if err != nil {
		return err
	}
	if k.settled {
		return ErrStale
	}
	m.stop(m.scope(k.id), Primary{Cancelled, cause})
	return nil
}

func (m *model) BeginHost(id ID) error {
	if err := m.Checkpoint(id); err != nil {
		return err
	}
	if m.scope(id).hosts == math.MaxUint32 {
		return ErrExhausted
	}
	m.scope(id).hosts++
	return nil
}

func (m *model) EndHost(id ID) error {
	s := m.scope(id)
	if s == nil {
		return ErrClosedScope
	}
	if s.hosts == 0 {
		return ErrInvalidTransition
	}
	s.hosts--
	return nil
}

func (m *model) BodyDone(id ID, out Outcome) error {
	s := m.scope(id)
	if s == nil {
		return ErrClosedScope
	}
	if s.joining || s.releasing || m.nestedOpen(id) {
		return ErrInvalidTransition
	}
	s.waits = 0
	m.prune()
	s.body, s.bodyErrs, s.closing = out.Primary, listed(out.Cleanup), true
	if out.End != Completed {
		m.stop(s, out.Primary)
	}
	for _, c := range m.unsettled(id) {
		if slices.Contains(m.waitsFor(c, nil), s.task) {
			m.stop(s, Primary{Failed, ErrJoinCycle})
		}
	}
	s.joining = true
	return nil
}

func (m *model) BeginRelease(id ID) (bool, error) {
	s := m.scope(id)
	if s == nil {
		return false, ErrClosedScope
	}
	if !s.joining {
		return false, ErrInvalidTransition
	}
	busy := len(m.unsettled(id)) > 0 || s.hosts > 0
	for _, r := range m.things {
		busy = busy || r.owner == id && !r.gone && (!r.published || r.uses > 0 || r.claimed)
	}
	if busy {
		return false, nil
	}
	s.joining, s.releasing = false, true
	return true, nil
}

func (m *model) Settle(id ID, own *Cleanup) (Outcome, error) {
	s := m.scope(id)
	if s == nil {
		return Outcome{}, ErrClosedScope
	}
	if !s.releasing || m.newest(id) != nil {
		return Outcome{}, ErrInvalidTransition
	}
	end, errs := s.body, merge(s.bodyErrs, s.errs)
	if s.reason != nil {
		end = *s.reason
	}
	if own != nil {
		errs = merge(errs, listed(*own))
	}
	if end.End == Completed && len(errs) > 0 {
		end, errs = Primary{Failed, errs[0]}, errs[1:]
	}
	if end.End == Failed {
		m.stop(s, end)
	}
	if s.kind == nested || s.kind == spawned && !s.supervised {
		p := m.scope(s.parent)
		p.errs, errs = merge(p.errs, errs), nil
	}
	for _, k := range m.tasks {
		if k.id == id {
			k.settled, k.out, k.errs = true, end, errs
		}
	}
	s.ended = true
	m.prune()
	return Outcome{end, packed(errs)}, nil
}
