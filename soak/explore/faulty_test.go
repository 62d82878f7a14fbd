package explore

import (
	"fmt"
	"maps"
	"testing"

	"github.com/exactlyonce/certify/soak/explore/atomic"
	"github.com/exactlyonce/certify/soak/explore/control"
	"github.com/exactlyonce/certify/soak/explore/sync"
)

// faultyDPOR is the exhaustive strategy with a fault.
type faultyDPOR struct {
	*dpor
	see   func(e control.Event) control.Event // an event, as the strategy sees it
	after func(d *dpor, i int)                // after Commit
	pick  func(d *dpor)                       // before Pick
}

func (f faultyDPOR) Pick(x *control.Execution, enabled control.Set) int {
	if f.pick != nil {
		f.pick(f.dpor)
	}
	return f.dpor.Pick(x, enabled)
}

func (f faultyDPOR) Commit(x *control.Execution, i int) {
	truth := x.Events()[i]
	if f.see != nil {
		x.Events()[i] = f.see(truth)
	}
	f.dpor.Commit(x, i)
	x.Events()[i] = truth
	if f.after != nil {
		f.after(f.dpor, i)
	}
}

// faultyStrategy starts one.
type faultyStrategy struct{ faultyDPOR }

func (s faultyStrategy) String() string { return "faulty" }

func (s faultyStrategy) start(o Options) search {
	s.dpor = exhaustive{}.start(o).(*dpor)
	return s.faultyDPOR
}

// programs for which the faults matter; each says what it saw.
var programs = []func(t *T, see func(...any)){
	func(t *T, see func(...any)) {
		var x, y atomic.Int32
		var a, b int32
		t.Go(func() { x.Store(1); a = y.Load() })
		t.Go(func() { y.Store(1); b = x.Load() })
		t.Go(func() { x.Load(); y.Load() })
		t.Check(func() error { see(a, b); return nil })
	},
	func(t *T, see func(...any)) {
		var x atomic.Int32
		var won [3]bool
		for i := range won {
			t.Go(func() { won[i] = x.CompareAndSwap(0, 1) })
		}
		t.Check(func() error { see(won); return nil })
	},
	func(t *T, see func(...any)) {
		var m sync.Mutex
		var log string
		for _, who := range []string{"a", "b", "c"} {
			t.Go(func() { m.Lock(); log += who; m.Unlock() })
		}
		t.Check(func() error { see(log); return nil })
	},
	func(t *T, see func(...any)) {
		var m, n sync.Mutex
		t.Go(func() { m.Lock(); n.Lock(); n.Unlock(); m.Unlock() })
		t.Go(func() { n.Lock(); m.Lock(); m.Unlock(); n.Unlock() })
		t.Check(func() error { see("through"); return nil })
	},
}

// agrees tells whether a strategy sees what all orders see, runs each class
// once, and comes to the same verdict.
func agrees(t *testing.T, s Strategy) bool {
	t.Helper()
	for _, program := range programs {
		explored := func(s Strategy) (map[string]bool, Report) {
			seen := map[string]bool{}
			r, err := Run(func(t *T) {
				program(t, func(args ...any) { seen[fmt.Sprint(args...)] = true })
			}, Options{Strategy: s, KeepGoing: true, Classes: true, Executions: 10_000})
			if err != nil {
				t.Fatal(err)
			}
			return seen, r
		}
		all, full := explored(Interleavings())
		some, r := explored(s)
		if !maps.Equal(all, some) || r.Classes != full.Classes || r.Executions != r.Classes || r.Verdict() != full.Verdict() {
			return false
		}
	}
	return true
}

// TestFaultyDPOR: the comparison that this package's tests rest on sees each of
// these faults, and none where there is none.
func TestFaultyDPOR(t *testing.T) {
	if !agrees(t, Exhaustive()) || !agrees(t, faultyStrategy{}) {
		t.Error("the control does not agree")
	}
	for name, fault := range map[string]faultyDPOR{
		"no race is reversed": {after: func(d *dpor, _ int) {
			for i := range d.nodes {
				d.nodes[i].backtrack = control.One(d.nodes[i].chosen)
			}
		}},
		"nobody sleeps": {pick: func(d *dpor) {
			for i := range d.nodes {
				d.nodes[i].sleep = 0
			}
			for i := d.depth; i < len(d.nodes); i++ {
				d.nodes[i].done = 0
			}
		}, after: func(d *dpor, i int) { d.nodes[i].sleep = 0 }},
		"whoever sleeps is never woken": {after: func(d *dpor, i int) {
			for t := range d.stride {
				if d.nodes[i].done.Has(t) {
					d.tried[i*d.stride+t] = access{-1, false}
				}
			}
		}},
		"a lock races with the unlock only": {see: func(e control.Event) control.Event { e.Needs = 0; return e }},
		"first steps only read":             {see: func(e control.Event) control.Event { e.Wrote = e.Wrote && e.Index != 1; return e }},
		"failed CASes write":                {see: func(e control.Event) control.Event { e.Wrote = true; return e }},
	} {
		if agrees(t, faultyStrategy{fault}) {
			t.Errorf("%s: not seen", name)
		}
	}
}
