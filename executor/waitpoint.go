package executor

import (
	"context"
	"sync"
)

// waitpoint is where goroutines wait for something that happens once. It is
// made by the first that has to wait, so that what nobody waits for costs
// nothing.
type waitpoint struct {
	mu   sync.Mutex
	cond sync.Cond
	open bool          // guarded by mu; false to true only
	ch   chan struct{} // guarded by mu; made by the first call of channel
}

func newWaitpoint() *waitpoint {
	p := &waitpoint{}
	p.cond.L = &p.mu
	return p
}

// passed is the waitpoint of what has happened already.
var passed = func() *waitpoint {
	p := newWaitpoint()
	p.pass()
	p.channel()
	return p
}()

// pass opens the point, once, and wakes all who wait.
func (p *waitpoint) pass() {
	p.mu.Lock()
	p.open = true
	if p.ch != nil {
		close(p.ch)
	}
	p.mu.Unlock()
	p.cond.Broadcast()
}

// wait returns nil once the point is open, or the context's error if that
// ends first.
func (p *waitpoint) wait(ctx context.Context) error {
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() {
			p.mu.Lock()
			p.mu.Unlock() //lint:ignore SA2001 a waiter is now either before its check or in Wait
			p.cond.Broadcast()
		})
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

// channel is closed when the point is open.
func (p *waitpoint) channel() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ch == nil {
		p.ch = make(chan struct{})
		if p.open {
			close(p.ch)
		}
	}
	return p.ch
}
