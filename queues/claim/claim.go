// Package claim is a deque whose two ends are in one word, so that whoever takes
// claims first and reads afterwards.
//
//	word:  bottom (32 bits) | top (32 bits)
//
//	  base       top             bottom
//	   v          v                v
//	. . s  s  s  s  i  i  i  i  i  i  .  .      items: top <= index < bottom
//	   stolen, and perhaps still being copied
//
// All that moves ownership is one operation on the word: the owner adds to bottom or
// takes one off it, a thief moves top on over as many items as it takes. The slots
// are plain memory:
//
//	owner, Push                          thief, Steal
//	1. room: bottom < base + size        1. load the word
//	2. write the slot                    2. CAS the word, top+n: the items are ours
//	3. add to bottom: publishes it       3. load the ring, copy the slots
//	                                     4. add n to done: the slots are the owner's
//
// The owner writes a slot again only when all that was claimed up to its last use
// has been copied: it loads done and then top, and if they are equal no thief was
// between its 2 and its 4 when top was loaded, so base may move on to top. As the
// claim is on the value of the word, it does not matter that the word may have been
// that before.
//
// If they are not equal and there is no room, the owner takes a larger ring. All
// from base on is copied, so a thief that claimed before finds its items in either.
//
// Promises: unbounded, owner-LIFO, lock-free, batches taken at one moment, an exact
// Len, no allocation while the number of items stays in the same range, no reference
// to items taken once the owner has found the deque empty or needed the slots.
//
// What it costs: the owner's every operation is on the word that thieves look at, so
// that thieves who poll slow it down; and while a thief is held up between its 2 and
// its 4, the ring grows by what is stolen meanwhile.
//
// Non-goals: more than 2^31 items.
//
// Source: the packed word is of the run queues of Tokio (one thief at a time claims,
// copies, finishes) and of St3 (asynchronics/st3, lifo.rs); that claims of many
// thieves are told to be copied by one counter, and growth, are ours.
package claim

import (
	"fmt"
	"sync/atomic"

	"github.com/exactlyonce/certify/queues"
)

// Deque is the owner's side. Make one with [New].
type Deque[T any] struct {
	// word is bottom<<32 | top. The owner changes bottom: Push adds, Pop takes one
	// off by CAS. Thieves move top on by CAS.
	// Invariant: 0 <= bottom-top <= the size of the ring, in wrapping arithmetic.
	word atomic.Uint64

	// ring holds the items. The owner replaces it, thieves load it after a claim.
	ring atomic.Pointer[ring[T]]

	_ [112]byte // those who look at the word, and thieves that have ended

	// done is how far top would be if claims counted only once they are copied. Each
	// thief adds what it has copied, the owner loads it.
	// Invariant: base <= done <= top; done = top when no thief is copying.
	done atomic.Uint32

	_ [124]byte // thieves that have ended, and the owner's own fields

	// The owner's alone.
	bot     uint32 // what bottom is between operations
	base    uint32 // what was claimed below it has been copied, and its slots are zero
	limit   uint32 // where Push looks for room. Invariant: limit = base + size
	slots   []T    // of the ring
	least   int    // size below which the ring does not shrink
	low     uint32 // fewer items than this make Pop shrink; 0 at the least size
	growths uint64

	_ [128]byte // the owner and whatever the heap puts next
}

const (
	bottomOne = 1 << 32 // in the word

	// usual is the first size when the caller has no wish, and kept the size that it
	// then does not shrink below, against growing anew in every burst.
	usual = 64
	kept  = 4096
)

// New returns an empty deque with room for o.Capacity items, or 64, before it grows.
// It panics if o.Capacity is negative or above 2^30.
func New[T any](o queues.Options) *Deque[T] {
	if o.Capacity < 0 || o.Capacity > 1<<30 {
		panic(fmt.Sprintf("claim: capacity %d: want 0 to 2^30", o.Capacity))
	}
	start := uint32(o.Start)
	d := &Deque[T]{bot: start}
	d.least = sizeFor(o.Capacity)
	d.install(&ring[T]{make([]T, d.least)}, start)
	if o.Capacity == 0 {
		d.least = kept
	}
	d.word.Store(uint64(start)<<32 | uint64(start))
	d.done.Store(start)
	return d
}

// Backends lists this package's back end.
func Backends[E any]() []queues.Backend[*E] {
	return []queues.Backend[*E]{{
		Name:  "claim",
		About: "ring with both ends in one word: claim before read, a batch in one CAS",
		Promises: queues.Promises{
			Order: queues.OwnerLIFO, Progress: queues.LockFree, Reclaim: queues.ReclaimGC,
			Len: queues.LenExact, AtomicBatch: true,
		},
		Deque: func(o queues.Options) queues.Deque[*E] { return New[*E](o) },
	}}
}

// Push adds v at the bottom and returns true.
func (d *Deque[T]) Push(v T) bool {
	b := d.bot
	if b == d.limit { // 1
		d.makeRoom()
	}
	slots := d.slots
	slots[uint(b)&uint(len(slots)-1)] = v // 2
	d.bot = b + 1
	d.word.Add(bottomOne) // 3: publishes the slot; pairs with the thief's 2
	return true
}

// PushAll adds all of vs, the first of them deepest, and returns their number.
// Thieves see them in as few steps as there is room for.
func (d *Deque[T]) PushAll(vs []T) int {
	for rest := vs; len(rest) > 0; {
		if d.bot == d.limit { // 1
			d.makeRoom()
		}
		b, slots := d.bot, d.slots
		n := min(d.limit-b, uint32(min(len(rest), 1<<30)))
		for i, v := range rest[:n] { // 2
			slots[uint(b+uint32(i))&uint(len(slots)-1)] = v
		}
		d.bot = b + n
		d.word.Add(uint64(n) * bottomOne) // 3: publishes the slots; pairs with the thief's 2
		rest = rest[n:]
	}
	return len(vs)
}

// Pop takes the newest item.
func (d *Deque[T]) Pop() (v T, ok bool) {
	for {
		w := d.word.Load()
		b, t := uint32(w>>32), uint32(w)
		if b == t {
			d.tidy()
			return v, false
		}
		if !d.word.CompareAndSwap(w, w-bottomOne) { // the claim; pairs with the thief's 2
			continue // a thief has moved top on
		}
		b--
		d.bot = b
		slots := d.slots
		slot := &slots[uint(b)&uint(len(slots)-1)]
		var none T
		v, *slot = *slot, none
		if b-t < d.low {
			d.shrink()
		}
		return v, true
	}
}

// Len is the number of items.
func (d *Deque[T]) Len() int { return length(d.word.Load()) }

func length(w uint64) int { return int(uint32(w>>32) - uint32(w)) }

// Counts is of the ring; see queues.Counted. It is for the owner.
func (d *Deque[T]) Counts() []queues.Count {
	return []queues.Count{{What: queues.Growths, N: d.growths}}
}
