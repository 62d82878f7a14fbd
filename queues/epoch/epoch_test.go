package epoch

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"weak"
)

// thing is what the tests retire.
type thing struct {
	id       int
	gen      int // raised by each reclaim, so that a reader sees a reuse
	poisoned bool
	_        *thing // no tiny object, which would live as long as its neighbours
}

// config is small, so that all limits are met.
func config(start uint64) Config[thing] {
	return Config[thing]{Interval: 2, Limbo: 6, Cache: 4, Depot: 2, Start: start}
}

// starts include the last epochs before the counter wraps, at 2^63.
var starts = []uint64{0, 1<<63 - 1, 1<<63 - 2, 1<<63 - 3, 1<<64 - 2}

func TestAlloc(t *testing.T) {
	for _, start := range starts {
		d := New(config(start))
		home := d.Home()
		seen := map[*thing]bool{}
		recycled := 0
		for i := range 1000 {
			g := home.Pin()
			o := g.Alloc()
			if o == nil {
				o = &thing{id: i}
				seen[o] = true
			} else if recycled++; !seen[o] {
				t.Fatalf("start %d: Alloc returned a stranger", start)
			}
			g.Retire(o)
			g.Unpin()
		}
		if made := len(seen); made > 20 || recycled == 0 {
			t.Errorf("start %d: %d objects made, %d recycled", start, made, recycled)
		}
	}
}

// TestDepot: objects that one home retires reach another home's Alloc.
func TestDepot(t *testing.T) {
	d := New(config(0))
	consumers, producers := d.Home(), d.Home()
	fed := 0
	for i := range 1000 {
		p := producers.Pin()
		o := p.Alloc()
		p.Unpin()
		if o == nil {
			o = &thing{id: i}
		} else {
			fed++
		}
		c := consumers.Pin()
		c.Retire(o)
		c.Unpin()
	}
	if fed < 900 {
		t.Errorf("%d of 1000 came back through the depot", fed)
	}
}

func TestSurplus(t *testing.T) {
	d := New(config(0))
	home := d.Home()
	for i := range 1000 {
		g := home.Pin()
		g.Retire(&thing{id: i})
		g.Unpin()
	}
	s := d.Stats()
	if kept := s.Reclaimed - s.Surplus; kept > 4+2*2 || s.Surplus == 0 {
		t.Errorf("kept %d reclaimed objects, %+v", kept, s)
	}
	if s.LimboHigh > 6 || s.Advances == 0 || s.Pinned != 0 {
		t.Errorf("%+v", s)
	}
}

// TestCachesLetGo: what Alloc has returned, or found no place, is nobody's.
func TestCachesLetGo(t *testing.T) {
	for n := 96; n < 104; n++ { // so that the last batch to the depot is at all ages
		letGo(t, n)
	}
}

func letGo(t *testing.T, n int) {
	t.Helper()
	d := New(config(0))
	home := d.Home()
	var all []weak.Pointer[thing]
	for i := range n {
		o := &thing{id: i}
		all = append(all, weak.Make(o))
		g := home.Pin()
		g.Retire(o)
		g.Unpin()
	}
	g := home.Pin()
	for g.Alloc() != nil {
	}
	g.Unpin()
	runtime.GC()
	alive := 0
	for _, p := range all {
		if p.Value() != nil {
			alive++
		}
	}
	if resting := home.slot.resting; alive > resting {
		t.Errorf("%d objects alive, of which %d rest in limbo", alive, resting)
	}
	runtime.KeepAlive(d)
}

func TestLimboBound(t *testing.T) {
	c := config(0)
	discarded := map[*thing]int{}
	c.Discard = func(o *thing) { discarded[o]++ }
	c.Reclaim = func(*thing) bool { t.Error("reclaimed under a stalled pin"); return false }
	d := New(c)
	stalled := d.Home().Pin()
	home := d.Home()
	const n = 1000
	before := d.Stats().Epoch
	for i := range n {
		g := home.Pin()
		g.Retire(&thing{id: i})
		g.Unpin()
	}
	s := d.Stats()
	if s.Epoch > before+1 {
		t.Errorf("the epoch went from %d to %d under a pin", before, s.Epoch)
	}
	if s.LimboHigh > c.Limbo || s.Limbo > c.Limbo || len(discarded) < n-c.Limbo || s.Discarded != uint64(len(discarded)) {
		t.Errorf("%d discarded, %+v", len(discarded), s)
	}
	stalled.Unpin()
}

func TestHomes(t *testing.T) {
	d := New(config(0))
	seen := map[*slot[thing]]bool{}
	for range maxHomes {
		seen[d.Home().slot] = true
	}
	if len(seen) != maxHomes {
		t.Errorf("%d slots for %d homes", len(seen), maxHomes)
	}
	for range 10 * maxHomes {
		d.Home()
	}
	if got := d.Stats().Slots; got != maxHomes {
		t.Errorf("%d slots after many more homes", got)
	}
	home := d.Home()
	var guards []Guard[thing]
	for range 2 * maxHomes {
		guards = append(guards, home.Pin())
	}
	if s := d.Stats(); s.Pinned != 2*maxHomes || s.Slots != 2*maxHomes {
		t.Errorf("%d pins nested: %+v", 2*maxHomes, s)
	}
	for _, g := range guards {
		g.Unpin()
	}
}

func TestNewPanics(t *testing.T) {
	for _, c := range []Config[thing]{{}, {Interval: 3, Limbo: 2}, {Interval: 1, Limbo: 1, Cache: 1}, {Interval: 1, Limbo: 1, Depot: -1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("New(%+v) did not panic", c)
				}
			}()
			New(c)
		}()
	}
}

// TestReaders: readers hold an object across a yield while writers replace and
// retire it. Reuse is visible twice: in the poison, and to the race detector.
// Writers go on until the epoch has advanced past a pinned reader.
func TestReaders(t *testing.T) {
	c := Config[thing]{Interval: 4, Limbo: 64, Cache: 16, Depot: 2, Start: 1<<63 - 3}
	c.Reclaim = func(o *thing) bool { o.poisoned = true; o.gen++; return true }
	d := New(c)
	var cell atomic.Pointer[thing]
	cell.Store(new(thing))
	var stop atomic.Bool
	var writers, readers sync.WaitGroup
	for range 2 {
		home := d.Home()
		writers.Go(func() {
			for i := 0; i < 4000 || i < 1_000_000 && d.Stats().Overlapped == 0; i++ {
				replace(home, &cell, i)
				if i%16 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	for range 2 {
		home := d.Home()
		readers.Go(func() {
			for i := 0; !stop.Load(); i++ {
				if err := hold(home, &cell, i%8 == 0); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
	stop.Store(true)
	readers.Wait()
	if s := d.Stats(); s.Reclaimed == 0 || s.Overlapped == 0 {
		t.Errorf("vacuous: %+v", s)
	}
}

// replace puts a new or recycled object in the cell and retires the old one.
func replace(home Home[thing], cell *atomic.Pointer[thing], id int) {
	g := home.Pin()
	defer g.Unpin()
	o := g.Alloc()
	if o == nil {
		o = new(thing)
	}
	o.poisoned, o.id = false, id
	g.Retire(cell.Swap(o))
}

// hold reads the object in the cell twice, under one pin.
func hold(home Home[thing], cell *atomic.Pointer[thing], yield bool) error {
	g := home.Pin()
	defer g.Unpin()
	o := cell.Load()
	was := *o
	if yield {
		runtime.Gosched()
	}
	if *o != was || o.poisoned {
		return fmt.Errorf("the object held changed from %+v to %+v", was, *o)
	}
	return nil
}

func BenchmarkPin(b *testing.B) {
	home := New(Config[thing]{Interval: 64, Limbo: 512, Cache: 64, Depot: 8}).Home()
	b.ReportAllocs()
	for b.Loop() {
		home.Pin().Unpin()
	}
}

func BenchmarkRetire(b *testing.B) {
	home := New(Config[thing]{Interval: 64, Limbo: 512, Cache: 64, Depot: 8}).Home()
	b.ReportAllocs()
	for b.Loop() {
		g := home.Pin()
		o := g.Alloc()
		if o == nil {
			o = new(thing)
		}
		g.Retire(o)
		g.Unpin()
	}
}

func dice(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
