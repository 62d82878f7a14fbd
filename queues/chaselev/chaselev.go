// Package chaselev is the deque of Chase and Lev, growing and shrinking, with
// rings that are used again.
//
// One owner pushes and pops at the bottom; thieves take from the top, each item
// by one CAS. Only on the last item do the two sides meet.
//
//	        top             bottom
//	         v                v
//	. . . .  i  i  i  i  i  i  .  .  .      items: top <= index < bottom
//	         thieves ->    <- owner ->
//
// The two sides of the last item:
//
//	owner, Pop                         thief, take
//	1. bottom = b-1 (reserve)          1. load top
//	2. load top                        2. load bottom, give up if not above top
//	3. top < b-1: the item is ours     3. load ring and slot, ring again
//	4. top = b-1: CAS top              4. CAS top
//
// If the owner sees top < b-1 in its 2, a thief at item b-1 loads that top (its
// 1) later, hence loads bottom (its 2) after the owner's 1, and gives up. If the
// owner sees top = b-1, both sides CAS top from b-1, and one of them wins.
//
// Promises: unbounded, owner-LIFO, lock-free, no allocation while the number of
// items stays in the same range, no reference to items taken (a stolen one is
// let go by the owner's next Pop, or by the Push that needs the slot). A batch
// is taken item by item: one CAS over several would take, without notice, items
// that the owner pops from the other end meanwhile.
//
// Non-goals: values other than pointers, since a slot must be read in one piece
// while the other side may write it.
//
// Source: Chase and Lev, Dynamic circular work-stealing deque, SPAA 2005,
// figures 3 to 6. Differences: the owner's last item goes without reservation
// when it is known to be the last; rings go through epochs (package epoch);
// thieves look at the ring twice, as crossbeam does since CVE-2021-32810.
package chaselev

import (
	"fmt"
	"sync/atomic"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/epoch"
)

// Deque is the owner's side. Make one with [New].
type Deque[E any] struct {
	// top is the index of the oldest item. Thieves and, for the last item, the
	// owner move it on by CAS, one at a time.
	// Invariant: top never falls (in wrapping arithmetic).
	top atomic.Uint64

	_ [128]byte // thieves at top, the owner at bottom

	// bottom is the index after the newest item. The owner writes it: b -> b+1
	// by Push, b -> b-1 -> b or b-1 by Pop. Thieves read it.
	// Invariant: top <= bottom, but for one less during a Pop that loses.
	bottom atomic.Uint64

	// ring holds the items. The owner replaces it, thieves read it.
	ring atomic.Pointer[ring[E]]

	_ [128]byte // thieves that read the line above, the owner's own fields

	// The owner's alone.
	bot     uint64              // what bottom is between operations
	limit   uint64              // where Push looks for room. Invariant: bot <= limit = seen + size
	slots   []atomic.Pointer[E] // of cur
	seen    uint64              // a top of the past. Invariant: seen <= top
	cleared uint64              // slots of items below are empty. Invariant: cleared <= top
	cur     *ring[E]            // what ring is
	least   int                 // size below which the ring does not shrink
	low     uint64              // fewer items than this make Pop shrink; 0 at the least size

	rings *epoch.Domain[ring[E]]
	home  epoch.Home[ring[E]]
	spare [spares][2]*ring[E] // reclaimed rings, by the logarithm of their size
	moves struct{ growths, shrinks uint64 }

	_ [128]byte // the owner and whatever the heap puts next
}

// usual is the first size when the caller has no wish, and kept the size that
// it then does not shrink below: 32 KiB, against growing anew in every burst.
const (
	usual = 64
	kept  = 4096
)

// New returns an empty deque with room for o.Capacity items, or 64, before it
// grows. It panics if o.Capacity is negative.
func New[E any](o queues.Options) *Deque[E] {
	if o.Capacity < 0 {
		panic(fmt.Sprintf("chaselev: capacity %d is negative", o.Capacity))
	}
	d := &Deque[E]{bot: o.Start, cleared: o.Start}
	d.rings = newDomain(d, o.Start)
	d.home = d.rings.Home()
	d.cur = newRing[E](o.Capacity)
	d.slots = d.cur.slots
	d.see(o.Start)
	d.least = d.cur.size()
	if o.Capacity == 0 {
		d.least = kept
	}
	d.top.Store(o.Start)
	d.bottom.Store(o.Start)
	d.ring.Store(d.cur)
	return d
}

// Backends lists this package's back end.
func Backends[E any]() []queues.Backend[*E] {
	return []queues.Backend[*E]{{
		Name:  "chaselev",
		About: "Chase-Lev deque (SPAA'05), rings recycled through epochs",
		Promises: queues.Promises{
			Order: queues.OwnerLIFO, Progress: queues.LockFree, Reclaim: queues.ReclaimEpochs,
			Len: queues.LenQuiescent,
		},
		Deque: func(o queues.Options) queues.Deque[*E] { return New[E](o) },
	}}
}

// Push adds v at the bottom and returns true. It does not touch top's line
// unless the ring is full as far as the owner knows.
func (d *Deque[E]) Push(v *E) bool {
	b := d.bot
	if b == d.limit {
		d.makeRoom()
	}
	slots := d.slots
	slots[b&uint64(len(slots)-1)].Store(v)
	d.bot = b + 1
	d.bottom.Store(b + 1) // publishes the slot; pairs with the thief's 2
	return true
}

// PushAll adds all of vs, the first of them deepest, and returns their number.
// Thieves see them in as few steps as there is room for, each a store of
// bottom.
func (d *Deque[E]) PushAll(vs []*E) int {
	for rest := vs; len(rest) > 0; {
		if d.bot == d.limit {
			d.makeRoom()
		}
		b, slots := d.bot, d.slots
		n := int(min(d.limit-b, uint64(len(rest))))
		for i, v := range rest[:n] {
			slots[(b+uint64(i))&uint64(len(slots)-1)].Store(v)
		}
		d.bot = b + uint64(n)
		d.bottom.Store(d.bot) // publishes the slots; pairs with the thief's 2
		rest = rest[n:]
	}
	return len(vs)
}

// Pop takes the newest item.
func (d *Deque[E]) Pop() (*E, bool) {
	b := d.bot - 1
	if few := int64(b - d.seen); few < 1 {
		if few < 0 {
			return nil, false // seen = bottom, and only Push changes that
		}
		return d.popFew()
	}
	d.bottom.Store(b)   // 1: pairs with the thief's 2
	t := d.top.Load()   // 2: pairs with the thief's 4
	if t != d.cleared { // thieves were here
		return d.popReserved(t)
	}
	if n := int64(b - t); n <= 0 || uint64(n) < d.low {
		return d.popReserved(t)
	}
	d.bot = b
	return d.empty(b), true // 3
}

// popFew is Pop for at most one item: no need to reserve it.
func (d *Deque[E]) popFew() (*E, bool) {
	t := d.top.Load()
	d.tidy(t)
	if d.bot == t {
		return nil, false // seen by loads alone
	}
	return d.popLast(t)
}

// popReserved is Pop after its step 2, and looks after the ring.
func (d *Deque[E]) popReserved(t uint64) (v *E, ok bool) {
	b := d.bot - 1
	if int64(b-t) > 0 {
		d.bot = b
		v, ok = d.empty(b), true // 3
	} else {
		if b == t {
			v, ok = d.popLast(t) // 4
		}
		d.bottom.Store(d.bot) // the item is gone by top, not by bottom
		t = d.top.Load()
	}
	d.tidy(t)
	return v, ok
}

// tidy is what a top that moved asks of the owner: it empties the slots of the
// items stolen since, and shrinks a ring that is mostly empty.
func (d *Deque[E]) tidy(t uint64) {
	d.see(t)
	if t != d.cleared {
		d.sweep(t)
	}
	if d.bot-t < d.low {
		d.shrink(t)
	}
}

// see remembers a top.
func (d *Deque[E]) see(t uint64) {
	d.seen = t
	d.limit = t + uint64(len(d.slots))
}

// popLast takes item t, the last one, as a thief would.
func (d *Deque[E]) popLast(t uint64) (*E, bool) {
	if !d.top.CompareAndSwap(t, t+1) { // decides between us and the thieves' 4
		return nil, false
	}
	d.see(t + 1)
	if d.cleared == t {
		d.cleared = t + 1
	}
	return d.empty(t), true
}

// empty takes the owner's item i out of its slot. A thief that reads the slot
// afterwards fails in its CAS.
func (d *Deque[E]) empty(i uint64) *E {
	slots := d.slots
	return slots[i&uint64(len(slots)-1)].Swap(nil)
}

// Len is the number of items, or more if thieves have just taken some.
func (d *Deque[E]) Len() int { return int(d.bot - d.top.Load()) }

// Stats is what the ring has been through.
type Stats struct {
	Growths, Shrinks uint64
	Rings            epoch.Stats
}

// Stats is for the owner.
func (d *Deque[E]) Stats() Stats {
	return Stats{d.moves.growths, d.moves.shrinks, d.rings.Stats()}
}

// Counts is of the rings; see queues.Counted.
func (d *Deque[E]) Counts() []queues.Count {
	s := d.Stats()
	return []queues.Count{
		{What: queues.Growths, N: s.Growths}, {What: queues.Advances, N: s.Rings.Advances}, {What: queues.PinnedAdvances, N: s.Rings.Overlapped},
	}
}
