package executor_test

import "testing"

// The protocol of sleep.go as a model: one publisher of two tasks and two
// workers, whose atomic steps are run in every order there is. The tasks wait
// for each other, so that each needs a worker of its own: a schedule in which
// nobody can go on while a task is left in the queue is a lost wake.
//
// publisher: push ─▶ load ─▶ wake ─▶ push ...    load and wake: steps 2 and 3
// worker:    look ─▶ announce ─▶ rescan ─▶ park ─▶ look, counted as searching
//
//	└──────▶ found ◀┘ ─▶ chain ─▶ run
type model struct {
	queue, begun int8
	searching    int8
	idle         [2]bool // on the stack
	counted      [2]bool // as searching
	permit       [2]bool
	at           [2]place
	publisher    place
	left         int8 // tasks to publish
}

type place int8

const (
	look place = iota
	announce
	rescan
	retract
	park
	found
	chain
	run
	over
	push
	load
	wake
	loadFirst // of a publisher that looks for sleepers before it publishes
	pushLast
)

// mutant is the fault of a faulty protocol.
type mutant int

const (
	none mutant = iota
	noRescan
	noChain
	lookBeforePush
	noPermit // a wake that comes before the sleep is not kept
)

func (m model) idlers() (n int8) {
	for _, idle := range m.idle {
		if idle {
			n++
		}
	}
	return n
}

// wakeOne is atomic: it is under the lock but for the permit, which only the
// woken one takes.
func (m *model) wakeOne(fault mutant) {
	for i := range m.idle {
		if m.idle[i] && m.searching == 0 {
			m.idle[i], m.counted[i] = false, true
			m.searching++
			m.permit[i] = fault != noPermit || m.at[i] == park
			return
		}
	}
}

// publish is the publisher's next step; false when it has none.
func (m *model) publish(fault mutant) bool {
	switch m.publisher {
	case push, pushLast:
		m.queue++
		m.left--
		if m.publisher == pushLast {
			m.next(fault)
		} else {
			m.publisher = load
		}
	case load, loadFirst:
		first := m.publisher == loadFirst
		switch {
		case m.idlers() > 0 && m.searching == 0:
			m.wakeOne(fault)
			fallthrough
		default:
			if first {
				m.publisher = pushLast
			} else {
				m.next(fault)
			}
		}
	default:
		return false
	}
	return true
}

func (m *model) next(fault mutant) {
	switch {
	case m.left == 0:
		m.publisher = over
	case fault == lookBeforePush:
		m.publisher = loadFirst
	default:
		m.publisher = push
	}
}

// work is worker i's next step; false when it has none.
func (m *model) work(i int, fault mutant) bool {
	took := false
	switch at := m.at[i]; at {
	case look, rescan:
		if at == rescan && fault == noRescan {
			m.at[i] = park
			return true
		}
		if took = m.queue > 0; took {
			m.queue--
		}
		m.at[i] = map[place]place{look: announce, rescan: park}[at]
		if took {
			m.at[i] = map[place]place{look: found, rescan: retract}[at]
		}
	case announce:
		m.idle[i] = true
		m.uncount(i)
		m.at[i] = rescan
	case retract: // or a waker was faster, and its permit is taken
		if m.idle[i] {
			m.idle[i], m.counted[i] = false, true
			m.searching++
		} else if m.permit[i] {
			m.permit[i] = false
		} else {
			return false
		}
		m.at[i] = found
	case park:
		if !m.permit[i] {
			return false
		}
		m.permit[i] = false
		m.at[i] = look
	case found:
		last := m.counted[i] && m.searching == 1 && m.idlers() > 0
		m.uncount(i)
		m.at[i] = run
		if last && fault != noChain {
			m.at[i] = chain
		}
		m.begun++
	case chain:
		if m.queue > 0 {
			m.wakeOne(fault)
		}
		m.at[i] = run
	case run:
		if m.begun < 2 {
			return false // waits for the other task
		}
		m.at[i] = over
	default:
		return false
	}
	return true
}

func (m *model) uncount(i int) {
	if m.counted[i] {
		m.counted[i] = false
		m.searching--
	}
}

// explore runs every schedule and returns the states it met, and those in
// which a task is left and nobody can go on.
func explore(t *testing.T, fault mutant) (met, lost int) {
	first := model{left: 2}
	first.next(fault)
	seen, todo := map[model]bool{first: true}, []model{first}
	for len(todo) > 0 {
		m := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if m.searching < 0 || m.searching+m.idlers() > 2 {
			t.Fatalf("invariant: %+v", m)
		}
		stuck := true
		for actor := range 3 {
			after := m
			if actor == 2 && !after.publish(fault) || actor < 2 && !after.work(actor, fault) {
				continue
			}
			stuck = false
			if !seen[after] {
				seen[after] = true
				todo = append(todo, after)
			}
		}
		if stuck && m.begun < 2 {
			lost++
		}
	}
	return len(seen), lost
}

// X4: no schedule of the protocol loses a wake, and the model is good enough
// to see the loss when a step is left out.
func TestSleepModelX4(t *testing.T) {
	if met, lost := explore(t, none); lost > 0 || met < 200 {
		t.Errorf("%d of %d states lose a wake", lost, met)
	}
	for name, fault := range map[string]mutant{
		"no second look": noRescan, "no chain wake": noChain, "look before push": lookBeforePush, "no permit": noPermit,
	} {
		if met, lost := explore(t, fault); lost == 0 {
			t.Errorf("%s: no wake lost in %d states", name, met)
		} else {
			t.Logf("%s: %d of %d states lose a wake", name, lost, met)
		}
	}
}
