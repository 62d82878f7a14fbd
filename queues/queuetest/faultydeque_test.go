package queuetest

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/mutex"
)

// small is a Chase-Lev deque, as short as it can be, with a place for each
// fault. Without one it is the control.
type small struct {
	fault       string
	top, bottom atomic.Uint64
	ring        atomic.Pointer[[]atomic.Pointer[Item]]
	cleared     uint64        // the owner's
	done        atomic.Uint32 // operations; a fault waits for others by it
}

func newSmall(fault string) func(queues.Options) queues.Deque[*Item] {
	return func(o queues.Options) queues.Deque[*Item] {
		positive(o)
		d := &small{fault: fault, cleared: o.Start}
		size := 1
		for size < min(o.Capacity, 64) {
			size *= 2
		}
		ring := make([]atomic.Pointer[Item], size)
		d.ring.Store(&ring)
		d.top.Store(o.Start)
		d.bottom.Store(o.Start)
		return d
	}
}

func positive(o queues.Options) {
	if o.Capacity < 0 {
		panic(o.Capacity)
	}
}

// when waits in the window of that fault until somebody has operated, or for
// 50 yields; the others' operations make what was read before it stale.
func (d *small) when(faults ...string) {
	for _, fault := range faults {
		if d.fault != fault {
			continue
		}
		for i, done := 0, d.done.Load(); i < 50 && d.done.Load() == done; i++ {
			runtime.Gosched()
		}
	}
}

func slot(ring *[]atomic.Pointer[Item], i uint64) *atomic.Pointer[Item] {
	return &(*ring)[i&uint64(len(*ring)-1)]
}

func (d *small) Push(v *Item) bool {
	defer d.done.Add(1)
	b, t, ring := d.bottom.Load(), d.top.Load(), d.ring.Load()
	if b-t == uint64(len(*ring)) {
		ring = d.grow(t, b)
	}
	if d.fault == earlyPublish {
		d.bottom.Store(b + 1)
		d.when(earlyPublish)
	}
	slot(ring, b).Store(v)
	d.bottom.Store(b + 1)
	return true
}

func (d *small) grow(t, b uint64) *[]atomic.Pointer[Item] {
	old := d.ring.Load()
	ring := make([]atomic.Pointer[Item], 2*len(*old))
	last := b
	if d.fault == growDrops {
		last = b - 1
	}
	for i := t; i != last; i++ {
		slot(&ring, i).Store(slot(old, i).Load())
	}
	d.ring.Store(&ring)
	for i := range *old {
		(*old)[i].Store(nil) // somebody uses the old ring for something else
	}
	return &ring
}

func (d *small) Pop() (*Item, bool) {
	defer d.done.Add(1)
	early := d.top.Load()
	d.when(topFirst)
	d.sweep(d.top.Load())
	b := d.bottom.Load() - 1
	d.bottom.Store(b)
	t := d.top.Load()
	if d.fault == topFirst {
		t = early
	}
	size := int64(b - t)
	if size < 0 || size == 0 && d.fault != noLastCAS && !d.top.CompareAndSwap(t, t+1) {
		d.bottom.Store(b + 1)
		return nil, false
	}
	if size == 0 && d.fault != noLastCAS {
		d.bottom.Store(b + 1)
	}
	s := slot(d.ring.Load(), b)
	v := s.Load()
	if d.fault != keepsSlot {
		s.Store(nil)
	}
	return v, true
}

// sweep clears what thieves took and no newer item has overwritten.
func (d *small) sweep(t uint64) {
	ring := d.ring.Load()
	if oldest := d.bottom.Load() - uint64(len(*ring)); int64(oldest-d.cleared) > 0 {
		d.cleared = oldest
	}
	for ; d.fault != keepsSlot && int64(t-d.cleared) > 0; d.cleared++ {
		slot(ring, d.cleared).Store(nil)
	}
}

func (d *small) Len() int { return max(0, int(d.bottom.Load()-d.top.Load())) }

func (d *small) Stealer() queues.Stealer[*Item] { return d }

func (d *small) Steal(dst []*Item) (n int, retry bool) {
	defer d.done.Add(1)
	t := d.top.Load()
	size := int64(d.bottom.Load() - t)
	if size <= 0 || len(dst) == 0 {
		return 0, false
	}
	many := uint64(1)
	if d.fault == batchCAS {
		many = uint64(min(int64(len(dst)), size))
	}
	ring := d.ring.Load()
	d.when(staleRing)
	for i := range many {
		dst[i] = slot(ring, t+i).Load()
	}
	d.when(noLastCAS, batchCAS, storeTop)
	if d.fault != staleRing && d.ring.Load() != ring {
		return 0, true
	}
	if d.fault == storeTop {
		d.top.Store(t + 1)
	} else if !d.top.CompareAndSwap(t, t+many) {
		return 0, true
	}
	d.when(lateRead, thiefClears)
	switch d.fault {
	case lateRead:
		dst[0] = slot(d.ring.Load(), t).Load()
	case thiefClears:
		slot(d.ring.Load(), t).Store(nil)
	}
	return int(many), false
}

// The faults of small.
const (
	noLastCAS    = "pop takes the last item without CAS"
	topFirst     = "pop looks at top before it reserves"
	lateRead     = "steal reads the slot after its CAS"
	storeTop     = "steal stores top"
	staleRing    = "steal does not look at the ring again"
	batchCAS     = "steal takes a batch by one CAS"
	thiefClears  = "the thief clears the slot"
	growDrops    = "growing drops the newest"
	earlyPublish = "push publishes before it writes the slot"
	keepsSlot    = "slots are not cleared"
)

// faultyDeques: those of small first.
var faultyDeques = []fault{
	{name: noLastCAS, law: "duel", saw: "duplicated", deque: newSmall(noLastCAS)},
	{name: noLastCAS, law: "once", deque: newSmall(noLastCAS)},
	{name: topFirst, law: "once", deque: newSmall(topFirst)},
	{name: lateRead, law: "once", deque: newSmall(lateRead)},
	{name: storeTop, law: "once", deque: newSmall(storeTop)},
	{name: storeTop, law: "duel", saw: "duplicated", deque: newSmall(storeTop)},
	{name: staleRing, law: "once", deque: newSmall(staleRing)},
	{name: batchCAS, law: "once", saw: "duplicated", deque: newSmall(batchCAS)},
	{name: thiefClears, law: "once", deque: newSmall(thiefClears)},
	{name: growDrops, law: "model", deque: newSmall(growDrops)},
	{name: earlyPublish, law: "once", deque: newSmall(earlyPublish)},
	{name: keepsSlot, law: "retention", deque: newSmall(keepsSlot)},
	{name: "owner pops the oldest", law: "order", deque: func(o queues.Options) queues.Deque[*Item] {
		return ownerFIFO{mutex.NewDeque[*Item](o)}
	}},
	{name: "batch pushed newest first", law: "batch", saw: "out of order", deque: func(o queues.Options) queues.Deque[*Item] {
		return upsideDown{mutex.NewDeque[*Item](o)}
	}},
	{name: "a batch passes the bound", law: "refuse", saw: "accepted together", promises: queues.Promises{Order: queues.OwnerLIFO, Bounded: true},
		deque: func(o queues.Options) queues.Deque[*Item] {
			return boundless{bounded{mutex.NewDeque[*Item](o), o.Capacity}}
		}},
	{name: "thief takes the newest", law: "order", deque: func(o queues.Options) queues.Deque[*Item] {
		return newestThief{mutex.NewDeque[*Item](o)}
	}},
	{name: "empty is always a lost race", law: "empty", saw: "lost 100 races", deque: func(o queues.Options) queues.Deque[*Item] {
		return eager{mutex.NewDeque[*Item](o)}
	}},
	{name: "thieves are turned away", law: "duel", saw: "vacuous", deque: func(o queues.Options) queues.Deque[*Item] {
		return fortress{mutex.NewDeque[*Item](o)}
	}},
	{name: "thieves are turned away", law: "once", saw: "vacuous", deque: func(o queues.Options) queues.Deque[*Item] {
		return fortress{mutex.NewDeque[*Item](o)}
	}},
	{name: "stolen batches backwards", law: "sequence", saw: "after item", deque: func(o queues.Options) queues.Deque[*Item] {
		return reversed{mutex.NewDeque[*Item](o)}
	}},
	{name: "owner gets stolen items back", law: "sequence", saw: "not the newest", deque: func(o queues.Options) queues.Deque[*Item] {
		return swapped{mutex.NewDeque[*Item](o)}
	}},
}

func TestFaultyDeques(t *testing.T) {
	for _, f := range faultyDeques {
		t.Run(f.name+"/"+f.law, func(t *testing.T) { kill(t, f) })
	}
}

type ownerFIFO struct{ *mutex.Deque[*Item] }

func (d ownerFIFO) Pop() (*Item, bool) {
	var dst [1]*Item
	n, _ := d.Deque.Stealer().Steal(dst[:])
	return dst[0], n == 1
}

type boundless struct{ bounded }

func (d boundless) PushAll(vs []*Item) int { return d.Deque.PushAll(vs) }

type upsideDown struct{ *mutex.Deque[*Item] }

func (d upsideDown) PushAll(vs []*Item) int {
	for i := range vs {
		d.Push(vs[len(vs)-1-i])
	}
	return len(vs)
}

type newestThief struct{ *mutex.Deque[*Item] }

func (d newestThief) Stealer() queues.Stealer[*Item] { return d }

func (d newestThief) Steal(dst []*Item) (int, bool) {
	if len(dst) == 0 {
		return 0, false
	}
	v, ok := d.Pop()
	if !ok {
		return 0, false
	}
	dst[0] = v
	return 1, false
}

type eager struct{ *mutex.Deque[*Item] }

func (d eager) Stealer() queues.Stealer[*Item] { return d }

func (d eager) Steal(dst []*Item) (int, bool) {
	n, _ := d.Deque.Stealer().Steal(dst)
	return n, n == 0
}

type fortress struct{ *mutex.Deque[*Item] }

func (d fortress) Stealer() queues.Stealer[*Item] { return d }

func (d fortress) Steal([]*Item) (int, bool) { return 0, false }

type reversed struct{ *mutex.Deque[*Item] }

func (d reversed) Stealer() queues.Stealer[*Item] { return d }

func (d reversed) Steal(dst []*Item) (int, bool) {
	n, retry := d.Deque.Stealer().Steal(dst)
	for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
		dst[i], dst[j] = dst[j], dst[i]
	}
	return n, retry
}

// swapped pops the second newest.
type swapped struct{ *mutex.Deque[*Item] }

func (d swapped) Pop() (*Item, bool) {
	v, ok := d.Deque.Pop()
	w, two := d.Deque.Pop()
	if two {
		d.Push(v)
		return w, true
	}
	return v, ok
}
