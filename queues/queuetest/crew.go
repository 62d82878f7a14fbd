package queuetest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// crew is goroutines that begin together and are watched for panics.
type crew struct {
	group sync.WaitGroup
	size  int

	// arrived counts up to size and starts over, phase counts the times it did.
	// All members write both, in meet.
	arrived atomic.Int32
	phase   atomic.Uint32

	// panicked is set once a member has panicked; the others read it in meet
	// and between operations. Nobody writes it in a run that goes well, so it
	// orders nothing then.
	panicked atomic.Bool
	mu       sync.Mutex
	err      error
}

// run calls all members at the same moment and waits for them.
func run(members ...func(*crew)) error {
	c := &crew{size: len(members)}
	c.group.Add(c.size)
	for _, member := range members {
		go func() {
			defer c.group.Done()
			defer c.guard()
			c.meet()
			member(c)
		}()
	}
	c.group.Wait()
	return c.err
}

func (c *crew) guard() {
	if p := recover(); p != nil {
		c.mu.Lock()
		c.err = fmt.Errorf("panic: %v", p)
		c.mu.Unlock()
		c.panicked.Store(true)
	}
}

// meet waits until all members are here. Spinning brings them closer together
// than a lock does. It returns false when one of them will not come.
func (c *crew) meet() bool {
	phase := c.phase.Load()
	if c.arrived.Add(1) == int32(c.size) {
		c.arrived.Store(0)
		c.phase.Add(1)
	}
	for spins := 0; c.phase.Load() == phase; spins++ {
		if c.panicked.Load() {
			return false
		}
		if spins > 100 {
			runtime.Gosched()
		}
	}
	return true
}

// stumble yields now and then, so that goroutines meet in other places each
// time, on one processor too.
func stumble(dice *rand.Rand) {
	if dice.Uint32()%32 == 0 {
		runtime.Gosched()
	}
}
