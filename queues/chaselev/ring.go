package chaselev

import (
	"math/bits"
	"sync/atomic"

	"github.com/exactlyonce/certify/queues/epoch"
)

// ring is a buffer of a power of two of slots; item i is in slot i % size. The
// owner writes slots, thieves read them.
type ring[E any] struct {
	slots []atomic.Pointer[E]
}

func newRing[E any](capacity int) *ring[E] {
	if capacity == 0 {
		capacity = usual
	}
	return &ring[E]{make([]atomic.Pointer[E], 1<<bits.Len(uint(capacity-1)))}
}

func (r *ring[E]) size() int { return len(r.slots) }

func (r *ring[E]) slot(i uint64) *atomic.Pointer[E] {
	return &r.slots[i&uint64(len(r.slots)-1)]
}

// spares is how many sizes are kept for use again: 1, 2, 4 ... 4096 slots, two
// of each, since the one just left rests in limbo until the move after the next.
// Larger rings are left to the garbage collector, so that a burst leaves no
// memory behind and a stalled thief keeps at most the one ring that it reads.
const spares = 13

// newDomain makes the epochs of d's rings. There are few rings, so each retire
// tries to advance; the owner alone retires, so that Reclaim is the owner's too
// and may fill its plain field.
func newDomain[E any](d *Deque[E], start uint64) *epoch.Domain[ring[E]] {
	return epoch.New(epoch.Config[ring[E]]{
		Interval: 1, Limbo: 8, Start: start,
		Reclaim: func(r *ring[E]) bool {
			pair := &d.spare[bits.Len(uint(r.size()))-1]
			pair[1], pair[0] = pair[0], r
			return false // kept here, where it is found by its size
		},
	})
}

// makeRoom looks at top again and grows the ring if it really is full.
func (d *Deque[E]) makeRoom() {
	d.see(d.top.Load())
	if d.bot == d.limit {
		d.moves.growths++
		d.move(2*d.cur.size(), d.seen)
	}
}

// shrink moves to a smaller ring, of which less than half is full. Pop calls it
// when less than a quarter of the ring is, with the present top.
func (d *Deque[E]) shrink(t uint64) {
	size := d.cur.size()
	for size > d.least && d.bot-t < uint64(size/4) {
		size /= 2
	}
	d.moves.shrinks++
	d.move(size, t)
}

// sweep empties the slots of the stolen items, cleared..t. It is the owner who
// does it, not the thief: once top has moved, the slot may hold a new item,
// possibly the same pointer. Items below bot-size have lost their slot to a
// later item.
func (d *Deque[E]) sweep(t uint64) {
	i := d.cleared
	if oldest := d.bot - uint64(d.cur.size()); int64(oldest-i) > 0 {
		i = oldest
	}
	for ; i != t; i++ {
		d.cur.slot(i).Store(nil)
	}
	d.cleared = t
}

// move replaces the ring by one of another size that holds the items from t on.
// Those that are stolen meanwhile come along and are swept later.
func (d *Deque[E]) move(size int, t uint64) {
	old, r, full := d.cur, d.obtain(size), d.cleared
	for i := t; i != d.bot; i++ {
		r.slot(i).Store(old.slot(i).Load())
	}
	d.cur, d.slots, d.cleared, d.low = r, r.slots, t, 0
	d.see(t)
	if size > d.least {
		d.low = uint64(size / 4)
	}
	d.ring.Store(r) // publishes the copies; pairs with the thief's 3
	if old.size() < 1<<spares {
		d.retire(old, full)
	}
}

// retire empties a ring that was replaced and lets it rest: its slots below
// full are empty already. A thief that reads an emptied slot sees the new ring
// in its second look.
func (d *Deque[E]) retire(old *ring[E], full uint64) {
	if oldest := d.bot - uint64(old.size()); int64(oldest-full) > 0 {
		full = oldest
	}
	for i := full; i != d.bot; i++ {
		old.slot(i).Store(nil)
	}
	g := d.home.Pin()
	g.Retire(old)
	g.Unpin()
}

// obtain returns an empty ring, a spare one if there is one.
func (d *Deque[E]) obtain(size int) *ring[E] {
	class := bits.Len(uint(size)) - 1
	if class >= spares || d.spare[class][0] == nil {
		return newRing[E](size)
	}
	pair := &d.spare[class]
	r := pair[0]
	pair[0], pair[1] = pair[1], nil
	return r
}
