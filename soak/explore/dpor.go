package explore

import (
	"math/bits"

	"github.com/exactlyonce/certify/soak/explore/control"
)

// Exhaustive runs one order of each class: source sets found on the fly, with
// sleep sets.
//
// A race is a pair of steps of two threads at one location, one of which
// writes, with no order between them but their own. For each race that an
// execution has, some order must be run in which the second comes first. Source
// sets say which thread has to be tried before the first step for that; sleep
// sets end an execution as soon as it is sure to be like an earlier one.
func Exhaustive() Strategy { return exhaustive{} }

type exhaustive struct{}

func (exhaustive) String() string       { return "exhaustive" }
func (exhaustive) start(Options) search { return &dpor{order: order{stride: 4}} }

// node is a state on the path that is being explored, before its event.
//
// Invariant: chosen is in enabled and backtrack, and neither in done nor asleep.
type node struct {
	enabled   control.Set
	backtrack control.Set // to be tried from here
	done      control.Set // tried
	sleep     control.Set // tried from an earlier state, and nothing that matters since
	chosen    int
}

// access is what the event of a thread did.
type access struct {
	loc   int32
	wrote bool
}

type dpor struct {
	order
	nodes []node
	depth int // nodes[:depth] are from the last execution; the last of them has a new choice
	log   []control.Event
	tried []access // node*stride+thread, for threads that are done or asleep
	err   error
}

func (d *dpor) report(*Report) {}

func (d *dpor) begin(*control.Execution) { d.reset() }

func (d *dpor) Pick(x *control.Execution, enabled control.Set) int {
	if d.err != nil {
		return -1
	}
	i := len(x.Events())
	if i < d.depth {
		if d.nodes[i].enabled != enabled {
			d.err = differ(i, d.log[i], d.log[i])
			return -1
		}
		return d.nodes[i].chosen
	}
	if x.Threads() > d.stride {
		d.widen()
	}
	n := node{enabled: enabled}
	if i > 0 {
		n.sleep = d.asleep(i)
	}
	awake := enabled &^ n.sleep
	if awake == 0 {
		return -1
	}
	n.chosen = x.Last()
	if !awake.Has(n.chosen) {
		n.chosen = bits.TrailingZeros64(uint64(awake))
	}
	n.backtrack = control.One(n.chosen)
	d.nodes = append(d.nodes, n)
	for len(d.tried) < len(d.nodes)*d.stride {
		d.tried = append(d.tried, access{})
	}
	return n.chosen
}

// asleep is the sleep set of node i: who slept or was done at the one before,
// unless woken by its event.
func (d *dpor) asleep(i int) (sleep control.Set) {
	before, e := &d.nodes[i-1], &d.log[i-1]
	for s := before.sleep | before.done; s != 0; s &= s - 1 {
		t := bits.TrailingZeros64(uint64(s))
		a := d.tried[(i-1)*d.stride+t]
		if a.loc == e.Loc && (a.wrote || e.Wrote) {
			continue
		}
		sleep |= control.One(t)
		for len(d.tried) < (i+1)*d.stride {
			d.tried = append(d.tried, access{})
		}
		d.tried[i*d.stride+t] = a
	}
	return sleep
}

func (d *dpor) Commit(x *control.Execution, i int) {
	events := x.Events()
	e := &events[i]
	if i < d.depth-1 {
		if *e != d.log[i] && d.err == nil {
			d.err = differ(i, d.log[i], *e)
		}
		d.last[e.Thread] = int32(i)
		return
	}
	d.log = append(d.log[:i], *e)
	d.tried[i*d.stride+int(e.Thread)] = access{e.Loc, e.Wrote}
	d.add(events, i)
	d.last[e.Thread] = int32(i)
	for _, f := range d.races {
		d.reverse(events, int(f), i)
	}
}

// reverse sees to it that an order is run in which event i comes before its
// race f: the events after f that do not depend on it, then i.
func (d *dpor) reverse(events []control.Event, f, i int) {
	n := &d.nodes[f]
	first := d.initials(events, f, i)
	if first&(n.backtrack|n.sleep) != 0 {
		return
	}
	can := first & n.enabled
	switch q := int(events[i].Thread); {
	case can == 0: // it was held there, in a loop: somebody else has to store
		n.backtrack |= n.enabled
	case can.Has(q):
		n.backtrack |= control.One(q)
	default:
		n.backtrack |= can & -can
	}
}

// next goes back to the deepest node with something left to try.
func (d *dpor) next(x *control.Execution, end control.End) (bool, error) {
	if d.err != nil {
		return false, d.err
	}
	if end == control.Deadlocked {
		d.blocked(x)
	}
	for i := len(d.nodes) - 1; i >= 0; i-- {
		n := &d.nodes[i]
		n.done |= control.One(n.chosen)
		if left := n.backtrack &^ (n.done | n.sleep); left != 0 {
			n.chosen = bits.TrailingZeros64(uint64(left))
			d.nodes = d.nodes[:i+1]
			d.depth = i + 1
			return true, nil
		}
	}
	return false, nil
}

// blocked finds the races of the operations that never came to act.
func (d *dpor) blocked(x *control.Execution) {
	events := x.Events()
	i := len(events)
	for left := x.Left(); left != 0; left &= left - 1 {
		t := bits.TrailingZeros64(uint64(left))
		loc, kind, needs, _ := x.Pending(t)
		e := control.Event{Thread: int32(t), Loc: loc, Index: 1 << 30, Prev: x.Recent(loc),
			After: x.After(t), Wrote: kind == control.KindWrite, Needs: needs}
		all := append(events, e)
		d.add(all, i)
		for _, f := range d.races {
			d.reverse(all, int(f), i)
		}
	}
}

// widen makes room for more threads.
func (d *dpor) widen() {
	wide := make([]access, 2*len(d.tried))
	for i, a := range d.tried {
		wide[i/d.stride*2*d.stride+i%d.stride] = a
	}
	d.tried = wide
	d.order.widen()
}
