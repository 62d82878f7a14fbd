package poll

import (
	"sync/atomic"

	"github.com/exactlyonce/certify/executor"
)

// Waker has one future polled again. It may be copied, kept, and used from any
// goroutine at any time: too often, too late or not at all. It keeps nothing
// of the future alive. The zero Waker wakes nobody.
type Waker struct{ target target }

// target is who polls.
type target interface{ wake() }

// Wake has the future polled again, unless it has ended.
func (k Waker) Wake() {
	if k.target != nil {
		k.target.wake()
	}
}

// root wakes a task.
type root struct{ waker executor.Waker }

func (r *root) wake() { r.waker.Wake() }

// event is something that happens once, seen by one future:
//
//	future                               whoever it happens to
//	1. store the waker                   1. store happened
//	2. load happened; if not, wait       2. load the waker, and wake it
//
// Of two steps 1 and two steps 2 at least one sees the other's, so no future
// waits for what has happened. What was written before step 1 of the right side
// may be read after step 2 of the left.
type event struct {
	waker    atomic.Pointer[Waker] // of the last poll; stored by the future
	happened atomic.Bool           // false to true, once
}

// over tells whether it has happened, and if not has c woken when it does.
func (e *event) over(c *Context) bool {
	if k := e.waker.Load(); k == nil || *k != c.waker {
		k := c.waker
		e.waker.Store(&k) // 1
	}
	return e.happened.Load() // 2
}

// happen may be called from any goroutine.
func (e *event) happen() {
	e.happened.Store(true)             // 1
	if k := e.waker.Load(); k != nil { // 2
		k.Wake()
	}
}

// hub is what the branches of a Join or a Select have in common: who polls it.
type hub struct{ waker atomic.Pointer[Waker] }

// set is called at the beginning of each poll. A wake that still goes to the
// waker before it is one to the poll that has begun.
func (h *hub) set(k Waker) {
	if old := h.waker.Load(); old == nil || *old != k {
		h.waker.Store(&k)
	}
}

// branch wakes one of several futures that are polled as one: it notes which
// one, so that the others are left alone.
//
//	wake                                 poll of all
//	1. store woken                       1. take woken, for each branch
//	2. wake the whole                    2. poll the branches that had it
//
// A wake whose step 1 comes after the poll's step 1 has its step 2 after the
// poll began, which therefore is followed by another.
type branch struct {
	hub   *hub
	woken atomic.Bool
}

func (b *branch) wake() {
	b.woken.Store(true)
	b.hub.waker.Load().Wake()
}
