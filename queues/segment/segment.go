// Package segment is an unbounded queue of segments of cells. A producer adds to a
// segment's counter and has a cell of its own, so that producers do not wait for each
// other, nor try again because of each other.
//
//	head                            tail
//	 v                               v
//	[x x x x x i i] -> [i i i i i i i] -> nil      x taken, i item, . free
//	           ^deq                 ^enq
//
//	producer                            consumer
//	1. enq of the last segment, add 1   1. deq of the first, then enq, not past the
//	2. write the cell's value              last cell: none between: 5
//	3. CAS the cell, free -> full;      2. CAS deq, +n: the cells are ours
//	   else 1: a consumer was faster    3. swap each cell for taken; one that was not
//	4. no cell: link a segment with        full is given up, and if all were: 1
//	   the item in it behind the last   4. read the values
//	5. move tail on                     5. all cells taken and one linked behind: move
//	                                       tail and head on; else empty
//
// A consumer takes only cells that a producer has come for, so that no cell is given
// up but under a producer. One could be robbed of cell after cell: but then the
// segment ends, and its item is in the next one before that is linked.
//
// Promises: unbounded; first in, first out; lock-free; a batch is taken at one moment;
// no allocation once enough segments are in circulation; no reference to an item that
// was taken. Memory returns to a few dozen segments after a burst. Len is exact while
// nobody operates.
//
// Non-goals: many consumers of single items, who all want the one deq.
//
// Source: the FAAArrayQueue of Ramalhete and Correia (2016), the segments of which
// LPRQ (Romanov and Koval, PPoPP 2023) also has. Differences: consumers claim by CAS,
// so that Len needs no count of what was given up, and several at once; a cell is a
// state and a plain value, so that any type will do; segments come back through
// epochs, with states that go on counting in place of being reset.
package segment

import (
	"fmt"
	"sync/atomic"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/epoch"
)

// Queue is an injector. Make one with [New].
type Queue[T any] struct {
	producers, consumers epoch.Home[segment[T]] // apart, so that the two sides write different slots
	segments             *epoch.Domain[segment[T]]

	_ [128]byte // readers of the fields above, writers of head

	// head is the first segment. Consumers move it on, when all its cells are claimed.
	// Invariant: head is not behind a retired segment and not past tail.
	head atomic.Pointer[segment[T]]

	_ [120]byte // consumers at head, producers at tail

	// tail is the last segment or one before it. Everybody moves it on.
	tail atomic.Pointer[segment[T]]

	_ [120]byte // producers at tail, and whatever the heap puts next
}

// size is how many cells a segment has.
const size = 64

// segment is private, then in the queue, then in limbo, then free.
type segment[T any] struct {
	// enq is how many cells producers have come for; beyond size they came in vain.
	enq atomic.Uint64
	_   [120]byte // producers; consumers

	// deq is how many cells are claimed. Consumers move it on by CAS.
	// Invariant: deq <= min(enq, size).
	deq atomic.Uint64
	_   [120]byte // consumers; what follows is written rarely

	// next is nil in the last segment. A producer links the next one, once. That of a
	// segment that was discarded from limbo is the segment itself: see sever.
	next atomic.Pointer[segment[T]]

	seq   uint64 // number of the segment, written before it is linked
	free  uint32 // the state of a free cell; free+1 is full, free+2 is taken
	spare bool   // it was never linked; written by the producer who gives it back

	cells [size]cell[T]
}

// cell is free, then full, then taken; or a consumer comes first, and it is taken at
// once. Then, in the segment's next life, that same state is free.
type cell[T any] struct {
	// state is written by the producer whose cell it is, free -> full, and by the
	// consumer whose cell it is, to taken.
	state atomic.Uint32

	// value is the producer's while the state is free, and again if it is robbed;
	// else the consumer's.
	value T
}

// states that a segment's lives need: free, full.
const states = 2

// limits of the recycling: see epoch.Config.
const (
	interval = 2
	limbo    = 16
	cache    = 8
	depot    = 4
)

// New returns an empty queue. It is unbounded and ignores o.Capacity, except that it
// panics if that is negative.
func New[T any](o queues.Options) *Queue[T] {
	if o.Capacity < 0 {
		panic(fmt.Sprintf("segment: capacity %d is negative", o.Capacity))
	}
	return newQueue(o.Start, recycle[T], sever[T])
}

func newQueue[T any](start uint64, reclaim func(*segment[T]) bool, discard func(*segment[T])) *Queue[T] {
	d := epoch.New(epoch.Config[segment[T]]{
		Interval: interval, Limbo: limbo, Cache: cache, Depot: depot,
		Start: start, Reclaim: reclaim, Discard: discard,
	})
	q := &Queue[T]{segments: d, producers: d.Home(), consumers: d.Home()}
	first := fresh[T](uint32(start))
	first.seq = start
	q.head.Store(first)
	q.tail.Store(first)
	return q
}

// fresh is a segment whose cells are free in state free.
func fresh[T any](free uint32) *segment[T] {
	s := &segment[T]{free: free}
	if free != 0 {
		for i := range s.cells {
			s.cells[i].state.Store(free)
		}
	}
	return s
}

// Backends lists this package's back end.
func Backends[E any]() []queues.Backend[*E] {
	return []queues.Backend[*E]{{
		Name:  "segment",
		About: "segments of cells with fetch-and-add tickets (FAAArrayQueue), recycled through epochs",
		Promises: queues.Promises{
			Order: queues.FIFO, Progress: queues.LockFree, Reclaim: queues.ReclaimEpochs,
			Len: queues.LenQuiescent, AtomicBatch: true,
		},
		Injector: func(o queues.Options) queues.Injector[*E] { return New[*E](o) },
	}}
}

// recycle makes a segment that nobody holds fit for use. All its cells are taken: they
// were claimed before it was retired, and by goroutines that have unpinned since.
func recycle[T any](s *segment[T]) bool {
	if s.spare {
		s.spare = false
	} else {
		s.free += states
	}
	s.enq.Store(0)
	s.deq.Store(0)
	s.next.Store(nil)
	return true
}

// sever cuts a segment out of the list that was discarded because some goroutine is
// stalled with a pin, which may hold it and so keep all that follow. It points to
// itself, not to nil, so that who wakes up with it finds neither a last segment nor
// one to move head or tail to: neither ever comes back to a retired segment.
func sever[T any](s *segment[T]) { s.next.Store(s) }

// Len is the number of items, exact when nobody operates. While others do, it is at
// least 0, and at most what was in the queue when Len began plus what was pushed since.
func (q *Queue[T]) Len() int {
	g := q.consumers.Pin()
	first := q.head.Load() // before tail, which never is behind head
	taken := first.deq.Load()
	last := q.tail.Load()
	n := int64(last.seq-first.seq)*size + int64(min(last.enq.Load(), size)) - int64(taken)
	g.Unpin()
	return int(n)
}

// Stats tells what the recycling has done. It may be called at any time.
func (q *Queue[T]) Stats() epoch.Stats { return q.segments.Stats() }

// Counts is of the recycling; see queues.Counted.
func (q *Queue[T]) Counts() []queues.Count {
	s := q.Stats()
	return []queues.Count{{What: queues.Advances, N: s.Advances}, {What: queues.PinnedAdvances, N: s.Overlapped}}
}
