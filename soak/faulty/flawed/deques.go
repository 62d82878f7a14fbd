package flawed

import (
	"sync/atomic"

	"github.com/exactlyonce/certify/queues"
)

// uncontested: the owner takes the last item as any other, without racing for it.
type uncontested[E any] struct{ *textbook[E] }

func (d uncontested[E]) Pop() (*E, bool) {
	b := d.bottom.Load() - 1
	d.bottom.Store(b)
	t := d.top.Load()
	if b-t < 0 {
		d.bottom.Store(b + 1)
		return nil, false
	}
	return d.ring.Load().at(b).Load(), true
}

// lateRead: a thief reads the slot after it has won, when the owner may have reused
// it already.
type lateRead[E any] struct{ *textbook[E] }

func (d lateRead[E]) Stealer() queues.Stealer[*E] { return thief[E]{d.steal, d.Len} }

func (d lateRead[E]) steal() (*E, bool) {
	t := d.top.Load()
	if d.bottom.Load()-t <= 0 {
		return nil, false
	}
	if !d.top.CompareAndSwap(t, t+1) {
		return nil, true
	}
	return d.ring.Load().at(t).Load(), false
}

// shortCopy: growing leaves the newest item behind.
type shortCopy[E any] struct{ *textbook[E] }

func (d shortCopy[E]) Push(v *E) bool {
	b, t := d.bottom.Load(), d.top.Load()
	r := d.ring.Load()
	if b-t >= int64(len(*r)) {
		r = d.grow(r, t, b-1)
	}
	r.at(b).Store(v)
	d.bottom.Store(b + 1)
	return true
}

// Pop does not return what a slot does not have.
func (d shortCopy[E]) Pop() (*E, bool) {
	v, ok := d.textbook.Pop()
	return v, ok && v != nil
}

// earlyTop: the owner reads top before it reserves the item, so that a thief which
// comes between is not seen.
type earlyTop[E any] struct{ *textbook[E] }

func (d earlyTop[E]) Pop() (*E, bool) {
	t := d.top.Load()
	b := d.bottom.Load() - 1
	d.bottom.Store(b)
	if b-t < 0 {
		d.bottom.Store(b + 1)
		return nil, false
	}
	v := d.ring.Load().at(b).Load()
	if b == t {
		won := d.top.CompareAndSwap(t, t+1)
		d.bottom.Store(b + 1)
		return v, won
	}
	return v, true
}

// storedTop: a thief moves top by a store, so that two have the same item.
type storedTop[E any] struct{ *textbook[E] }

func (d storedTop[E]) Stealer() queues.Stealer[*E] { return thief[E]{d.steal, d.Len} }

func (d storedTop[E]) steal() (*E, bool) {
	t := d.top.Load()
	if d.bottom.Load()-t <= 0 {
		return nil, false
	}
	v := d.ring.Load().at(t).Load()
	d.top.Store(t + 1)
	return v, false
}

// staleRing: a thief takes the ring before it reads top, so that what it finds
// there may be of an index that was used again (the fault of CVE-2021-32810).
type staleRing[E any] struct{ *textbook[E] }

func (d staleRing[E]) Stealer() queues.Stealer[*E] { return thief[E]{d.steal, d.Len} }

func (d staleRing[E]) steal() (*E, bool) {
	r := d.ring.Load()
	t := d.top.Load()
	if d.bottom.Load()-t <= 0 {
		return nil, false
	}
	v := r.at(t).Load()
	if !d.top.CompareAndSwap(t, t+1) {
		return nil, true
	}
	return v, false
}

// overfull: a push into a full ring overwrites the oldest item.
type overfull[E any] struct{ *textbook[E] }

func (d overfull[E]) Push(v *E) bool {
	b, t := d.bottom.Load(), d.top.Load()
	r := d.ring.Load()
	if b-t > int64(len(*r)) {
		r = d.grow(r, t, b)
	}
	r.at(b).Store(v)
	d.bottom.Store(b + 1)
	return true
}

// earlyPublish: a push publishes the item before it is in its slot.
type earlyPublish[E any] struct{ *textbook[E] }

func (d earlyPublish[E]) Push(v *E) bool {
	b, t := d.bottom.Load(), d.top.Load()
	r := d.ring.Load()
	if b-t >= int64(len(*r)) {
		r = d.grow(r, t, b)
	}
	d.bottom.Store(b + 1)
	r.at(b).Store(v)
	return true
}

// lostRestore: an owner that lost the last item to a thief leaves bottom where it
// was, so that the next push goes where nobody will look.
type lostRestore[E any] struct{ *textbook[E] }

func (d lostRestore[E]) Pop() (*E, bool) {
	b := d.bottom.Load() - 1
	d.bottom.Store(b)
	t := d.top.Load()
	if b-t < 0 {
		d.bottom.Store(b + 1)
		return nil, false
	}
	v := d.ring.Load().at(b).Load()
	if b == t {
		if !d.top.CompareAndSwap(t, t+1) {
			return nil, false
		}
		d.bottom.Store(b + 1)
	}
	return v, true
}

// calmThief: a thief that lost a race says that the deque is empty.
type calmThief[E any] struct{ *textbook[E] }

func (d calmThief[E]) Stealer() queues.Stealer[*E] {
	return thief[E]{func() (*E, bool) { v, _ := d.steal(); return v, false }, d.Len}
}

// greedy: a batch is taken by one move of top as long as it does not meet the
// owner, whose plain pops it does not see.
type greedy[E any] struct{ *textbook[E] }

func (d greedy[E]) Stealer() queues.Stealer[*E] { return greedyThief[E](d) }

type greedyThief[E any] struct{ *textbook[E] }

func (d greedyThief[E]) Steal(dst []*E) (int, bool) {
	t := d.top.Load()
	n := min(int64(len(dst)), d.bottom.Load()-t)
	if n <= 0 {
		return 0, false
	}
	r := d.ring.Load()
	for i := range n {
		dst[i] = r.at(t + i).Load()
	}
	if !d.top.CompareAndSwap(t, t+n) {
		return 0, true
	}
	return int(n), false
}

// jealous: a thief now and then gives up although nobody else took anything.
type jealous[E any] struct {
	*textbook[E]
	tries *atomic.Int64
}

func (d jealous[E]) Stealer() queues.Stealer[*E] {
	return thief[E]{func() (*E, bool) {
		if d.tries.Add(1)%4 == 0 {
			return nil, true
		}
		return d.steal()
	}, d.Len}
}
