package flawed

import (
	"sync/atomic"

	"github.com/exactlyonce/certify/queues"
)

// textbook is the deque of Chase and Lev (SPAA 2005, figure 2) as Lê et al. write it
// (PPoPP 2013, figure 1): the control that must survive, and what most faulty deques
// differ from in one step. Slots are atomic, so that a fault is told by what it does
// to items and not by the race detector. No memory is recycled.
type textbook[E any] struct {
	top    atomic.Int64 // thieves and, for the last item, the owner: CAS, only up
	bottom atomic.Int64 // the owner: store
	ring   atomic.Pointer[ring[E]]
}

// ring holds the items of a range of indices, each at its index modulo its size.
type ring[E any] []atomic.Pointer[E]

func (r ring[E]) at(i int64) *atomic.Pointer[E] { return &r[uint64(i)%uint64(len(r))] }

func newTextbook[E any](o queues.Options) *textbook[E] {
	d := &textbook[E]{}
	d.top.Store(int64(o.Start))
	d.bottom.Store(int64(o.Start))
	size := 2
	for size < o.Capacity { // a power of two, so that an index may wrap
		size *= 2
	}
	r := make(ring[E], size)
	d.ring.Store(&r)
	return d
}

func (d *textbook[E]) Push(v *E) bool {
	b, t := d.bottom.Load(), d.top.Load()
	r := d.ring.Load()
	if b-t >= int64(len(*r)) {
		r = d.grow(r, t, b)
	}
	r.at(b).Store(v)
	d.bottom.Store(b + 1) // publishes the item
	return true
}

func (d *textbook[E]) grow(old *ring[E], t, b int64) *ring[E] {
	r := make(ring[E], 2*len(*old))
	for i := t; i != b; i++ {
		r.at(i).Store(old.at(i).Load())
	}
	d.ring.Store(&r)
	return &r
}

func (d *textbook[E]) Pop() (*E, bool) {
	b := d.bottom.Load() - 1
	d.bottom.Store(b) // reserves it against thieves that read bottom from here on
	t := d.top.Load()
	if b-t < 0 {
		d.bottom.Store(b + 1)
		return nil, false
	}
	v := d.ring.Load().at(b).Load()
	if b == t { // the last: whoever moves top has it
		won := d.top.CompareAndSwap(t, t+1)
		d.bottom.Store(b + 1)
		if !won {
			return nil, false
		}
	}
	return v, true
}

// steal takes the oldest item. retry: another one was faster.
func (d *textbook[E]) steal() (v *E, retry bool) {
	t := d.top.Load()
	b := d.bottom.Load()
	if b-t <= 0 {
		return nil, false
	}
	v = d.ring.Load().at(t).Load()
	if !d.top.CompareAndSwap(t, t+1) {
		return nil, true
	}
	return v, false
}

func (d *textbook[E]) Len() int { return int(max(0, d.bottom.Load()-d.top.Load())) }

func (d *textbook[E]) Stealer() queues.Stealer[*E] { return thief[E]{d.steal, d.Len} }

// thief is the thief's side of a deque that is stolen from one at a time.
type thief[E any] struct {
	steal func() (*E, bool)
	len   func() int
}

func (t thief[E]) Steal(dst []*E) (n int, retry bool) {
	if len(dst) == 0 {
		return 0, false
	}
	v, retry := t.steal()
	if v == nil {
		return 0, retry
	}
	dst[0] = v
	return 1, false
}

func (t thief[E]) Len() int { return t.len() }
