package msqueue

import "github.com/exactlyonce/certify/queues/epoch"

// Push adds v and returns true.
func (q *Queue[T]) Push(v T) bool {
	g := q.producers.Pin()
	n := alloc(g, v)
	q.link(n, n)
	g.Unpin()
	return true
}

// PushAll adds all of vs in order and returns their number. Each 64 of them
// are contiguous in the queue.
func (q *Queue[T]) PushAll(vs []T) int {
	for rest := vs; len(rest) > 0; {
		n := min(len(rest), chunk)
		g := q.producers.Pin()
		q.link(chain(g, rest[:n]))
		g.Unpin()
		rest = rest[n:]
	}
	return len(vs)
}

// alloc returns a node of the caller's own.
func alloc[T any](g epoch.Guard[node[T]], v T) *node[T] {
	n := g.Alloc()
	if n == nil {
		n = new(node[T])
	}
	n.value = v
	return n
}

// chain returns the ends of a private list of vs, which is not empty.
func chain[T any](g epoch.Guard[node[T]], vs []T) (first, last *node[T]) {
	first = alloc(g, vs[0])
	last = first
	for _, v := range vs[1:] {
		n := alloc(g, v)
		last.next.Store(n)
		last = n
	}
	return first, last
}

// link puts the private list first..last behind the last node of the queue.
//
//	producer                           everybody
//	1. number the list                 1. load tail
//	2. CAS last.next nil -> first      2. load its next
//	3. CAS tail -> last                3. if there is one, CAS tail -> next
//
// The caller is pinned.
func (q *Queue[T]) link(first, last *node[T]) {
	for {
		tail := q.tail.Load()
		if next := tail.next.Load(); next != nil {
			q.tail.CompareAndSwap(tail, next) // lagging: help; severed: fails
			continue
		}
		number(first, last, tail.seq)
		if tail.next.CompareAndSwap(nil, first) { // publishes the list; pairs with the loads of next
			q.settle(tail, last)
			return
		}
	}
}

// number gives the nodes of a private list their numbers, after that of tail.
func number[T any](first, last *node[T], seq uint64) {
	for n := first; ; n = n.next.Load() {
		seq++
		n.seq = seq
		if n == last {
			return
		}
	}
}

// settle moves the tail to last or beyond. When somebody has helped it on into
// the caller's list meanwhile, it goes on step by step: Len counts up to the tail.
func (q *Queue[T]) settle(tail, last *node[T]) {
	if q.tail.CompareAndSwap(tail, last) {
		return
	}
	for {
		tail = q.tail.Load()
		if int64(last.seq-tail.seq) <= 0 {
			return
		}
		q.tail.CompareAndSwap(tail, tail.next.Load()) // not nil: last comes later in the list
	}
}
