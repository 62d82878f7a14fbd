// Package split is a deque of which only one part can be seen by thieves: the rest is
// the owner's alone, who works there without one locked instruction. Thieves who find
// nothing, or leave nothing, ask for more.
//
//	word:  split (32 bits) | top (32 bits)
//
//	  base       top         split            bot
//	   v          v            v               v
//	. . s  s  s  s  i  i  i  i  p  p  p  p  p  .  .      p: hidden, at most 16
//	   stolen         public        private
//
//	owner, Push                           thief, Steal
//	1. room: bot < base + size            1. load the word
//	2. write the slot                     2. CAS the word, top+n: the items are ours
//	3. load asked; if set, clear it and   3. load the ring, copy the slots
//	   add to split: half of what is      4. add n to done: the slots are the owner's
//	   private, or all but 8 of more      5. nothing public is left, and something
//	   than 16, asked or not                 may be hidden: set asked
//
//	owner, Pop
//	4. bot = split: CAS split back, by half of what is public, up to 8
//	5. take the newest; and 3
//
// All that was claimed is copied before its slots are written again: see package claim,
// from which the ring, its growth and the thief's 2 to 4 are.
//
// # What is hidden
//
// This is not what package queues asks of a Stealer: a Steal may find the deque empty
// while up to 16 items are in it, the newest. So it is not in the catalog. What holds:
//
//   - An item is hidden only behind one that was public when the owner last looked. So
//     the first that is pushed onto an empty deque is public.
//   - Once a thief has asked, the owner's next Push or Pop publishes half of what is
//     hidden, the oldest, rounded up: all of 16 after five operations, each asked for.
//   - [Deque.Expose] publishes everything, for an owner who will not be back soon.
//   - A thief's Len is 0 only if nothing is inside, hidden items too: it counts what
//     is public, and 1 if something may be hidden.
//
// An owner never finds its deque empty with items inside. So an executor whose workers
// sleep only after a Pop of theirs that found nothing loses no task: whoever has
// hidden items is awake. But others may sleep beside them for as long as one task of
// the owner takes, and what it then publishes in a Pop wakes nobody. A task that waits
// for a hidden one, in a way that the executor does not know, waits for ever: two tasks
// that meet hang an executor of two workers. Hence before it parks, blocks, hands the
// deque over or stops, the owner must Expose.
//
// Promises: unbounded, owner-LIFO, lock-free, batches taken at one moment, the owner's
// Len exact, a thief's an estimate; memory as in package claim.
//
// Non-goals: more than 2^31 items; signals to an owner that runs a long task.
//
// Source: Lace (van Dijk and van de Pol, MuCoCoS 2014) for the split and the request;
// low-cost work stealing (Rito and Paulino 2022; SPAA 2023) for exposing half of it.
// Ours: no fence and no flag that races, as all that moves the split is on one word.
package split

import (
	"fmt"
	"sync/atomic"

	"github.com/exactlyonce/certify/queues"
)

// Deque is the owner's side. Make one with [New].
type Deque[T any] struct {
	// word is split<<32 | top. The owner changes split, by Add and by CAS; thieves
	// move top on by CAS.
	// Invariant: 0 <= split-top <= the size of the ring, in wrapping arithmetic.
	word atomic.Uint64

	// ring holds the items. The owner replaces it, thieves load it after a claim.
	ring atomic.Pointer[ring[T]]

	_ [112]byte // thieves that begin, and those that have ended

	// done is how far top would be if claims counted only once they are copied.
	// Invariant: base <= done <= top; done = top when no thief is copying.
	done atomic.Uint32

	_ [124]byte // thieves that have ended, and hungry ones

	// asked is set by thieves and cleared by the owner, before it publishes.
	asked atomic.Bool

	// hides tells that items may be hidden. The owner alone writes it.
	// Invariant: unless it is set, nothing is private and at most one item public,
	// outside of the owner's operations.
	// It is cleared only when the owner finds the deque empty: see stealer.Len.
	hides atomic.Bool

	_ [120]byte // hungry thieves, and the owner's own fields

	// The owner's alone.
	bot    uint32 // where the next item goes
	split  uint32 // as in the word
	window uint32 // private items that Push need not look at: 0, or Hidden while hides is set
	// and something was public
	base    uint32 // what was claimed below it has been copied, and its slots are zero
	limit   uint32 // where Push looks for room. Invariant: limit = base + size
	slots   []T    // of the ring
	least   int    // size below which the ring does not shrink
	low     uint32 // fewer items than this make Pop shrink; 0 at the least size
	growths uint64

	_ [128]byte // the owner and whatever the heap puts next
}

const (
	splitOne = 1 << 32 // in the word

	// Hidden is how many items, at most, may be hidden from thieves.
	Hidden = 16

	// usual is the first size when the caller has no wish, and kept the size that it
	// then does not shrink below, against growing anew in every burst.
	usual = 64
	kept  = 4096
)

// New returns an empty deque with room for o.Capacity items, or 64, before it grows.
// It panics if o.Capacity is negative or above 2^30.
func New[T any](o queues.Options) *Deque[T] {
	if o.Capacity < 0 || o.Capacity > 1<<30 {
		panic(fmt.Sprintf("split: capacity %d: want 0 to 2^30", o.Capacity))
	}
	start := uint32(o.Start)
	d := &Deque[T]{bot: start, split: start}
	d.least = sizeFor(o.Capacity)
	d.install(&ring[T]{make([]T, d.least)}, start)
	if o.Capacity == 0 {
		d.least = kept
	}
	d.word.Store(uint64(start)<<32 | uint64(start))
	d.done.Store(start)
	return d
}

// Backends lists this package's back end, which breaks the contract in one point: see
// the package comment. It is for those who know that, such as the explorer.
func Backends[E any]() []queues.Backend[*E] {
	return []queues.Backend[*E]{{
		Name:  "split",
		About: "split deque with thief requests (Lace): up to 16 items are hidden from thieves",
		Promises: queues.Promises{
			Order: queues.OwnerLIFO, Progress: queues.LockFree, Reclaim: queues.ReclaimGC,
			Len: queues.LenQuiescent, AtomicBatch: true, Tentative: true,
		},
		Deque: func(o queues.Options) queues.Deque[*E] { return New[*E](o) },
	}}
}

// Len is the number of items, hidden ones too.
func (d *Deque[T]) Len() int { return int(d.bot - uint32(d.word.Load())) }

func public(w uint64) int { return int(uint32(w>>32) - uint32(w)) }

// Counts is of the ring; see queues.Counted. It is for the owner.
func (d *Deque[T]) Counts() []queues.Count {
	return []queues.Count{{What: queues.Growths, N: d.growths}}
}
