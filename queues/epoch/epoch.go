// Package epoch tells when an object that was unlinked from a lock-free
// structure may be used again: epoch-based reclamation, for objects of one
// type N.
//
// A goroutine pins before it loads shared links and unpins when it holds none
// any more. Whoever unlinks an object retires it, still pinned; the object
// rests in limbo, with the epoch of that moment, until two epochs have gone by.
// The epoch advances only while every pinned goroutine shows the current one.
//
//	reader                              retirer
//	1. slot = epoch (pin)               1. unlink the object
//	2. load a link, use the object      2. tag = epoch (Retire)
//	3. slot = 0 (unpin)                 3. reuse once epoch >= tag + 2
//
// Why that is enough: let a reader pin at e, before the object is unlinked.
// The tag r is read after the unlink, so e <= r. The epoch goes from r+1 to r+2
// only by an advance that loaded r+1, hence began after the pin, hence finds
// the reader's slot showing e, which is not r+1, and gives up. One epoch would
// not do: the advance from r may have looked at the slots before the pin.
//
// Promises: anybody may pin without registering, nested pins each count, and
// nothing waits for anything. Memory stays bounded even if a goroutine is
// stalled while pinned: past [Config.Limbo] the oldest objects are discarded,
// which means left to the garbage collector instead of reused.
//
// Non-goals: memory safety, which the garbage collector gives (this package is
// about reuse only); running code at reclamation (the hooks are for resetting).
//
// Source: Fraser, Practical lock-freedom, section 5.2.3 (UCAM-CL-TR-579, 2004),
// with the constants of crossbeam-epoch to start from; the limbo bound with
// the collector as backstop is ours.
package epoch

import (
	"fmt"
	"sync/atomic"
)

// Config sizes a domain. Interval and Limbo must be positive.
type Config[N any] struct {
	Interval int // retires through one slot between two tries to advance
	Limbo    int // most objects in limbo of one slot, at least Interval
	Cache    int // most objects that one slot keeps for Alloc; 0 keeps none
	Depot    int // batches of Cache/2 objects that the slots share

	// Start is the first epoch. Tests start next to the wrap.
	Start uint64

	// Reclaim, if set, makes an object fit for reuse. It is called by the
	// goroutine that retires, with an object that nobody else holds. The
	// domain keeps the object for Alloc if it returns true.
	Reclaim func(*N) bool

	// Discard, if set, is called with each object that leaves limbo too early,
	// because the limbo is full. Pinned readers may still be using it.
	Discard func(*N)
}

// Domain is a set of participants that share one epoch.
type Domain[N any] struct {
	config Config[N]
	depot  depot[N]
	first  *slot[N]

	_ [128]byte // the fields above are read by all; the epoch is written

	// epoch counts in steps of 2, so that bit 0 is free for slot.word and the
	// wrap at 2^64 needs no care. Everybody reads it, advance alone writes it.
	// Invariant: an odd slot.word is never ahead of epoch.
	epoch atomic.Uint64

	// Counters, written where the epoch's line is in motion anyway: once in
	// Config.Interval retires. advance writes the first two, collect the rest.
	advances   atomic.Uint64
	overlapped atomic.Uint64
	reclaimed  atomic.Uint64
	surplus    atomic.Uint64
	discarded  atomic.Uint64
	homes      atomic.Uint64 // given out by Home, which alone writes it

	_ [128]byte // the epoch's writers and whatever the heap puts next
}

// step is one epoch in the unit of Domain.epoch.
const step = 2

// New returns a domain. It panics when a size in c makes no sense.
func New[N any](c Config[N]) *Domain[N] {
	if c.Interval < 1 || c.Limbo < c.Interval {
		panic(fmt.Sprintf("epoch: interval %d, limbo %d: want 0 < interval <= limbo", c.Interval, c.Limbo))
	}
	if c.Cache < 0 || c.Cache == 1 || c.Depot < 0 {
		panic(fmt.Sprintf("epoch: cache %d, depot %d: want no negative and no cache of one", c.Cache, c.Depot))
	}
	d := &Domain[N]{config: c, depot: newDepot[N](c.Depot, c.Cache/2), first: new(slot[N])}
	d.epoch.Store(c.Start * step)
	return d
}

// maxHomes bounds the slots made for homes, whoever asks for them in a loop.
const maxHomes = 64

// Home is the place where a goroutine, or a group of them, prefers to pin.
// Goroutines with homes of their own do not write to the same cache line.
type Home[N any] struct {
	domain *Domain[N]
	slot   *slot[N]
}

// Home returns a home that nobody else has got; past 64 they come round again.
func (d *Domain[N]) Home() Home[N] {
	s := d.first
	for range (d.homes.Add(1) - 1) % maxHomes {
		next := s.next.Load()
		if next == nil {
			next = s.append(new(slot[N]))
		}
		s = next
	}
	return Home[N]{d, s}
}

// Pin takes a slot, the home's if it is free, and returns its guard. Pins nest:
// each takes a slot of its own, so the outer one still holds the epoch.
func (h Home[N]) Pin() Guard[N] {
	pin := h.domain.epoch.Load() | 1 // an old epoch is safe here: it only blocks advances
	if h.slot.take(pin) {
		return Guard[N](h)
	}
	return Guard[N]{h.domain, h.domain.search(h.slot, pin)}
}

// search takes the first free slot after home, or adds one when all are taken.
func (d *Domain[N]) search(home *slot[N], pin uint64) *slot[N] {
	last := home
	for s := home.next.Load(); s != nil; s = s.next.Load() {
		if s.take(pin) {
			return s
		}
		last = s
	}
	for s := d.first; s != home; s = s.next.Load() {
		if s.take(pin) {
			return s
		}
	}
	s := new(slot[N])
	s.word.Store(pin)
	for {
		if last = last.append(s); last == s {
			return s
		}
	}
}

// advance moves the epoch on by one unless a pinned slot shows another one.
func (d *Domain[N]) advance(self *slot[N]) {
	now := d.epoch.Load()
	ok, others := d.agreed(now, self)
	if !ok || !d.epoch.CompareAndSwap(now, now+step) {
		return
	}
	d.advances.Add(1)
	if others {
		d.overlapped.Add(1)
	}
}

// agreed tells whether all pinned slots show now, and whether one besides self
// is pinned. A slot that is taken after it was looked at shows now or less and
// so blocks the advance after this one.
func (d *Domain[N]) agreed(now uint64, self *slot[N]) (ok, others bool) {
	for s := d.first; s != nil; s = s.next.Load() {
		word := s.word.Load() // pairs with slot.take and Guard.Unpin
		if word == 0 {
			continue
		}
		if word != now|1 {
			return false, others
		}
		others = others || s != self
	}
	return true, others
}

// Stats is what a domain has done. Figures from slots are as of the slot's
// last collection, which is at most Config.Interval retires ago.
type Stats struct {
	Epoch      uint64 // the current epoch
	Slots      int    // slots made: the most pins at one time, or the homes
	Pinned     int    // slots pinned now
	Limbo      int    // objects in limbo
	LimboHigh  int    // most objects that were in limbo of one slot
	Advances   uint64 // times the epoch moved
	Overlapped uint64 // of these, with another slot than the advancer's pinned
	Reclaimed  uint64 // objects that rested for two epochs
	Surplus    uint64 // of these, left to the collector because the caches were full
	Discarded  uint64 // objects that left limbo early because it was full
}

// Stats may be called at any time.
func (d *Domain[N]) Stats() Stats {
	t := Stats{
		Epoch:      d.epoch.Load() / step,
		Advances:   d.advances.Load(),
		Overlapped: d.overlapped.Load(),
		Reclaimed:  d.reclaimed.Load(),
		Surplus:    d.surplus.Load(),
		Discarded:  d.discarded.Load(),
	}
	for s := d.first; s != nil; s = s.next.Load() {
		t.Slots++
		t.Pinned += int(s.word.Load() & 1)
		t.Limbo += int(s.limboSeen.Load())
		t.LimboHigh = max(t.LimboHigh, int(s.limboHigh.Load()))
	}
	return t
}
