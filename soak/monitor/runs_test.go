package monitor

import (
	"cmp"
	"slices"
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
)

func TestSortRuns(t *testing.T) {
	rng := stress.Random(t)
	for range stress.Rounds(2000) {
		s := make([][2]int64, rng.IntN(40))
		for i := range s {
			s[i] = [2]int64{rng.Int64N(1 + rng.Int64N(30)), int64(i)}
		}
		want := slices.Clone(s)
		slices.SortStableFunc(want, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
		if got := sortRuns(slices.Clone(s), func(p *[2]int64) int64 { return p[0] }); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}
