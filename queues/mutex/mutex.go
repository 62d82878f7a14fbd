// Package mutex is the baseline: an injector and a deque, each a ring under one
// sync.Mutex. It is what the others are measured against and, being plain, what
// they are judged by in doubt.
//
// Promises: unbounded, exact order, exact Len, batches taken at one moment. The
// ring grows and shrinks, and slots hold no reference once taken. No allocation
// while the number of items stays in the same range.
//
// Non-goals: progress. A goroutine that is descheduled inside holds up all
// others.
//
// Source: a textbook circular buffer, and Go's sync.Mutex.
package mutex

import (
	"sync"

	"github.com/exactlyonce/certify/queues"
)

// Backends lists this package's back ends, the injector first.
func Backends[E any]() []queues.Backend[*E] {
	promises := queues.Promises{
		Order: queues.FIFO, Progress: queues.Blocking, Reclaim: queues.ReclaimReuse,
		Len: queues.LenExact, AtomicBatch: true,
	}
	owned := promises
	owned.Order = queues.OwnerLIFO
	return []queues.Backend[*E]{{
		Name: "mutex", About: "a ring under one mutex, the baseline", Promises: promises,
		Injector: func(o queues.Options) queues.Injector[*E] { return NewQueue[*E](o) },
	}, {
		Name: "mutex", About: "a ring under one mutex, the baseline", Promises: owned,
		Deque: func(o queues.Options) queues.Deque[*E] { return NewDeque[*E](o) },
	}}
}

// Queue is an injector. Make one with [NewQueue].
type Queue[T any] struct {
	mu   sync.Mutex
	ring ring[T]
}

// NewQueue returns an empty queue with room for o.Capacity items, or 64, before
// it grows. It panics if o.Capacity is negative.
func NewQueue[T any](o queues.Options) *Queue[T] {
	return &Queue[T]{ring: newRing[T](o.Capacity, o.Start)}
}

// Push adds v and returns true.
func (q *Queue[T]) Push(v T) bool {
	q.mu.Lock()
	q.ring.push(v)
	q.mu.Unlock()
	return true
}

// PushAll adds all of vs, next to each other, and returns their number.
func (q *Queue[T]) PushAll(vs []T) int {
	q.mu.Lock()
	for _, v := range vs {
		q.ring.push(v)
	}
	q.mu.Unlock()
	return len(vs)
}

// Pop takes the oldest item.
func (q *Queue[T]) Pop() (v T, ok bool) {
	q.mu.Lock()
	if ok = q.ring.len() > 0; ok {
		v = q.ring.popOldest()
	}
	q.mu.Unlock()
	return v, ok
}

// PopInto takes the oldest items, as many as there are and dst has room for.
func (q *Queue[T]) PopInto(dst []T) int {
	q.mu.Lock()
	n := min(len(dst), q.ring.len())
	q.ring.popOldestInto(dst[:n])
	q.mu.Unlock()
	return n
}

// Len is the number of items.
func (q *Queue[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ring.len()
}
