package chaselev

import (
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/epoch"
)

// stealer is the thief's side, with a place of its own to pin.
type stealer[E any] struct {
	deque *Deque[E]
	home  epoch.Home[ring[E]]
}

// Stealer returns a thief side. Anybody may call it.
func (d *Deque[E]) Stealer() queues.Stealer[*E] {
	return stealer[E]{d, d.rings.Home()}
}

// Steal takes the oldest items one after the other, up to half of what it sees,
// rounded up, and stops at the first lost race.
func (s stealer[E]) Steal(dst []*E) (n int, retry bool) {
	d := s.deque
	t := d.top.Load()                  // 1
	size := int64(d.bottom.Load() - t) // 2
	most := min(int64(len(dst)), (size+1)/2)
	if most <= 0 {
		return 0, false // seen without a pin
	}
	g := s.home.Pin()
	n = d.steal(dst[:most], t)
	g.Unpin()
	return n, n == 0
}

// Len is what a thief sees: an estimate, exact while nobody operates.
func (s stealer[E]) Len() int {
	t := s.deque.top.Load()
	return int(max(0, int64(s.deque.bottom.Load()-t)))
}

// steal takes items from t on until one is lost or no more is seen. The caller
// is pinned and has seen item t. Each item is a race of its own.
//
// The second look at the ring makes sure that the slot was read while its ring
// was in use: an old ring is emptied by the owner, and later filled with other
// items. It cannot have been replaced and come back between the two looks,
// because the caller's pin keeps it from being used again.
//
// If the CAS wins, top was t all along, so the owner has neither emptied nor
// overwritten the slot of item t, and the value read is the item.
func (d *Deque[E]) steal(dst []*E, t uint64) (n int) {
	r := d.ring.Load() // 3: pairs with the store in move
	slots := r.slots
	for n < len(dst) {
		if n > 0 && int64(d.bottom.Load()-t) <= 0 { // 2: our CAS of the round before was 1
			break
		}
		v := slots[t&uint64(len(slots)-1)].Load()
		if d.ring.Load() != r || !d.top.CompareAndSwap(t, t+1) { // 4: pairs with the owner's 2 and popLast
			break
		}
		dst[n] = v
		n++
		t++
	}
	return n
}
