package flawed

import (
	"sync/atomic"

	"github.com/exactlyonce/certify/soak/explore/limbo"
)

// epochs is the reclaimer of Fraser (UCAM-CL-TR-579, 5.2.3): the control that must
// survive, and what the faulty ones differ from in one step. Each pin takes a place,
// which shows the epoch of the pin; the epoch moves on when all that are taken show
// the present one, and a node may be given out two epochs after it was unlinked.
type epochs struct {
	limbo.Options
	now    atomic.Uint64 // in twos, so that it wraps and a place that is taken is odd
	places [places]place
	homes  int

	// The steps, of which a faulty one has another.
	start  func(h *home) *place           // takes a place
	tag    func(p *place) uint64          // of a node that was unlinked
	agreed func(now uint64) bool          // nobody is pinned in another epoch
	move   func(now uint64)               // the epoch on from now
	rested func(now, tag uint64) bool     // long enough
	give   func(p *place) (n *limbo.Node) // one that has
}

// places are as many as small programs have pins at a time.
const places = 6

// place is one pin's at a time, with what was retired there.
type place struct {
	shows atomic.Uint64 // 0 while it is free, else the epoch of the pin and one
	limbo []*limbo.Node // oldest first
	free  []*limbo.Node
}

const epochStep = 2

func newEpochs(o limbo.Options) *epochs {
	d := &epochs{Options: o}
	d.now.Store(o.Start * epochStep)
	d.start = d.take
	d.tag = func(*place) uint64 { return d.now.Load() }
	d.agreed = func(now uint64) bool { return agree(d.places[:], now) }
	d.move = func(now uint64) { d.now.CompareAndSwap(now, now+epochStep) }
	d.rested = func(now, tag uint64) bool { return now-tag >= 2*epochStep }
	d.give = func(p *place) *limbo.Node { return p.pop() }
	return d
}

// home is where a thread looks for a free place first.
type home struct {
	*epochs
	first int
}

func (d *epochs) Home() limbo.Home {
	d.homes++
	return &home{d, d.homes - 1}
}

type guard struct {
	*epochs
	*place
}

func (h *home) Pin() limbo.Guard { return guard{h.epochs, h.start(h)} }

// take waits for nothing: there are places for all.
func (d *epochs) take(h *home) *place {
	for i := h.first; ; i++ {
		p := &d.places[i%places]
		if p.shows.Load() == 0 && p.shows.CompareAndSwap(0, d.now.Load()|1) {
			return p
		}
	}
}

func (g guard) Unpin() { g.shows.Store(0) }

func (g guard) Retire(n *limbo.Node) {
	n.Tag = g.tag(g.place)
	g.limbo = append(g.limbo, n)
	if now := g.now.Load(); g.agreed(now) {
		g.move(now)
	}
	now := g.now.Load()
	for len(g.limbo) > 0 && g.rested(now, g.limbo[0].Tag) {
		g.Reclaim(g.limbo[0])
		g.free = append(g.free, g.limbo[0])
		g.limbo = g.limbo[1:]
	}
}

func (g guard) Alloc() *limbo.Node { return g.give(g.place) }

// agree tells whether all places that are taken show an epoch.
func agree(all []place, now uint64) bool {
	for i := range all {
		if shows := all[i].shows.Load(); shows != 0 && shows != now|1 {
			return false
		}
	}
	return true
}

func (p *place) pop() (n *limbo.Node) {
	if last := len(p.free) - 1; last >= 0 {
		n, p.free = p.free[last], p.free[:last]
	}
	return n
}
