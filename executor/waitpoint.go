package executor

import (
	"context"
	"runtime"
	"sync"

	"github.com/exactlyonce/certify/executor/lifecycle"
)

// waitpoint is where goroutines wait for something that happens once. For a
// task it is made by the first that has to wait, so that an end that nobody
// waits for costs one load:
//
//	waiter                               end of generation g
//	1. put a waitpoint of generation g   1. move the word to g+1
//	   into the slot, or find one        2. take a waitpoint of generation g
//	2. load the word: g is over? done       out of the slot, and pass it
//	3. wait for the pass
//
// Of two steps 1 and two steps 2 at least one sees the other's, so nobody
// waits for an end that was. The slot's next task may have begun by the end's
// step 2; its waiters are told apart by their generation.
type waitpoint struct {
	gen lifecycle.Gen

	mu   sync.Mutex
	cond sync.Cond
	open bool          // guarded by mu; false to true only
	ch   chan struct{} // guarded by mu; made by the first call of channel
}

func newWaitpoint(g lifecycle.Gen) *waitpoint {
	p := &waitpoint{gen: g}
	p.cond.L = &p.mu
	return p
}

// soonYields is how often one who waits lets others run before it does what a longer
// wait takes, which is some microseconds: the worker that it has just woken may need
// no more than its processor.
const soonYields = 4

// soon tells whether over becomes true before long.
func soon(over func() bool) bool {
	for range soonYields {
		if over() {
			return true
		}
		runtime.Gosched()
	}
	return over()
}

// closed is what a passed waitpoint's channel looks like.
var closed = func() chan struct{} { ch := make(chan struct{}); close(ch); return ch }()

// waitpoint is the waiter's step 1.
func (t *slot) waitpoint(g lifecycle.Gen) *waitpoint {
	fresh := newWaitpoint(g)
	for {
		p := t.waiters.Load()
		if p != nil && p.gen >= g {
			return p // of a later task: step 2 will find that g is over
		}
		if t.waiters.CompareAndSwap(p, fresh) {
			if p != nil {
				p.pass() // its generation is over, and its end has not got here yet
			}
			return fresh
		}
	}
}

// wake is the end's step 2.
func (t *slot) wake(g lifecycle.Gen) {
	if p := t.waiters.Load(); p != nil {
		t.pass(p, g)
	}
}

func (t *slot) pass(p *waitpoint, g lifecycle.Gen) {
	if p.gen == g && t.waiters.CompareAndSwap(p, nil) {
		p.pass()
	}
}

// pass opens the point and wakes all who wait. Only the first call counts.
func (p *waitpoint) pass() {
	p.mu.Lock()
	if !p.open && p.ch != nil {
		close(p.ch)
	}
	p.open = true
	p.mu.Unlock()
	p.cond.Broadcast()
}

// wait returns nil once the point is open, or ctx's error if that ends first.
func (p *waitpoint) wait(ctx context.Context) error {
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, p.recheck)
		defer stop()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.open {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.cond.Wait()
	}
	return nil
}

// recheck wakes the waiters without opening the point. Taking mu first means
// that each is either before its check or asleep.
func (p *waitpoint) recheck() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cond.Broadcast()
}

// channel is closed when the point is open.
func (p *waitpoint) channel() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.open:
		return closed
	case p.ch == nil:
		p.ch = make(chan struct{})
	}
	return p.ch
}
