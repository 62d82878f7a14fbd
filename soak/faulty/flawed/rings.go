package flawed

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/exactlyonce/certify/queues"
)

// moduloSlots leave 1 of 2^32, so that the first slot after the wrap is the last before.
const moduloSlots = 85

// modulo is a ring under a lock whose positions have 32 bits, and whose size does not
// divide what they count to: where they wrap, the next slot is not the next one.
type modulo[E any] struct {
	mu         sync.Mutex
	slots      [moduloSlots]*E
	head, tail uint32
}

func newModulo[E any](o queues.Options) queues.Injector[*E] {
	return &modulo[E]{head: uint32(o.Start), tail: uint32(o.Start)}
}

func (r *modulo[E]) Push(v *E) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tail-r.head == moduloSlots {
		return false
	}
	r.slots[r.tail%moduloSlots] = v
	r.tail++
	return true
}

func (r *modulo[E]) Pop() (*E, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tail == r.head {
		return nil, false
	}
	v := r.slots[r.head%moduloSlots]
	r.head++
	return v, true
}

func (r *modulo[E]) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return int(r.tail - r.head)
}

func (r *modulo[E]) PushAll(vs []*E) int { return pushAll(r.Push, vs) }
func (r *modulo[E]) PopInto(d []*E) int  { return popInto(r.Pop, d) }

// sidelined: a push that lost the race for the end of the queue goes elsewhere, and comes
// out when the queue is empty, after what was pushed later. Nothing is lost.
type sidelined[E any] struct {
	*linked[E]
	side *stack[E]
}

func (q sidelined[E]) Push(v *E) bool {
	n := &node[E]{value: v}
	for {
		tail := q.tail.Load()
		if next := tail.next.Load(); next != nil {
			q.tail.CompareAndSwap(tail, next)
			continue
		}
		runtime.Gosched() // somebody is to come between
		if !tail.next.CompareAndSwap(nil, n) {
			return q.side.Push(v)
		}
		q.tail.CompareAndSwap(tail, n)
		return true
	}
}

// Pop says empty when the side was while the queue was.
func (q sidelined[E]) Pop() (*E, bool) {
	for {
		head := q.head.Load()
		if v, ok := q.linked.Pop(); ok {
			return v, true
		}
		if v, ok := q.side.Pop(); ok {
			return v, true
		}
		if head.next.Load() == nil {
			return nil, false
		}
	}
}

func (q sidelined[E]) Len() int            { return q.linked.Len() + q.side.Len() }
func (q sidelined[E]) PushAll(vs []*E) int { return pushAll(q.Push, vs) }
func (q sidelined[E]) PopInto(d []*E) int  { return popInto(q.Pop, d) }

// lateCount: an item is counted once it is in, when somebody may have taken it and
// counted that.
type lateCount[E any] struct {
	*linked[E]
	n *atomic.Int64
}

func (q lateCount[E]) Push(v *E) bool {
	q.linked.Push(v)
	runtime.Gosched()
	q.n.Add(1)
	return true
}

func (q lateCount[E]) Pop() (*E, bool) {
	v, ok := q.linked.Pop()
	if ok {
		q.n.Add(-1)
	}
	return v, ok
}

func (q lateCount[E]) Len() int            { return int(q.n.Load()) }
func (q lateCount[E]) PushAll(vs []*E) int { return pushAll(q.Push, vs) }
func (q lateCount[E]) PopInto(d []*E) int  { return popInto(q.Pop, d) }
