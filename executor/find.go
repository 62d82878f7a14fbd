package executor

import (
	"runtime"
	"slices"
)

const (
	// injectorTick: at least every 61st task comes from the injector if it
	// has one, so that a worker busy with its own deque does not starve it.
	// Go's and Tokio's schedulers use the same number. As often one comes from
	// the old end of the own deque, where inject may have put it.
	injectorTick = 61
	oldTick      = injectorTick / 2

	// batchMax bounds what one visit to a victim or to the injector takes. A
	// thief that comes more often for less meets the owner more often, and each
	// meeting moves cache lines: with 16 the card's job took some 7 % longer.
	batchMax = 64
)

// next returns the next task to run, sleeping until there is one, or nil when
// the executor is drained.
func (w *Worker) next() *Task {
	if t := w.near(); t != nil {
		return t
	}
	searching := w.exec.sleep.search(w.exec.cfg.Workers)
	for {
		if searching {
			if t := w.search(); t != nil {
				return t
			}
		}
		w.n.busy.Store(0)
		t, left := w.rest(searching)
		if left {
			return nil
		}
		w.n.busy.Store(1)
		if t != nil {
			return t
		}
		searching = true // the waker counted it
	}
}

// near looks where work is cheap: its own deque newest first, its shelf, and then what
// enters; every oldTick-th time first at what has waited long.
func (w *Worker) near() *Task {
	if w.ticks++; w.ticks == oldTick {
		w.ticks = 0
		if t := w.longWaiting(); t != nil {
			return t
		}
	}
	if t, ok := w.deque.Pop(); ok {
		return t
	}
	if t := &w.lights.hand; w.shelf.take(t) {
		return t
	}
	t := w.entered()
	if t == nil && w.lights.unsettled() { // else what is found settles, if it must
		w.settle()
	}
	return t
}

// entered takes what came from outside: with a handle, or light, by turns.
func (w *Worker) entered() *Task {
	if w.lightFirst = !w.lightFirst; w.lightFirst {
		if t := w.takeIn(); t != nil {
			return t
		}
		return w.inject()
	}
	if t := w.inject(); t != nil {
		return t
	}
	return w.takeIn()
}

// longWaiting returns what spawns without end must not hold up: the injector's
// oldest task, or, every other time, the own deque's.
func (w *Worker) longWaiting() *Task {
	if w.oldest = !w.oldest; w.oldest {
		if n, _ := w.steal[w.index].Steal(w.loot[:1]); n > 0 {
			return w.keep(n)
		}
	}
	return w.entered()
}

// search looks everywhere, several times, as a counted searcher.
func (w *Worker) search() *Task {
	for range w.exec.spins {
		if t := w.everywhere(); t != nil {
			w.foundWhileSearching()
			return t
		}
		runtime.Gosched()
	}
	return nil
}

func (w *Worker) foundWhileSearching() {
	if w.exec.sleep.found() && w.workVisible() && w.exec.sleep.wakeOne() {
		w.n.wakes.Add(1)
	}
}

// rest is the worker's side of the protocol in sleep.go. It returns a task
// that it found instead, nil after a sleep, or left when it is time to leave.
func (w *Worker) rest(searching bool) (t *Task, left bool) {
	w.giveBack()
	s := &w.exec.sleep
	s.announce(w, searching)          // 1
	if t = w.everywhere(); t != nil { // 2
		s.retract(w)
		w.foundWhileSearching()
		return t, false
	}
	if s.leave(w, w.exec.cfg.Workers) {
		s.gone()
		return nil, true
	}
	w.n.parks.Add(1)
	w.lights.ahead = false
	w.parker.park() // 3
	return nil, false
}

// everywhere looks once at every other worker's deque and shelf, from a random start,
// and at what enters, which near has just seen empty, last.
func (w *Worker) everywhere() *Task {
	n := len(w.steal)
	victim := int(w.rng.Uint64() % uint64(n))
	for range n {
		if victim != w.index {
			if t := w.stealFrom(victim); t != nil {
				return t
			}
			if t := w.takeFrom(victim); t != nil {
				return t
			}
		}
		if victim++; victim == n {
			victim = 0
		}
	}
	return w.entered()
}

// stealFrom takes from one victim; a lost race is tried again, since it says
// that there was something to take.
func (w *Worker) stealFrom(victim int) *Task {
	for {
		n, retry := w.steal[victim].Steal(w.loot[:w.batch])
		if n > 0 {
			w.n.steals.Add(1)
			w.n.stolen.Add(uint64(n))
			w.exec.shelves[victim].emptied()
			return w.keep(n)
		}
		if !retry {
			return nil
		}
		w.n.stealRaces.Add(1)
	}
}

// keep returns the first of n tasks in w.loot and gives the others to the own
// deque, the oldest on top of what the owner pops.
func (w *Worker) keep(n int) *Task {
	if n == 0 {
		return nil
	}
	t := w.loot[0]
	w.loot[0] = nil
	if n > 1 {
		slices.Reverse(w.loot[1:n])
		w.giveAll(w.loot[1:n])
	}
	return t
}

// workVisible tells whether any queue shows work. A queue whose Len is 0 had
// no item whose push had returned before.
func (w *Worker) workVisible() bool {
	if w.deque == nil { // a refused task was run on the way, and waits
		return true
	}
	if w.exec.light.some.Load() || w.exec.intake.len() > 0 || w.deque.Len() > 0 || w.shelf.any() {
		return true
	}
	for i, victim := range w.steal {
		if i != w.index && (victim.Len() > 0 || w.exec.shelves[i].any()) {
			return true
		}
	}
	return false
}
