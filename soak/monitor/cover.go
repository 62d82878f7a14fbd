package monitor

import (
	"cmp"
	"slices"
	"sort"
)

// inside is a time, without its ends, at which a value was certainly inside: its
// push had ended and its removal had not begun.
type inside struct {
	from, to int64
	value    uint32
}

// insides are those times, by their begin.
func (x *index) insides() []inside {
	if x.cover != nil {
		return x.cover
	}
	all := make([]inside, 0, len(x.push)/2)
	for v, i := range x.push {
		if i == none {
			continue
		}
		if from, to := x.ops[i].End, x.takeBegin(uint32(v)); from < to {
			all = append(all, inside{from, to, uint32(v)})
		}
	}
	x.cover = sortRuns(all, func(in *inside) int64 { return in.from })
	return x.cover
}

// neverEmpty looks for an EMPTY all of whose call is covered by times at which
// some value was certainly inside. Of a deque only a thief's: see replay for the
// owner's.
func (x *index) neverEmpty() *Violation {
	all := x.insides()
	covered := merge(all)
	for i := range x.ops {
		op := &x.ops[i]
		if op.Answer != Empty || x.duel != nil && op.Kind != Steal {
			continue
		}
		k := sort.Search(len(covered), func(k int) bool { return covered[k].from >= op.Begin })
		if k > 0 && op.End < covered[k-1].to {
			return x.coveredBy(int32(i), all)
		}
	}
	return nil
}

// merge joins the times that overlap. Two that only touch leave a moment between.
func merge(all []inside) (joined []inside) {
	for _, in := range all {
		if n := len(joined); n > 0 && in.from < joined[n-1].to {
			joined[n-1].to = max(joined[n-1].to, in.to)
		} else {
			joined = append(joined, in)
		}
	}
	return joined
}

// coveredBy is the violation of an EMPTY, with as few values as cover it.
func (x *index) coveredBy(row int32, all []inside) *Violation {
	op := &x.ops[row]
	rows := []int32{row}
	var values []uint32
	at, i := op.Begin, 0
	for { // the moment at is not covered yet
		best := inside{to: at}
		for ; i < len(all) && all[i].from < at; i++ {
			if all[i].to > best.to {
				best = all[i]
			}
		}
		values = append(values, x.name(best.value))
		rows = append(rows, x.rows(best.value)...)
		if best.to > op.End || best.to <= at {
			break
		}
		at = best.to
	}
	return x.violation(rows, "%s said EMPTY while one of the values %d was certainly inside at each moment", op.Kind, values)
}

// moment is a time at which a number of values changes.
type moment struct {
	at    int64
	delta int
	value uint32
}

// moments are sorted by time; at the same time first those with delta first.
func moments(all []moment, first int) []moment {
	slices.SortFunc(all, func(a, b moment) int {
		return cmp.Or(cmp.Compare(a.at, b.at), first*cmp.Compare(b.delta, a.delta))
	})
	return all
}

// tooMany looks for a moment at which more than fit were certainly inside.
func (x *index) tooMany() *Violation {
	var all []moment
	for _, in := range x.insides() {
		all = append(all, moment{in.from, 1, in.value}, moment{in.to, -1, in.value})
	}
	n := 0
	for i, m := range moments(all, -1) {
		if n += m.delta; n > x.o.Capacity {
			return x.violation(x.rows(stillIn(all[:i+1])...), "%d values were inside, of which %d fit", n, x.o.Capacity)
		}
	}
	return nil
}

// stillIn are the values that came and did not go.
func stillIn(all []moment) (values []uint32) {
	gone := map[uint32]bool{}
	for _, m := range slices.Backward(all) {
		if m.delta < 0 {
			gone[m.value] = true
		} else if !gone[m.value] {
			values = append(values, m.value)
		}
	}
	return values
}

// neverFull looks for a FULL in all of whose call less than fit can have been
// inside. A queue without a bound must not say it at all.
func (x *index) neverFull() *Violation {
	var crowded []inside // closed times at which so many may have been inside
	for i := range x.ops {
		op := &x.ops[i]
		if op.Answer != Full {
			continue
		}
		if x.o.Capacity == 0 {
			return x.violation([]int32{int32(i)}, "a push was refused by a queue without a bound")
		}
		if crowded == nil {
			crowded = x.crowded()
		}
		k := sort.Search(len(crowded), func(k int) bool { return crowded[k].to >= op.Begin })
		if k == len(crowded) || crowded[k].from > op.End {
			return x.violation([]int32{int32(i)}, "push said FULL while at each moment less than %d values can have been inside", x.o.Capacity)
		}
	}
	return nil
}

// crowded are the times, with their ends, at which a queue may have been full.
func (x *index) crowded() []inside {
	var all []moment
	for _, s := range x.spans() {
		all = append(all, moment{s.pushBegin, 1, s.value}, moment{s.takeEnd, -1, s.value})
	}
	times := []inside{}
	n := 0
	for _, m := range moments(all, 1) {
		if m.delta > 0 && n == x.o.Capacity-1 {
			times = append(times, inside{from: m.at, to: Never})
		}
		if m.delta < 0 && n == x.o.Capacity {
			times[len(times)-1].to = m.at
		}
		n += m.delta
	}
	return times
}
