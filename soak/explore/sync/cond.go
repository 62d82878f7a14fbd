package sync

import (
	real "sync"

	"github.com/exactlyonce/certify/soak/explore/control"
)

// Cond stands in for the type of sync.
type Cond struct {
	L Locker

	loc     control.Gate
	mu      real.Mutex
	waiting []*waiter // first come, first woken; threads of an exploration
	outside []chan struct{}
}

// waiter is a thread in Wait. Its gate is shut until it is woken.
type waiter struct{ gate control.Gate }

const asleep = 1

// NewCond returns a Cond with Locker l.
func NewCond(l Locker) *Cond { return &Cond{L: l} }

func (c *Cond) Wait() {
	t := control.Running()
	if t == nil {
		c.waitOutside()
		return
	}
	t.Access(&c.loc, control.KindWrite)
	if control.Tracing() {
		control.Note("Wait")
	}
	w := new(waiter)
	w.gate.Shut(asleep)
	c.waiting = append(c.waiting, w)
	c.L.Unlock()
	t.Pass(&w.gate, control.KindRead, asleep, "for a signal")
	if control.Tracing() {
		control.Note("woken")
	}
	c.L.Lock()
}

func (c *Cond) Signal()    { c.wake("Signal", 1) }
func (c *Cond) Broadcast() { c.wake("Broadcast", -1) }

// wake wakes up to n, all if n is negative.
func (c *Cond) wake(op string, n int) {
	t := control.Running()
	if t == nil {
		c.wakeOutside(n)
		return
	}
	t.Access(&c.loc, control.KindWrite)
	if n < 0 || n > len(c.waiting) {
		n = len(c.waiting)
	}
	for _, w := range c.waiting[:n] {
		t.Wake(&w.gate, asleep)
	}
	c.waiting = c.waiting[n:]
	if control.Tracing() {
		control.Note(op, n)
	}
}

func (c *Cond) waitOutside() {
	woken := make(chan struct{})
	c.mu.Lock()
	c.outside = append(c.outside, woken)
	c.mu.Unlock()
	c.L.Unlock()
	<-woken
	c.L.Lock()
}

func (c *Cond) wakeOutside(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n < 0 || n > len(c.outside) {
		n = len(c.outside)
	}
	for _, woken := range c.outside[:n] {
		close(woken)
	}
	c.outside = c.outside[n:]
}
