package explore

import (
	"math/bits"

	"github.com/exactlyonce/certify/soak/explore/control"
)

// order knows which events of an execution happen before which, by vector
// clocks: event e of thread t happens before event i, or is it, if and only if
// clock(i)[t] >= e.Index.
type order struct {
	stride int     // threads there is room for
	clocks []int32 // event*stride+thread
	last   [control.MaxThreads]int32
	races  []int32 // of the event added last
	before []int32 // scratch
}

func (o *order) reset() {
	for t := range o.last {
		o.last[t] = -1
	}
}

func (o *order) clock(i int) []int32 { return o.clocks[i*o.stride : (i+1)*o.stride] }

func (o *order) widen() {
	wide := make([]int32, 2*len(o.clocks))
	for i, c := range o.clocks {
		wide[i/o.stride*2*o.stride+i%o.stride] = c
	}
	o.clocks = wide
	o.stride *= 2
	o.before = nil
}

// add computes the clock of event i and its races, newest first.
func (o *order) add(events []control.Event, i int) {
	for len(o.clocks) < (i+1)*o.stride {
		o.clocks = append(o.clocks, 0)
	}
	e, c := &events[i], o.clock(i)
	if last := o.last[e.Thread]; last >= 0 {
		copy(c, o.clock(int(last)))
	} else {
		clear(c)
	}
	c[e.Thread] = e.Index
	if e.After >= 0 {
		join(c, o.clock(int(e.After)))
	}
	o.races = o.races[:0]
	if e.Needs != 0 {
		o.gated(events, e, c)
	}
	for k := e.Prev; k >= 0; k = events[k].Prev {
		f := &events[k]
		if f.Wrote || e.Wrote {
			if e.Needs == 0 && c[f.Thread] < f.Index {
				o.races = append(o.races, k)
			}
			join(c, o.clock(int(k)))
		}
		if f.Wrote {
			break
		}
	}
}

// gated finds the races of an event that had to wait for its gate. What opened
// the gate is no race, because the event could not have come before it; the
// race is with the newest event before which the gate was open.
func (o *order) gated(events []control.Event, e *control.Event, c []int32) {
	before := append(o.before[:0], c...)
	o.before = before
	for k := e.Prev; k >= 0; k = events[k].Prev {
		f := &events[k]
		ordered := before[f.Thread] >= f.Index
		if (f.Wrote || e.Wrote) && !ordered && f.Shut&e.Needs == 0 {
			o.races = append(o.races, k)
			join(before, o.clock(int(k)))
			ordered = true
		}
		if f.Wrote && ordered {
			return
		}
	}
}

// initials are the threads that can begin an order of the events between f and
// i that do not happen after f, and i.
func (o *order) initials(events []control.Event, f, i int) (first control.Set) {
	var begun control.Set
	var from [control.MaxThreads]int32
	ft, fi := events[f].Thread, events[f].Index
	for g := f + 1; g <= i; g++ {
		t, c := int(events[g].Thread), o.clock(g)
		if begun.Has(t) || g < i && c[ft] >= fi {
			continue
		}
		free := true
		for s := begun; s != 0; s &= s - 1 {
			u := bits.TrailingZeros64(uint64(s))
			if c[u] >= from[u] {
				free = false
				break
			}
		}
		if free {
			first |= control.One(t)
		}
		begun |= control.One(t)
		from[t] = events[g].Index
	}
	return first
}

func join(a, b []int32) {
	for i, v := range b {
		if v > a[i] {
			a[i] = v
		}
	}
}

// class is equal for two executions of one program if, and but for collisions
// only if, they order the same pairs of dependent events in the same way.
func class(events []control.Event) (sum uint64) {
	o := order{stride: 1}
	for _, e := range events {
		for int(e.Thread) >= o.stride {
			o.stride *= 2
		}
	}
	o.reset()
	for i := range events {
		o.add(events, i)
		e := &events[i]
		o.last[e.Thread] = int32(i)
		h := mix(uint64(e.Thread)<<32 | uint64(e.Index))
		if e.Wrote {
			h = mix(h + 1)
		}
		for t, v := range o.clock(i) {
			if v > 0 {
				h = mix(h ^ uint64(t)<<32 ^ uint64(v))
			}
		}
		sum += h
	}
	return sum
}

// mix is the finalizer of splitmix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
