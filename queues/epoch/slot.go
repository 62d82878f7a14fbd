package epoch

import "sync/atomic"

// slot is one participant. It belongs to nobody, or to the holder of the guard
// that took it; slots are added at the end of the domain's list, never removed.
//
//	         take: CAS               Retire, Alloc: plain fields
//	free (0) ---------> pinned (epoch|1) ------------> pinned
//	   ^                   |
//	   +-------------------+ Unpin: Store
type slot[N any] struct {
	// word is 0 while the slot is free, else the holder's epoch with bit 0
	// set. Anybody writes 0 -> epoch|1 (take), the holder alone writes 0.
	// Everybody reads it. It also orders one holder's use of the plain fields
	// before the next one's.
	word atomic.Uint64

	// next is the following slot; append writes nil -> slot, once.
	next atomic.Pointer[slot[N]]

	_ [112]byte // scans that read word, and the holder that writes below

	// Only the holder touches these.
	limbo   []retired[N] // ring of Config.Limbo, made at the first Retire
	oldest  int          // index of the oldest in limbo
	resting int          // how many are in limbo
	since   int          // retires since the last try to advance
	free    []*N         // a stack for Alloc, at most Config.Cache

	// Written by the holder in collect, read by Stats.
	limboSeen atomic.Int64
	limboHigh atomic.Int64

	_ [128]byte // the holder, and the next slot's scans
}

// retired is an object in limbo.
type retired[N any] struct {
	object *N
	tag    uint64 // the epoch when the object had been unlinked
}

// take makes a free slot the caller's, showing pin. From here on no advance
// that begins later passes the pin's epoch by more than one.
func (s *slot[N]) take(pin uint64) bool {
	return s.word.Load() == 0 && s.word.CompareAndSwap(0, pin)
}

// append puts last behind s, unless s has a follower, and returns the follower.
func (s *slot[N]) append(last *slot[N]) *slot[N] {
	if s.next.CompareAndSwap(nil, last) { // publishes last; pairs with the loads of scans
		return last
	}
	return s.next.Load()
}

// Guard is a pin. It is used by one goroutine and by nobody after Unpin.
type Guard[N any] struct {
	domain *Domain[N]
	slot   *slot[N]
}

// Unpin ends the pin. The caller holds no object of the domain any more.
func (g Guard[N]) Unpin() {
	g.slot.word.Store(0) // publishes that our reads are over; pairs with agreed and take
}

// Retire takes over an object that the caller has unlinked, so that only those
// who pinned before can hold it. It is retired once.
func (g Guard[N]) Retire(object *N) {
	s := g.slot
	limit := g.domain.config.Limbo
	if s.limbo == nil {
		s.limbo = make([]retired[N], limit)
	}
	last := s.oldest + s.resting
	if last >= limit {
		last -= limit
	}
	s.limbo[last] = retired[N]{object, g.domain.epoch.Load()} // a load after the unlink: see the proof above
	s.resting++
	s.since++
	if s.since >= g.domain.config.Interval || s.resting == limit {
		g.collect()
	}
}

// collect tries to advance, reuses what has rested for two epochs, and makes
// sure that there is room in limbo.
func (g Guard[N]) collect() {
	d, s := g.domain, g.slot
	s.since = 0
	s.limboHigh.Store(max(s.limboHigh.Load(), int64(s.resting)))
	d.advance(s)
	now := d.epoch.Load() // pairs with advance: what others did before it is behind us
	reclaimed, surplus := 0, 0
	// No tag is ahead of now, and tags in one slot never fall, so this
	// subtraction holds across the wrap and the loop may stop at the first.
	for s.resting > 0 && now-s.limbo[s.oldest].tag >= 2*step {
		surplus += d.keep(s, s.leave())
		reclaimed++
	}
	d.reclaimed.Add(uint64(reclaimed))
	d.surplus.Add(uint64(surplus))
	if s.resting == len(s.limbo) {
		g.discard()
	}
	s.limboSeen.Store(int64(s.resting))
}

// discard leaves the older half of a full limbo to the garbage collector. Half,
// so that a stalled pin costs the others one scan in many retires.
func (g Guard[N]) discard() {
	half := (len(g.slot.limbo) + 1) / 2
	for range half {
		object := g.slot.leave()
		if hook := g.domain.config.Discard; hook != nil {
			hook(object)
		}
	}
	g.domain.discarded.Add(uint64(half))
}

// leave takes the oldest object out of limbo.
func (s *slot[N]) leave() *N {
	object := s.limbo[s.oldest].object
	s.limbo[s.oldest].object = nil
	s.resting--
	if s.oldest++; s.oldest == len(s.limbo) {
		s.oldest = 0
	}
	return object
}

// keep puts a reclaimed object on the slot's stack, moving half of a full stack
// to the depot. It returns how many objects found no place.
func (d *Domain[N]) keep(s *slot[N], object *N) (surplus int) {
	if d.config.Reclaim != nil && !d.config.Reclaim(object) {
		return 0
	}
	if d.config.Cache == 0 {
		return 1
	}
	if s.free == nil {
		s.free = make([]*N, 0, d.config.Cache)
	}
	if len(s.free) == cap(s.free) {
		rest := len(s.free) - d.config.Cache/2
		if !d.depot.put(s.free[rest:]) {
			surplus = len(s.free) - rest
		}
		clear(s.free[rest:])
		s.free = s.free[:rest]
	}
	s.free = append(s.free, object)
	return surplus
}

// Alloc returns a reclaimed object, or nil when there is none at hand.
func (g Guard[N]) Alloc() *N {
	s := g.slot
	if len(s.free) == 0 && !g.refill() {
		return nil
	}
	last := len(s.free) - 1
	object := s.free[last]
	s.free[last] = nil
	s.free = s.free[:last]
	return object
}

// refill fetches a batch from the depot.
func (g Guard[N]) refill() bool {
	d, s := g.domain, g.slot
	if s.free == nil && d.config.Cache > 0 {
		s.free = make([]*N, 0, d.config.Cache)
	}
	s.free = d.depot.take(s.free)
	return len(s.free) > 0
}
