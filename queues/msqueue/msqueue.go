// Package msqueue is the queue of Michael and Scott, with nodes that are used
// again.
//
// The queue is a linked list that begins with a dummy node. A producer links
// its node behind the last one and then swings the tail; a consumer swings the
// head to the dummy's successor, which becomes the dummy, and takes its value.
// A tail that lags is helped on by whoever meets it.
//
// Promises: unbounded, first in first out, lock-free, a batch is taken at one
// moment, no allocation once enough nodes are in circulation, and no reference
// to an item that was popped. Memory returns to a few hundred nodes after a
// burst. Len is exact while nobody operates.
//
// Non-goals: speed under many producers (all of them want the one tail).
//
// Source: Michael and Scott, Simple, fast, and practical non-blocking and
// blocking concurrent queue algorithms, PODC 1996, figure 1. Differences:
//
//   - Epochs (package epoch) in place of counted pointers: while a goroutine is
//     pinned no node that it can see is used again, so a CAS on a link cannot
//     succeed on a node that came back.
//   - The figure's second looks at head and tail (E7, D5) are left out: they
//     protect against nodes that come back, or they save a CAS that would fail.
//   - Values are read after the CAS on the head, not before it (D11), because
//     a value of several words cannot be read while another may write it.
//   - Producers link a chain of nodes at once, so the tail may lag by more
//     than one node.
package msqueue

import (
	"fmt"
	"sync/atomic"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/epoch"
)

// Queue is an injector. Make one with [New].
type Queue[T any] struct {
	producers, consumers epoch.Home[node[T]] // apart, so that the two sides write different slots
	nodes                *epoch.Domain[node[T]]

	_ [128]byte // readers of the fields above, writers of head

	// head is the dummy. Consumers move it forward along next, by claim.
	// Invariant: head is not behind a retired node and not past tail.
	head atomic.Pointer[node[T]]

	_ [128]byte // consumers at head, producers at tail

	// tail is the last node or one before it. Everybody moves it forward.
	tail atomic.Pointer[node[T]]

	_ [128]byte // producers at tail, and whatever the heap puts next
}

// node is one element, then the dummy, then in limbo, then free.
type node[T any] struct {
	// next is nil in the last node. The producer that links a successor writes
	// nil -> successor, once in the node's life as an element; after that the
	// node is never last again. A node discarded from limbo points to itself
	// (sever), a free one is nil again (recycle).
	next atomic.Pointer[node[T]]

	// value is written by the producer before it links the node, and read and
	// cleared by the consumer that moved the head onto it.
	value T

	// seq is the element's number, written before the node is linked.
	// Invariant: n.next.seq == n.seq + 1, for linked elements.
	seq uint64
}

// limits of the recycling: see epoch.Config. Together they keep some 50 kB.
const (
	interval = 64
	limbo    = 512
	cache    = 64
	depot    = 8
)

// chunk is how many nodes PushAll links at once, to keep its pins short.
const chunk = 64

// New returns an empty queue. It is unbounded and ignores o.Capacity, except
// that it panics if that is negative.
func New[T any](o queues.Options) *Queue[T] {
	if o.Capacity < 0 {
		panic(fmt.Sprintf("msqueue: capacity %d is negative", o.Capacity))
	}
	return newQueue(o.Start, sever[T])
}

func newQueue[T any](start uint64, discard func(*node[T])) *Queue[T] {
	d := epoch.New(epoch.Config[node[T]]{
		Interval: interval, Limbo: limbo, Cache: cache, Depot: depot,
		Start: start, Reclaim: recycle[T], Discard: discard,
	})
	q := &Queue[T]{nodes: d, producers: d.Home(), consumers: d.Home()}
	dummy := &node[T]{seq: start}
	q.head.Store(dummy)
	q.tail.Store(dummy)
	return q
}

// Backends lists this package's back end.
func Backends[E any]() []queues.Backend[*E] {
	return []queues.Backend[*E]{{
		Name:  "msqueue",
		About: "Michael-Scott queue (PODC'96), nodes recycled through epochs",
		Promises: queues.Promises{
			Order: queues.FIFO, Progress: queues.LockFree, Reclaim: queues.ReclaimEpochs,
			Len: queues.LenQuiescent, AtomicBatch: true,
		},
		Injector: func(o queues.Options) queues.Injector[*E] { return New[*E](o) },
	}}
}

// recycle makes a node that nobody holds fit for use. It is here that next is
// reset, not at the next push: a free node that still led to its old successor
// would keep that one alive, which may long have been left to the collector.
func recycle[T any](n *node[T]) bool {
	n.next.Store(nil)
	return true
}

// sever cuts a node out of the list that was discarded because some goroutine
// is stalled with a pin. That goroutine may hold the oldest node; every node
// leads to the next, so it would keep all nodes alive that ever follow.
//
// The node must not point to nil: a stalled producer that holds it would take
// it for the last, link its own node behind it and lose it. It points to
// itself. Then the stalled producer or consumer tries to move tail or head from
// the node to the node, which fails, because neither ever comes back to a
// retired node, and starts again from the present head or tail.
func sever[T any](n *node[T]) {
	n.next.Store(n)
}

// Len is the number of items, exact when nobody operates. While others do, it
// is at least 0, and at most what was in the queue when Len began plus what was
// pushed since.
func (q *Queue[T]) Len() int {
	g := q.consumers.Pin()
	first := q.head.Load() // before tail, which never is behind head
	last := q.tail.Load()
	n := int(last.seq - first.seq)
	g.Unpin()
	return n
}

// Stats tells what the recycling has done. It may be called at any time.
func (q *Queue[T]) Stats() epoch.Stats { return q.nodes.Stats() }

// Counts is of the recycling; see queues.Counted.
func (q *Queue[T]) Counts() []queues.Count {
	s := q.Stats()
	return []queues.Count{{What: queues.Advances, N: s.Advances}, {What: queues.PinnedAdvances, N: s.Overlapped}}
}
