package compare

import (
	"cmp"
	"slices"
)

// holm corrects ps for being many: the least of n is multiplied by n, the next
// by n-1 and so on, each being at least the one before. The chance that one of
// the results is below alpha, where nothing changed anywhere, is at most alpha,
// however the tests depend on each other.
func holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	adjusted := make([]float64, len(ps))
	least := 0.0
	for i, at := range order {
		least = max(least, min(1, ps[at]*float64(len(ps)-i)))
		adjusted[at] = least
	}
	return adjusted
}
