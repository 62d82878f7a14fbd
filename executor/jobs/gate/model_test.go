package gate

// model is the protocol once more, small, with faults to choose from. It is
// run by coroutines only, so plain fields do. It has no lock: its admissions
// are one swap each.
type model struct {
	at     step
	fault  string
	word   uint64
	stored uint64
	ended  map[uint64]bool
}

func newModel(fault string) func(step) subject {
	return func(s step) subject { return &model{at: s, fault: fault, ended: map[uint64]bool{}} }
}

func (m *model) cas(old, new uint64) bool {
	m.at(swap)
	if m.word != old {
		return false
	}
	m.word = new
	return true
}

func (m *model) load() (v, rev uint64, s state) {
	m.at(load)
	rev, s = unpack(m.word)
	return m.word, rev, s
}

func (m *model) admit(rev uint64) error {
	for {
		v, newest, _ := m.load()
		if rev == newest && m.fault != "equal admitted" {
			return ErrDuplicateRevision
		}
		if rev < newest && m.fault != "older admitted" {
			return ErrStaleRevision
		}
		if m.fault == "blind admission" {
			m.at(swap)
			m.word = v
		}
		if m.cas(v, pack(rev, pending)) {
			m.ended[newest] = m.fault != "context goes on"
			return nil
		}
	}
}

func (m *model) move(rev uint64, to state, from ...state) error {
	for {
		v, newest, s := m.load()
		if newest != rev {
			return ErrSuperseded
		}
		ok := false
		for _, f := range from {
			ok = ok || f == s
		}
		if !ok && m.fault != "terminal changes" {
			return refusals[s]
		}
		if to == published && m.fault == "publish without swap" || to == cancelled && m.fault == "blind store" {
			m.at(swap)
			m.word = pack(rev, to)
			return nil
		}
		if m.cas(v, pack(rev, to)) {
			return nil
		}
	}
}

func (m *model) publish(rev uint64) error {
	if err := m.move(rev, published, running); err != nil {
		return err
	}
	m.ended[rev] = true
	m.at(won)
	if m.fault == "stores what is older" || rev > m.stored {
		m.stored = rev
	}
	return nil
}

func (m *model) fail(rev uint64) error {
	err := m.move(rev, failed, running)
	m.ended[rev] = m.ended[rev] || err == nil
	return err
}

func (m *model) cancel(rev uint64) bool {
	won := m.move(rev, cancelled, pending, running) == nil
	m.ended[rev] = m.ended[rev] || won
	return won
}

func (m *model) start(rev uint64) error { return m.move(rev, running, pending) }
func (m *model) forget()                {}
func (m *model) latest() uint64         { m.at(load); return m.stored }
func (m *model) final() (uint64, state) { return unpack(m.word) }
func (m *model) cause(rev uint64) error {
	if m.ended[rev] {
		return ErrTerminal
	}
	return nil
}

func (m *model) kept() bool {
	_, s := unpack(m.word)
	return m.fault == "ticket is kept" || s == pending || s == running
}
