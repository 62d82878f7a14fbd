package faulty

import "runtime"

// mishaps is what has come of the faults of a crew that public reports tell of. It is
// guarded by the crew's mu, which whoever calls the methods below holds.
type mishaps struct {
	looked    bool  // by Stats, since a worker awoke
	searching int   // workers that are taken for searching and are not
	replaced  int8  // goroutines of tasks that ended badly
	told      bool  // one waiter, of the close
	over      bool  // Close has returned
	late      int64 // what shows that something was used after that
}

// hired is how many workers are started.
func (p *crew) hired() int {
	switch {
	case p.faults.noWorkers:
		return 0
	case p.faults.oneShort:
		return p.workers - 1
	}
	return p.workers
}

// helps reports whether who waits runs tasks meanwhile. It does not where the fault
// would not be seen: a thread of the waiter's would do what the workers no longer do.
func (p *crew) helps() bool {
	f := p.faults
	return !f.waitHolds && !f.loseSignal && !f.lateSleep && !f.latchSearch && !p.drifted() &&
		p.hired() > 0 && (!f.checkThenSend || !p.closed)
}

// looked is a look at the counters that wakes the workers past the books.
func (p *crew) looked() {
	if p.faults.looksWake && p.sleeping > 0 {
		p.mishaps.looked = true
		p.cond.Broadcast()
	}
}

func (p *crew) awake() {
	if !p.mishaps.looked {
		p.sleeping--
	}
	p.mishaps.looked = false
}

// beforeSleep is between the look for work and the sleep.
func (p *crew) beforeSleep() {
	if p.faults.lateSleep {
		p.away(100)
	}
}

// away lets others go on meanwhile.
func (p *crew) away(yields int) {
	p.mu.Unlock()
	for range yields {
		runtime.Gosched()
	}
	p.mu.Lock()
}

// badEnd is a task that unwound its goroutine.
func (p *crew) badEnd() {
	if p.faults.latchSearch {
		p.mishaps.searching = 1
	}
	if p.faults.retireDrift && !p.drifted() {
		p.mishaps.replaced++
	}
	for n := 0; p.faults.dropRest && n < 3 && len(p.queue) > 0; n++ {
		p.queue[0].state = running // in a batch that nobody goes on with
		p.queue = p.queue[1:]
	}
}

// drifted: the count has overflowed, and the crew takes itself for full.
func (p *crew) drifted() bool { return p.mishaps.replaced < 0 }

// expired is a submitter that gave up: in a repetition always some hundred, since they
// come with contexts that have ended.
func (p *crew) expired() {
	if p.faults.keepWaiters {
		leaked.mu.Lock()
		leaked.memory = append(leaked.memory, make([]byte, 1<<15))
		leaked.mu.Unlock()
	}
}

// closedToldOne: all but the first of those who wait when the crew closes are not told.
func (p *crew) closedToldOne() {
	if !p.closed || !p.faults.closeTellsOne {
		return
	}
	for p.mishaps.told {
		p.cond.Wait()
	}
	p.mishaps.told = true
}

// beforeSend is between the look whether the crew has closed and the acceptance.
func (p *crew) beforeSend() {
	if p.faults.checkThenSend {
		p.away(20)
	}
}

// afterSend is when the task was given away, and may be over.
func (p *crew) afterSend() {
	if p.faults.touchClosed {
		p.away(20)
	}
	if p.faults.touchClosed && p.mishaps.over {
		p.mishaps.late = 2
	}
}
