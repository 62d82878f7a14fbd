package monitor

import (
	"fmt"
	"math/bits"
	"slices"
)

// Relaxation is how far a queue strays from first in, first out. A value overtakes
// another when its push began after the other's had ended, and it was taken before
// the other's removal began: certainly.
type Relaxation struct {
	Values     int    // that were taken
	Overtaking int    // of them, that overtook some other
	Total      uint64 // of all values, how many each overtook
	Max        int    // the most that one overtook
	MaxValue   uint32 // which
	// Spread[n] is how many values overtook less than 1<<n and at least half of
	// that; Spread[0] none.
	Spread [33]int
}

func (r Relaxation) String() string {
	return fmt.Sprintf("%d of %d values overtook others, at most %d", r.Overtaking, r.Values, r.Max)
}

// Overtakes measures, in O(n log n).
func Overtakes(h []Op) Relaxation {
	x := newIndex(h, Options{})
	var r Relaxation
	x.overtakes(func(v uint32, n int) bool {
		r.Values++
		r.Spread[bits.Len(uint(n))]++
		r.Total += uint64(n)
		if n > 0 {
			r.Overtaking++
		}
		if n > r.Max {
			r.Max, r.MaxValue = n, x.name(v)
		}
		return true
	})
	return r
}

// KFIFO is a FIFO in which each value overtakes at most k others.
func KFIFO(k int) Criterion {
	overtake := rule{"overtake", fmt.Sprintf("no value overtakes more than %d others", k), func(x *index) *Violation { return x.strays(k) }, nil}
	return Criterion{fmt.Sprintf("%d-out-of-order", k), join(common, overtake, empty, overflow, full)}
}

// strays looks for a value that overtakes more than k others.
func (x *index) strays(k int) (found *Violation) {
	x.overtakes(func(v uint32, n int) bool {
		if n <= k {
			return true
		}
		b := x.ops[x.push[v]]
		values := []uint32{v}
		for _, a := range x.spans() {
			if a.pushEnd < b.Begin && x.takeEnd(v) < a.takeBegin && len(values) < k+2 {
				values = append(values, a.value)
			}
		}
		found = x.violation(x.rows(values...), "value %d overtakes %d others", x.name(v), n)
		return false
	})
	return found
}

// overtakes calls f for each value that was taken with how many it overtook, until
// f returns false. It goes through the pushes by their begin and keeps, of those
// that ended before, the removals in a tree that counts ranges.
func (x *index) overtakes(f func(v uint32, n int) bool) {
	spans := x.spans()
	ended := x.insides()
	begins := make([]int64, len(ended))
	for i, a := range ended {
		begins[i] = a.to
	}
	slices.Sort(begins)
	tree := make(fenwick, len(begins)+1)
	i := 0
	for _, b := range spans {
		for ; i < len(ended) && ended[i].from < b.pushBegin; i++ {
			rank, _ := slices.BinarySearch(begins, ended[i].to)
			tree.add(rank)
		}
		if x.take[b.value] == none {
			continue
		}
		rank, _ := slices.BinarySearch(begins, b.takeEnd+1)
		if !f(b.value, i-tree.below(rank)) {
			return
		}
	}
}

// fenwick counts how many of its numbers are below another, both in O(log n):
// element i holds the count of the numbers i - i&-i to i-1.
type fenwick []int32

func (t fenwick) add(n int) {
	for i := n + 1; i < len(t); i += i & -i {
		t[i]++
	}
}

func (t fenwick) below(n int) (count int) {
	for i := n; i > 0; i -= i & -i {
		count += int(t[i])
	}
	return count
}
