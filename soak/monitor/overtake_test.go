package monitor

import (
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
)

// counted is Overtakes by looking at all pairs.
func counted(h []Op) (r Relaxation) {
	x := newIndex(h, Options{})
	for v, i := range x.take {
		if i == none || x.push[v] == none {
			continue
		}
		n := 0
		for u, j := range x.push {
			if j != none && x.ops[j].End < x.ops[x.push[v]].Begin && x.ops[i].End < x.takeBegin(uint32(u)) {
				n++
			}
		}
		r.Values++
		r.Total += uint64(n)
		r.Max = max(r.Max, n)
		if n > 0 {
			r.Overtaking++
		}
	}
	return r
}

// The measured relaxation is that of all pairs, and with none allowed it is the
// order of a FIFO.
func TestOvertakesAgainstCounting(t *testing.T) {
	rng := stress.Random(t)
	strays := 0
	for range stress.Rounds(20_000) {
		s := scene{kind: kind(rng.IntN(3)), batches: rng.IntN(2) == 0}
		h := (&generator{dice: rng.IntN, scene: s}).generate()
		if v := Bag.Check(h, Options{WeakFull: true, WeakEmpty: true}); v != nil {
			continue // taken before it was pushed, or twice: there is nothing to measure
		}
		got, want := Overtakes(h), counted(h)
		if got.Values != want.Values || got.Total != want.Total || got.Max != want.Max || got.Overtaking != want.Overtaking {
			t.Fatalf("got %+v, want %+v in\n%s", got, want, table(h))
		}
		for k := range 3 {
			v := KFIFO(k).Check(h, Options{WeakFull: true, WeakEmpty: true})
			if (v != nil) != (want.Max > k) {
				t.Fatalf("%d out of order: found %v, at most %d overtaken in\n%s", k, v, want.Max, table(h))
			}
			if v != nil && len(v.Ops) < k+3 {
				t.Fatalf("%d out of order: too little shows it: %s", k, v)
			}
		}
		if want.Max > 0 {
			strays++
		}
	}
	if strays < stress.Rounds(20_000)/20 {
		t.Errorf("vacuous: %d histories have overtakes", strays)
	}
}
