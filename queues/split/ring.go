package split

import "math/bits"

// ring is a buffer of a power of two of slots; item i is in slot i % size.
type ring[T any] struct{ slots []T }

func sizeFor(capacity int) int {
	if capacity == 0 {
		return usual
	}
	return 1 << bits.Len(uint(capacity-1))
}

// install makes r the ring, with the items from base on in it.
func (d *Deque[T]) install(r *ring[T], base uint32) {
	size := len(r.slots)
	d.slots, d.base, d.limit, d.low = r.slots, base, base+uint32(size), 0
	if size > d.least {
		d.low = uint32(size / 4)
	}
	d.ring.Store(r) // publishes the copies; pairs with the thief's 3
}

// settled tells whether no thief is copying, and moves base on to top if so. The two
// loads are in this order: claims only add to top, so if top is what done was, all
// claims had been copied when done was loaded, and none had been made since. Nor can
// top have come round to it, since the owner, who is here, pushes nothing meanwhile.
func (d *Deque[T]) settled() bool {
	done := d.done.Load() // pairs with the thief's 4
	t := uint32(d.word.Load())
	if done != t {
		return false
	}
	d.sweep(t)
	return true
}

// sweep empties the slots of stolen items, base to t, and moves base on. None of them
// has been written again, since Push stays below limit.
func (d *Deque[T]) sweep(t uint32) {
	slots := d.slots
	var none T
	for i := d.base; i != t; i++ {
		slots[uint(i)&uint(len(slots)-1)] = none
	}
	d.base, d.limit = t, t+uint32(len(slots))
}

// makeRoom moves base on if that gives room, and else grows.
func (d *Deque[T]) makeRoom() {
	if d.settled() && d.bot != d.limit {
		return
	}
	d.growths++
	d.move(2 * len(d.slots))
}

// move copies all from base on to a ring of another size, which holds them. The old
// one stays as it is, for the thieves that have loaded it.
func (d *Deque[T]) move(size int) {
	r := &ring[T]{make([]T, size)}
	old := d.slots
	for i := d.base; i != d.bot; i++ {
		r.slots[uint(i)&uint(size-1)] = old[uint(i)&uint(len(old)-1)]
	}
	d.install(r, d.base)
}

// tidy stops hiding, and lets go of what was stolen and of a ring that is mostly
// empty. Pop calls it when there is nothing.
func (d *Deque[T]) tidy() {
	d.window = 0
	if d.hides.Load() {
		d.hides.Store(false) // the deque is empty; pairs with the thieves' Len
	}
	if d.base != d.bot && d.settled() && d.low > 0 {
		d.shrink()
	}
}

// shrink moves to a smaller ring, of which less than half is full, when less than a
// quarter of this one is and no thief is copying.
func (d *Deque[T]) shrink() {
	if !d.settled() {
		return
	}
	size := len(d.slots)
	for size > d.least && d.bot-d.base < uint32(size/4) {
		size /= 2
	}
	if size < len(d.slots) {
		d.move(size)
	}
}
