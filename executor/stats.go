package executor

import (
	"math"
	"sync/atomic"

	"github.com/exactlyonce/certify/executor/lifecycle"
)

// Stats is what an executor has done and what it holds. Counters only rise
// and include every task whose handle has resolved. Gauges are read one after
// the other: at a quiet moment they are exact and
//
//	Submitted + Spawned = Completed + Failed + Cancelled + Queued + Idle + Running
//
// and at any moment each is between 0 and its bound.
type Stats struct {
	Workers  int
	Capacity int // Config.Capacity and the room of all storages
	Room     int // for light tasks, once there were any

	Submitted uint64 // accepted from outside, and those that a bounded injector is about to refuse
	Spawned   uint64 // accepted from inside, those that ran in place included
	InPlace   uint64 // spawned while no slot was free
	Completed uint64
	Failed    uint64 // returned an error, panicked or called Goexit
	Cancelled uint64
	Panics    uint64
	Goexits   uint64

	Injected   uint64 // tasks that workers took from the injector
	Steals     uint64 // visits to a victim that took something
	Stolen     uint64 // tasks that those visits took
	StealRaces uint64 // steals that lost a race and were tried again
	Parks      uint64 // times that a worker went to sleep
	Wakes      uint64 // times that a sleeper was woken for work

	Stored    int // slots taken; at most Config.Capacity
	HighWater int // the most slots seen taken, at times and by Stats
	Queued    int // at most Capacity + Room
	Idle      int // polled and waiting for a wake; at most Capacity
	Running   int // at most Workers + Apart
	Apart     int // of those, more than there are workers for: beside a stand-in, in place, or by their waiter
	Sleeping  int // at most Workers
	Searching int // at most Workers
}

// counters are one worker's. Only the worker writes them; Stats reads them.
type counters struct {
	spawned, inPlace, inPlaceEnded atomic.Uint64 // spawned: without those in place
	helped, helpedEnded            atomic.Uint64 // run by their waiters
	busy                           atomic.Uint64 // 1 from a task found to none found
	completed, failed, overridden  atomic.Uint64
	panics, goexits                atomic.Uint64
	injected                       atomic.Uint64
	steals, stolen, stealRaces     atomic.Uint64
	parks, wakes, idled            atomic.Uint64 // idled: polls that left their task Idle
}

// endedBadly counts the end of a run that did not complete; one that a cancel
// overrode is counted as cancelled there.
func (c *counters) endedBadly(outcome lifecycle.State) {
	if outcome == lifecycle.Failed {
		c.failed.Add(1)
	} else {
		c.overridden.Add(1)
	}
}

// Stats reads the counters. It wakes nobody and may be called at any time.
func (e *Executor) Stats() Stats {
	// What ends a task is read before what accepts it, so that no difference
	// is negative.
	s := Stats{Workers: e.cfg.Workers, Capacity: e.cfg.Capacity + int(e.outside.storages.Load())}
	cancelled := e.outside.cancelledRunning.Load()
	s.Cancelled = cancelled + e.outside.cancelledQueued.Load()
	roused := e.outside.roused.Load()
	running, idled := e.addWorkers(&s, cancelled)
	light, room := e.light.stats()
	s.Submitted, s.Room = e.outside.submitted.Load()+light, room
	s.Wakes += e.outside.wakes.Load()

	s.Running = within(running.in, running.out, s.Workers+s.Apart)
	s.Idle = within(idled, roused, s.Capacity)
	s.Queued = within(s.Submitted+s.Spawned, s.Completed+s.Failed+s.Cancelled+uint64(s.Running+s.Idle), s.Capacity+s.Room)
	word := e.sleep.word.Load()
	s.Sleeping, s.Searching = idleOf(word), searchingOf(word)
	if slab := e.slab.Load(); slab != nil {
		s.Stored = slab.sample()
		s.HighWater = int(slab.high.Load())
	}
	return s
}

// flow is what came in and what went out.
type flow struct{ in, out uint64 }

// addWorkers adds up the workers' counters, and returns what began and ended to
// run, and how often a polled task was left Idle. cancelled is how many tasks
// were cancelled while they ran.
func (e *Executor) addWorkers(s *Stats, cancelled uint64) (running flow, idled uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := []*counters{&e.gone}
	for _, w := range e.roster() {
		all = append(all, &w.n)
	}
	overridden, ended := e.outside.overridden.Load(), uint64(0)
	for _, n := range all {
		s.Completed += n.completed.Load()
		s.Failed += n.failed.Load()
		overridden += n.overridden.Load()
		ended += n.inPlaceEnded.Load() + n.helpedEnded.Load()
	}
	running.out = ended
	running.out += cancelled - min(cancelled, overridden) // bodies that were cancelled and have not returned
	nested := uint64(0)
	for _, n := range all {
		running.in += n.busy.Load()
		nested += n.inPlace.Load() + n.helped.Load()
		idled += n.idled.Load()
		s.add(n)
	}
	running.in += nested
	s.Apart = len(all) - 1 - s.Workers + within(nested, ended, math.MaxInt)
	return running, idled
}

// add adds one worker's counters, but for those of ends.
func (s *Stats) add(n *counters) {
	inPlace := n.inPlace.Load()
	s.InPlace += inPlace
	s.Spawned += inPlace + n.spawned.Load()
	s.Panics += n.panics.Load()
	s.Goexits += n.goexits.Load()
	s.Injected += n.injected.Load()
	s.Steals += n.steals.Load()
	s.Stolen += n.stolen.Load()
	s.StealRaces += n.stealRaces.Load()
	s.Parks += n.parks.Load()
	s.Wakes += n.wakes.Load()
}

// add adds the counters of a worker that has ended.
func (c *counters) add(n *counters) {
	for _, pair := range [][2]*atomic.Uint64{
		{&c.spawned, &n.spawned}, {&c.inPlace, &n.inPlace}, {&c.inPlaceEnded, &n.inPlaceEnded},
		{&c.helped, &n.helped}, {&c.helpedEnded, &n.helpedEnded},
		{&c.completed, &n.completed}, {&c.failed, &n.failed}, {&c.overridden, &n.overridden},
		{&c.panics, &n.panics}, {&c.goexits, &n.goexits}, {&c.injected, &n.injected},
		{&c.steals, &n.steals}, {&c.stolen, &n.stolen}, {&c.stealRaces, &n.stealRaces},
		{&c.parks, &n.parks}, {&c.wakes, &n.wakes}, {&c.idled, &n.idled},
	} {
		pair[0].Add(pair[1].Load())
	}
}

// within is in-out, for counts read at different moments: in may have run
// ahead of out by more than the gauge can hold.
func within(in, out uint64, bound int) int {
	if in <= out {
		return 0
	}
	return int(min(in-out, uint64(bound)))
}
