package compare

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchmath"
)

// brute tries every division of the values: twice the share of those in which
// one side beats the other by no more than here, or by no less.
func brute(old, now []float64) float64 {
	all := slices.Concat(now, old)
	lead := func(side uint) (u int) {
		for i, a := range all {
			for j, b := range all {
				if side>>i&1 == 1 && side>>j&1 == 0 {
					u += cmp.Compare(a, b)
				}
			}
		}
		return u
	}
	seen, below, above, ways := lead(1<<len(now)-1), 0, 0, 0
	for side := range uint(1) << len(all) {
		if bits.OnesCount(side) != len(now) {
			continue
		}
		ways++
		if u := lead(side); u <= seen {
			below++
		}
		if u := lead(side); u >= seen {
			above++
		}
	}
	return min(1, 2*float64(min(below, above))/float64(ways))
}

func cellOf(old, now []float64) *Cell {
	th := benchmath.DefaultThresholds
	sample := func(v []float64) *benchmath.Sample { return benchmath.NewSample(slices.Clone(v), &th) }
	base := &Cell{N: len(old), sample: sample(old)}
	c := &Cell{N: len(now), sample: sample(now), base: base}
	c.comparison = benchmath.AssumeNothing.Compare(base.sample, c.sample)
	return c
}

func close(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// p is the share of permutations, with ties and unequal sizes too, where
// benchmath's is not.
func TestPWithTies(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 1))
	tied, theirsWrong, theirsZero := 0, 0, 0
	rounds := 2000
	if testing.Short() {
		rounds = 500
	}
	for range rounds {
		values := func() (v []float64) {
			for range 1 + random.IntN(6) {
				v = append(v, float64(random.IntN(7)))
			}
			return v
		}
		old, now := values(), values()
		c, want := cellOf(old, now), brute(old, now)
		if got := c.p(); !close(got, want) {
			t.Fatalf("seed 11: %v against %v: p=%v, want %v", old, now, got, want)
		}
		if !close(c.comparison.P, want) {
			theirsWrong++
			if c.comparison.P == 0 {
				theirsZero++
			}
		}
		if _, ties := midranks(old, now); ties {
			tied++
		}
	}
	t.Logf("of %d: ties in %d, benchmath wrong in %d, p = 0 in %d", rounds, tied, theirsWrong, theirsZero)
	if theirsWrong == 0 {
		t.Error("benchmath is right everywhere: p need not differ from it any more")
	}
	if c := cellOf([]float64{1, 1, 1}, []float64{0, 1}); !close(c.p(), 0.8) || c.comparison.P != 0 {
		t.Errorf("the example of the comment: %v and %v", c.p(), c.comparison.P)
	}
}

// Where sizes are equal, benchmath and the count agree: ours is the same test.
func TestPWithTiesOfOneSize(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 1))
	for range 40 {
		var old, now []float64
		for range 1 + random.IntN(exactN) {
			old, now = append(old, float64(random.IntN(9))), append(now, float64(random.IntN(9)))
		}
		ranks, _ := midranks(now, old)
		if got, want := permutationP(ranks, len(now)), cellOf(old, now).comparison.P; !close(got, want) {
			t.Fatalf("seed 12: %v against %v: %v, benchmath %v", old, now, got, want)
		}
	}
}

// Two arms that do not differ, of 6 and 20 samples of few values each: at most
// one in twenty shows a difference. Benchmath's p is 0 for more than that, and
// no correction for the number of rows holds a 0 back.
func TestTiesDoNotFire(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 1))
	ours, zeros := 0, 0
	rounds := 2000
	if testing.Short() {
		rounds = 400
	}
	for range rounds {
		values := func(n int) (v []float64) {
			for range n {
				v = append(v, math.Floor(0.6*random.ExpFloat64()))
			}
			return v
		}
		c := cellOf(values(6), values(20))
		if c.p() <= 0.05 {
			ours++
		}
		if c.comparison.P == 0 {
			zeros++
		}
	}
	t.Logf("of %d: ours shows a difference in %d, benchmath's p is 0 in %d", rounds, ours, zeros)
	if ours > rounds/20 || zeros <= rounds/20 {
		t.Errorf("of %d: ours %d, zeros %d", rounds, ours, zeros)
	}
}

// A row that benchstat sees otherwise is counted in the notes.
func TestTiesAreSaid(t *testing.T) {
	r := arms(t, Options{}, results("X", "u", 1, 1, 1), results("X", "u", 0, 1))
	const want = "rows with another verdict than in benchstat: 1;"
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, want) {
		t.Errorf("got %s, want %s", notes, want)
	}
}
