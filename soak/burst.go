package soak

import (
	"runtime/debug"
	"time"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak/guard"
)

// burstAndIdle: bursts, and between them all workers fall asleep; the one task
// that comes next must wake somebody. At the end an idle executor is watched:
// it must use next to no CPU.
func (t *trial) burstAndIdle() {
	ledger := NewLedger(t.spec.Tasks)
	t.batches(func(base, n int) {
		tasks := make([]Task, n)
		for i := range tasks {
			id := base + i
			tasks[i] = t.submit(id, func(Inside) (int, error) { t.mark(ledger, id); return id, nil })
			if i == 0 { // alone, on sleeping workers
				t.checkEnd(id, tasks[i])
			}
		}
		for i, task := range tasks[1:] {
			t.checkEnd(base+1+i, task)
		}
		t.asleep()
		t.checkQuiet(base)
	})
	t.accountFor(ledger)
	if t.found.none() {
		t.idle()
	}
}

// asleep waits until the executor shows as many sleepers as workers. Never is a
// stall.
func (t *trial) asleep() {
	for t.spin() {
		for _, g := range t.subject.Stats().Gauges {
			if g.Name == SleepingGauge && g.Value == int64(t.subject.Workers()) {
				return
			}
		}
	}
}

// The law of an idle executor: 1 % of one processor, in a process of its own. A
// collection of garbage may disturb a window, so the best of a few counts. In a test's
// process, with whatever other tests have left there, 20 ms a second come and go with
// no executor at all; the limit is one that this cannot reach, and who polls cannot
// stay below.
const (
	idleWindow      = time.Second
	idleLimit       = 10 * time.Millisecond
	sharedIdleLimit = 100 * time.Millisecond
	idleWindows     = 5
)

func (t *trial) idleLimit() time.Duration {
	if t.alone {
		return idleLimit
	}
	return sharedIdleLimit
}

// idle measures what the process uses while the executor has nothing to do. What is
// above the limit is judged when the executor is closed: see checkIdle.
func (t *trial) idle() {
	t.watch.end() // it reads the counters, which costs something too
	defer t.watch.start(t)
	debug.FreeOSMemory() // else the runtime does that, at 1 % of a processor
	t.idleCPU = t.quietest()
	t.value("idle-cpu-ns", float64(t.idleCPU.Nanoseconds()))
}

// quietest is what the process uses at least in a window.
func (t *trial) quietest() time.Duration {
	best := time.Hour
	for n := 0; n < idleWindows && best > t.idleLimit(); n++ {
		before, err := guard.SelfCPU()
		if err != nil {
			t.found.add(record.Contract, "processor time: %v", err)
			return 0
		}
		time.Sleep(idleWindow) // what is measured: nothing happens
		after, _ := guard.SelfCPU()
		best = min(best, after-before)
	}
	return best
}

// checkIdle is called when the executor is closed. What the process uses without it is
// not the executor's: the race detector's own thread takes 10 ms a second of a process
// that has had much memory.
func (t *trial) checkIdle() {
	limit := t.idleLimit()
	if t.idleCPU <= limit {
		return
	}
	if without := t.quietest(); t.idleCPU-without > limit {
		t.found.add(record.Contract, "an idle executor used %v of processor time in %v, limit %v; without it the process used %v", t.idleCPU, idleWindow, limit, without)
	}
}
