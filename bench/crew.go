package bench

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// crew is goroutines that do a round of work together, again and again. They
// are started once, so that a round costs nothing but the work:
//
//	run                          member
//	1. arrived = 0, start all    1. be started
//	2. wait for all to arrive    2. arrive
//	3. read the clock            3. wait for the next round
//	4. next round                4. work, read the clock
//	5. work as member 0          5. be done
//	6. wait for all to be done
//
// Steps 2 and 3 wait by runtime.Gosched: a member that slept would begin late.
type crew struct {
	work  func(member int)
	start []chan struct{} // of members 1, 2 ...; closed by close

	arrived atomic.Int32  // added to by members, set to 0 by run while they wait
	round   atomic.Uint32 // written by run
	done    sync.WaitGroup
	gone    sync.WaitGroup

	// ended is when each member was done. Written by it before done, read by
	// run after.
	ended []time.Time
}

// newCrew starts a crew of size members, of whom the first is whoever calls run.
func newCrew(size int, work func(member int)) *crew {
	c := &crew{work: work, ended: make([]time.Time, size)}
	for i := 1; i < size; i++ {
		start := make(chan struct{}, 1)
		c.start = append(c.start, start)
		c.gone.Go(func() {
			for range start { // 1
				c.member(i)
			}
		})
	}
	return c
}

func (c *crew) member(i int) {
	round := c.round.Load()
	c.arrived.Add(1)              // 2
	for c.round.Load() == round { // 3
		runtime.Gosched()
	}
	c.work(i) // 4
	c.ended[i] = time.Now()
	c.done.Done() // 5
}

// run does a round and returns the time from the barrier until the last member
// was done.
func (c *crew) run() time.Duration {
	c.arrived.Store(0) // 1
	c.done.Add(len(c.start))
	for _, start := range c.start {
		start <- struct{}{}
	}
	for int(c.arrived.Load()) < len(c.start) { // 2
		runtime.Gosched()
	}
	began := time.Now() // 3
	c.round.Add(1)      // 4
	c.work(0)           // 5
	c.ended[0] = time.Now()
	c.done.Wait() // 6
	var longest time.Duration
	for _, t := range c.ended {
		longest = max(longest, t.Sub(began))
	}
	return longest
}

// close ends the goroutines.
func (c *crew) close() {
	for _, start := range c.start {
		close(start)
	}
	c.gone.Wait()
}
