// Package scq is a bounded queue that refuses what does not fit, and in which nobody
// waits for anybody: two rings pass the numbers of slots round.
//
//	Push: number from free, write the slot, number to full
//	Pop:  number from full, read the slot, number to free
//
//	free   . . 4 0 3 . . .        slots  0 1 2 3 4 5
//	full   . 2 5 1 . . . .                 b a   . c
//
// The rings are twice as long as there are numbers, so that there is always room in
// them. An entry holds a number, or none, and the round in which it was written:
//
//	enqueue                             dequeue
//	1. ticket = tail, add 1             1. empty, if limit <= head
//	2. CAS the entry, of an earlier     2. ticket = head, add 1
//	   round and without a number:      3. the entry is of my round: take the number
//	   my round, my number; else 1      4. else CAS it to my round, or if it has a
//	3. limit = ticket+1, if less           number make it unsafe; and 1 again
//
// Unsafe: an enqueuer may use it only if its own dequeuer has not come yet, for one
// of that round will not look again. That an entry is taken in the round in which it
// was written is what makes the ring first in, first out; see ring.go for EMPTY.
//
// Promises: bounded, with the capacity rounded up to a power of two; first in, first
// out; lock-free, so a goroutine that is held up holds one slot and nobody; no
// allocation; no reference to an item that was taken; Len exact while nobody operates.
// Empty is true. Full is tentative: all slots hold an item, or have a Push or Pop
// under way. With one slot, a Pop held up between its two rings makes all pushes fail.
//
// Non-goals: growth; speed on one goroutine, as an item passes four ring ends.
//
// Source: Nikolaev, A scalable, portable, and memory-efficient lock-free FIFO queue,
// DISC 2019 (arXiv 1908.04511), figures 3 and 8. Differences: a ticket in place of the
// threshold (why: ring.go), no catching up of tail, no waiting before 4.
package scq

import (
	"fmt"

	"github.com/exactlyonce/certify/queues"
)

// Queue is an injector. Make one with [New].
type Queue[T any] struct {
	// slots are plain memory. A slot is its holder's, who has its number out of one
	// ring and not yet in the other: the rings order one holder before the next.
	// Invariant: each number is in one ring, once, or has one holder.
	slots []T

	free ring // numbers of slots that are zero
	full ring // numbers of slots with an item, in the order of the items
}

// usual is the capacity when the caller has no wish.
const usual = 2048

// New returns an empty queue for o.Capacity items, or 2048, rounded up to a power of
// two. It panics if o.Capacity is negative or above 2^30.
func New[T any](o queues.Options) *Queue[T] {
	if o.Capacity < 0 || o.Capacity > 1<<30 {
		panic(fmt.Sprintf("scq: capacity %d: want 0 to 2^30", o.Capacity))
	}
	n := usual
	if o.Capacity > 0 {
		n = sizeFor(o.Capacity)
	}
	q := &Queue[T]{slots: make([]T, n)}
	q.free.init(n, o.Start, n)
	q.full.init(n, o.Start, 0)
	return q
}

// Backends lists this package's back end.
func Backends[E any]() []queues.Backend[*E] {
	return []queues.Backend[*E]{{
		Name:  "scq",
		About: "bounded ring of slots, numbered by two lock-free rings of indices (SCQ, DISC'19)",
		Promises: queues.Promises{
			Order: queues.FIFO, Bounded: true, Progress: queues.LockFree, Reclaim: queues.ReclaimReuse,
			Len: queues.LenQuiescent, Tentative: true,
		},
		Injector: func(o queues.Options) queues.Injector[*E] { return New[*E](o) },
	}}
}

// Push adds v. It returns false when all slots are taken.
func (q *Queue[T]) Push(v T) bool {
	i, ok := q.free.dequeue()
	if !ok {
		return false
	}
	q.slots[i] = v
	q.full.enqueue(i) // publishes the slot; pairs with the dequeue of Pop
	return true
}

// PushAll adds a prefix of vs, each at a moment of its own, and returns its length.
func (q *Queue[T]) PushAll(vs []T) int {
	for i, v := range vs {
		if !q.Push(v) {
			return i
		}
	}
	return len(vs)
}

// Pop takes the oldest item.
func (q *Queue[T]) Pop() (v T, ok bool) {
	i, ok := q.full.dequeue()
	if !ok {
		return v, false
	}
	var none T
	v, q.slots[i] = q.slots[i], none
	q.free.enqueue(i) // gives the slot back; pairs with the dequeue of Push
	return v, true
}

// PopInto takes up to len(dst) items, each at a moment of its own.
func (q *Queue[T]) PopInto(dst []T) (n int) {
	for ; n < len(dst); n++ {
		v, ok := q.Pop()
		if !ok {
			break
		}
		dst[n] = v
	}
	return n
}

// Len is the number of items, exact when nobody operates. It is 0 only if there was a
// moment at which none was in the queue whose push had returned.
func (q *Queue[T]) Len() int { return q.full.len() }
