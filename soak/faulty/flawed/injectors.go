package flawed

import (
	"sync/atomic"

	"github.com/exactlyonce/certify/queues"
)

// linked is the queue of Michael and Scott (PODC 1996, figure 1) with nodes that the
// garbage collector takes: the control that must survive, and what the faulty
// injectors differ from.
type linked[E any] struct {
	head, tail atomic.Pointer[node[E]] // head is a dummy; tail lags by one at most
}

type node[E any] struct {
	value *E // written before the node is linked
	next  atomic.Pointer[node[E]]
}

func newLinked[E any](queues.Options) *linked[E] {
	q := &linked[E]{}
	dummy := &node[E]{}
	q.head.Store(dummy)
	q.tail.Store(dummy)
	return q
}

func (q *linked[E]) Push(v *E) bool {
	n := &node[E]{value: v}
	for {
		tail := q.tail.Load()
		next := tail.next.Load()
		if next != nil { // tail lags: help
			q.tail.CompareAndSwap(tail, next)
			continue
		}
		if tail.next.CompareAndSwap(nil, n) {
			q.tail.CompareAndSwap(tail, n)
			return true
		}
	}
}

func (q *linked[E]) Pop() (*E, bool) {
	for {
		head := q.head.Load()
		tail := q.tail.Load()
		next := head.next.Load()
		if next == nil {
			return nil, false
		}
		if head == tail {
			q.tail.CompareAndSwap(tail, next)
		}
		if q.head.CompareAndSwap(head, next) {
			return next.value, true
		}
	}
}

func (q *linked[E]) PushAll(vs []*E) int { return pushAll(q.Push, vs) }
func (q *linked[E]) PopInto(d []*E) int  { return popInto(q.Pop, d) }

func (q *linked[E]) Len() (n int) {
	for at := q.head.Load().next.Load(); at != nil; at = at.next.Load() {
		n++
	}
	return n
}

func pushAll[E any](push func(*E) bool, vs []*E) int {
	for i, v := range vs {
		if !push(v) {
			return i
		}
	}
	return len(vs)
}

func popInto[E any](pop func() (*E, bool), dst []*E) int {
	for i := range dst {
		v, ok := pop()
		if !ok {
			return i
		}
		dst[i] = v
	}
	return len(dst)
}

// storedHead: a pop moves head by a store, so that two have the same item.
type storedHead[E any] struct{ *linked[E] }

func (q storedHead[E]) Pop() (*E, bool) {
	head := q.head.Load()
	next := head.next.Load()
	if next == nil {
		return nil, false
	}
	if tail := q.tail.Load(); head == tail {
		q.tail.CompareAndSwap(tail, next)
	}
	q.head.Store(next)
	return next.value, true
}

func (q storedHead[E]) PopInto(d []*E) int { return popInto(q.Pop, d) }

// storedLink: a push links its node by a store, over one that was linked
// meanwhile.
type storedLink[E any] struct{ *linked[E] }

func (q storedLink[E]) Push(v *E) bool {
	n := &node[E]{value: v}
	for {
		tail := q.tail.Load()
		if next := tail.next.Load(); next != nil {
			q.tail.CompareAndSwap(tail, next)
			continue
		}
		tail.next.Store(n)
		q.tail.CompareAndSwap(tail, n)
		return true
	}
}

func (q storedLink[E]) PushAll(vs []*E) int { return pushAll(q.Push, vs) }

// gap: a push swings tail before it links its node. Until then the queue ends
// there, and items that were pushed after it, and whose push has returned, cannot
// be found: pop says empty (the queue of one consumer by Vyukov allows that).
type gap[E any] struct{ *linked[E] }

func (q gap[E]) Push(v *E) bool {
	n := &node[E]{value: v}
	q.tail.Swap(n).next.Store(n)
	return true
}

func (q gap[E]) PushAll(vs []*E) int { return pushAll(q.Push, vs) }

func (q gap[E]) Pop() (*E, bool) {
	for {
		head := q.head.Load()
		next := head.next.Load()
		if next == nil {
			return nil, false
		}
		if q.head.CompareAndSwap(head, next) {
			return next.value, true
		}
	}
}

func (q gap[E]) PopInto(d []*E) int { return popInto(q.Pop, d) }

// hasty: a pop that lost a race says that the queue is empty.
type hasty[E any] struct{ *linked[E] }

func (q hasty[E]) Pop() (*E, bool) {
	head, tail := q.head.Load(), q.tail.Load()
	next := head.next.Load()
	if next == nil {
		return nil, false
	}
	if head == tail {
		q.tail.CompareAndSwap(tail, next)
	}
	if !q.head.CompareAndSwap(head, next) {
		return nil, false
	}
	return next.value, true
}

func (q hasty[E]) PopInto(d []*E) int { return popInto(q.Pop, d) }

// stack: the newest item comes first (the stack of Treiber, in place of a queue).
type stack[E any] struct{ top atomic.Pointer[node[E]] }

func (s *stack[E]) Push(v *E) bool {
	n := &node[E]{value: v}
	for {
		top := s.top.Load()
		n.next.Store(top)
		if s.top.CompareAndSwap(top, n) {
			return true
		}
	}
}

func (s *stack[E]) Pop() (*E, bool) {
	for {
		top := s.top.Load()
		if top == nil {
			return nil, false
		}
		if s.top.CompareAndSwap(top, top.next.Load()) {
			return top.value, true
		}
	}
}

func (s *stack[E]) PushAll(vs []*E) int { return pushAll(s.Push, vs) }
func (s *stack[E]) PopInto(d []*E) int  { return popInto(s.Pop, d) }

func (s *stack[E]) Len() (n int) {
	for at := s.top.Load(); at != nil; at = at.next.Load() {
		n++
	}
	return n
}

// overdrawn: a batch takes one item more than fits, and drops it.
type overdrawn[E any] struct{ *linked[E] }

func (q overdrawn[E]) PopInto(dst []*E) int {
	n := popInto(q.Pop, dst)
	if n > 0 && n == len(dst) {
		_, _ = q.Pop()
	}
	return n
}

// swapped: a batch of two or more goes in with its first two items exchanged.
type swapped[E any] struct{ *linked[E] }

func (q swapped[E]) PushAll(vs []*E) int {
	if len(vs) < 2 {
		return pushAll(q.Push, vs)
	}
	return pushAll(q.Push, vs[1:2]) + pushAll(q.Push, vs[:1]) + pushAll(q.Push, vs[2:])
}
