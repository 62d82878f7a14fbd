package tree

import (
	"fmt"
	"testing"
)

// mutants are trees with one fault each, made by doing something wrong around
// one call. The comparison with the model must catch every one.
var mutants = []struct {
	name   string
	mutate func(*Tree) machine
}{
	{"a later reason overwrites S3", func(t *Tree) machine { return overwriting{t} }},
	{"cancellation climbs S3", func(t *Tree) machine { return climbing{t} }},
	{"supervision does not contain S3", func(t *Tree) machine { return unsupervised{t} }},
	{"descendants are not stopped S3", func(t *Tree) machine { return shallow{t} }},
	{"an abandoned ticket is restored S4", func(t *Tree) machine { return restoring{t} }},
	{"an outcome is delivered twice S4", func(t *Tree) machine { return repeating{t} }},
	{"a discarded task is remembered S10", func(t *Tree) machine { return hoarding{t} }},
	{"cycles miss nested scopes S5", func(t *Tree) machine { return nearsighted{t} }},
	{"implicit cycles are missed S5", func(t *Tree) machine { return trusting{t} }},
	{"a refused spawn spends a number S6", func(t *Tree) machine { return spending{t} }},
	{"a refused spawn moves S6", func(t *Tree) machine { return halfMoving{t} }},
	{"cleanup replaces the failure S7", func(t *Tree) machine { return replacing{t} }},
	{"omissions are not counted S7", func(t *Tree) machine { return uncounting{t} }},
	{"supervised cleanup is delivered S7", func(t *Tree) machine { return leaking{t} }},
	{"a host call does not hold S8", func(t *Tree) machine { return detaching{t} }},
	{"two closers S9", func(t *Tree) machine { return reclosing{t} }},
	{"a closing scope admits S9", func(t *Tree) machine { return admitting{t} }},
	{"an admission dies with the close S9", func(t *Tree) machine { return forgetful{t} }},
	{"a foreign token is taken S9", func(t *Tree) machine { return naive{t} }},
	{"nested scopes do not hold S2", func(t *Tree) machine { return overtaking{t} }},
	{"a scope ends twice S1", func(t *Tree) machine { return reopening{t} }},
}

// TestMutantsAreCaughtS1S2S3S4S5S6S7S8S9S10 tests the comparison.
func TestMutantsAreCaughtS1S2S3S4S5S6S7S8S9S10(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			const most = 20000
			for seed := range uint64(most) {
				if err := playMutant(seed, m.mutate); err != nil {
					t.Logf("caught by history %d", seed)
					return
				}
			}
			t.Errorf("%d histories did not catch it", most)
		})
	}
}

// playMutant takes a mutant that breaks down for one that is caught.
func playMutant(seed uint64, mutate func(*Tree) machine) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v", value)
		}
	}()
	draw := seeded(seed)
	return newHistory(draw, mutate, new(tally)).play(10 + draw(70))
}

type overwriting struct{ *Tree }

func (m overwriting) Stop(id ID, why Primary) (bool, error) {
	if s := m.scopes[id]; s != nil && why.End != Completed && s.stopped {
		s.reason = why
	}
	return m.Tree.Stop(id, why)
}

type climbing struct{ *Tree }

func (m climbing) Cancel(id ID, token Token, cause error) error {
	err := m.Tree.Cancel(id, token, cause)
	if err == nil {
		m.stop(m.scopes[id], Primary{Cancelled, cause})
	}
	return err
}

type unsupervised struct{ *Tree }

func (m unsupervised) BodyDone(id ID, out Outcome) error {
	if s := m.scopes[id]; s != nil {
		defer func(was bool) { s.supervised = was }(s.supervised)
		s.supervised = false
	}
	return m.Tree.BodyDone(id, out)
}

type shallow struct{ *Tree }

func (m shallow) Stop(id ID, why Primary) (bool, error) {
	if s := m.scopes[id]; s != nil {
		defer func(was *scope) { s.child = was }(s.child)
		s.child = nil
	}
	return m.Tree.Stop(id, why)
}

type restoring struct{ *Tree }

func (m restoring) AbandonJoin(id ID) error {
	if s := m.scopes[id]; s != nil && s.waits != nil {
		s.waits.ticket = true
	}
	return m.Tree.AbandonJoin(id)
}

type repeating struct{ *Tree }

func (m repeating) PollJoin(id ID) (Outcome, bool, error) {
	var r *task
	if s := m.scopes[id]; s != nil {
		r = s.waits
	}
	out, ok, err := m.Tree.PollJoin(id)
	if ok {
		m.remember(r)
	}
	return out, ok, err
}

type hoarding struct{ *Tree }

func (m hoarding) Discard(id ID, token Token) error {
	r := m.tasks[token.Key]
	err := m.Tree.Discard(id, token)
	if err == nil && r.scope == nil {
		m.remember(r)
	}
	return err
}

type nearsighted struct{ *Tree }

func (m nearsighted) ClaimJoin(id ID, token Token) error {
	if s := m.scopes[id]; s != nil {
		defer func(was ID) { s.task = was }(s.task)
		s.task = s.id
	}
	return m.Tree.ClaimJoin(id, token)
}

type trusting struct{ *Tree }

func (m trusting) BodyDone(id ID, out Outcome) error {
	if s := m.scopes[id]; s != nil {
		defer func(was ID) { s.task = was }(s.task)
		s.task = 0
	}
	return m.Tree.BodyDone(id, out)
}

type spending struct{ *Tree }

func (m spending) Spawn(id ID, supervised, keep bool, move []Token) (Token, error) {
	token, err := m.Tree.Spawn(id, supervised, keep, move)
	if err == errRefused {
		m.number()
	}
	return token, err
}

type halfMoving struct{ *Tree }

func (m halfMoving) Spawn(id ID, supervised, keep bool, move []Token) (Token, error) {
	token, err := m.Tree.Spawn(id, supervised, keep, move)
	if err == ErrStale || err == ErrOutOfScope {
		if r := m.resources[move[0].Key]; r != nil && r.state == published && r.owner == m.scopes[id] {
			r.move(m.scopes[m.root])
		}
	}
	return token, err
}

type replacing struct{ *Tree }

func (m replacing) Settle(id ID, own *Cleanup) (Outcome, error) {
	if s := m.scopes[id]; s != nil && s.reason.End == Failed && own.n > 0 {
		s.reason.Err = own.errs[0]
	}
	return m.Tree.Settle(id, own)
}

type uncounting struct{ *Tree }

func (m uncounting) Settle(id ID, own *Cleanup) (Outcome, error) {
	own = &Cleanup{errs: own.errs, n: own.n}
	return m.Tree.Settle(id, own)
}

type leaking struct{ *Tree }

func (m leaking) Settle(id ID, own *Cleanup) (Outcome, error) {
	s := m.scopes[id]
	out, err := m.Tree.Settle(id, own)
	if err == nil && s.supervised {
		s.parent.cleanup.Append(&out.Cleanup)
	}
	return out, err
}

type detaching struct{ *Tree }

func (m detaching) BeginRelease(id ID) (bool, error) {
	if s := m.scopes[id]; s != nil && s.stopped {
		defer func(was uint32) { s.hosts = was }(s.hosts)
		s.hosts = 0
	}
	return m.Tree.BeginRelease(id)
}

type reclosing struct{ *Tree }

func (m reclosing) ClaimClose(id ID, token Token) (any, bool, error) {
	value, first, err := m.Tree.ClaimClose(id, token)
	return value, first || err == nil, err
}

type admitting struct{ *Tree }

func (m admitting) BeginAcquire(id ID) (Token, error) {
	if s := m.scopes[id]; s != nil && s.phase == Joining {
		defer func(was bool) { s.closing = was }(s.closing)
		s.closing = false
	}
	return m.Tree.BeginAcquire(id)
}

type forgetful struct{ *Tree }

func (m forgetful) Publish(token Token, value any) (ID, error) {
	if r := m.resources[token.Key]; r != nil && r.owner.closing {
		return 0, ErrStale
	}
	return m.Tree.Publish(token, value)
}

type naive struct{ *Tree }

func (m naive) BeginUse(id ID, token Token) (any, error) {
	token.Run = m.run
	return m.Tree.BeginUse(id, token)
}

type overtaking struct{ *Tree }

func (m overtaking) BodyDone(id ID, out Outcome) error {
	if s := m.scopes[id]; s != nil {
		defer func(was *scope) { s.nested = was }(s.nested)
		s.nested = nil
	}
	return m.Tree.BodyDone(id, out)
}

type reopening struct{ *Tree }

func (m reopening) Settle(id ID, own *Cleanup) (Outcome, error) {
	if s := m.scopes[id]; s != nil && s.phase == Joining && s.unsettled == 0 && s.newest == nil {
		s.phase = Releasing
	}
	return m.Tree.Settle(id, own)
}
