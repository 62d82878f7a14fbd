package compare

import (
	"slices"
)

// p is that of the comparison, but for ties between samples of unequal size.
// There benchmath doubles the tail of the wrong sample: [1 1 1] against [0 1]
// has p = 0 and should have 0.8. Where both are of one size the tails mirror
// each other and it does not matter.
func (c *Cell) p() float64 {
	if c.N == c.base.N || max(c.N, c.base.N) > exactN {
		return c.comparison.P
	}
	fewer, more := c.sample.Values, c.base.sample.Values
	if len(fewer) > len(more) {
		fewer, more = more, fewer
	}
	ranks, ties := midranks(fewer, more)
	if !ties {
		return c.comparison.P
	}
	return permutationP(ranks, len(fewer))
}

// midranks returns twice the rank of each value of both samples; equal values
// share the mean of their ranks.
func midranks(a, b []float64) (ranks []int, ties bool) {
	all := slices.Concat(a, b)
	order := slices.Sorted(slices.Values(all))
	for _, v := range all {
		first, _ := slices.BinarySearch(order, v)
		end := first
		for end < len(order) && order[end] == v {
			end++
		}
		ranks = append(ranks, first+1+end)
		ties = ties || end > first+1
	}
	return ranks, ties
}

// permutationP is twice the share of all choices of n of the ranks whose sum is
// at most that of the first n, or at least: whichever is less. It counts the
// choices by their size and sum, a rank at a time.
func permutationP(ranks []int, n int) float64 {
	top, sum := 0, 0
	for i, r := range ranks {
		top += r
		if i < n {
			sum += r
		}
	}
	ways := make([][]float64, n+1)
	for i := range ways {
		ways[i] = make([]float64, top+1)
	}
	ways[0][0] = 1
	reached := 0
	for i, r := range ranks {
		reached += r
		for size := min(n, i+1); size > 0; size-- {
			for s := reached; s >= r; s-- {
				ways[size][s] += ways[size-1][s-r]
			}
		}
	}
	below, above, all := 0.0, 0.0, 0.0
	for s, w := range ways[n] {
		all += w
		if s <= sum {
			below += w
		}
		if s >= sum {
			above += w
		}
	}
	return min(1, 2*min(below, above)/all)
}
