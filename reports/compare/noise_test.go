package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// machine makes samples as a machine does: multiplicative noise of 1 to 3 %,
// which differs from row to row, and now and then an outlier.
type machine struct{ *rand.Rand }

func newMachine(seed uint64) machine { return machine{rand.New(rand.NewPCG(seed, 99))} }

func (m machine) samples(ns, noise float64, n int) (all []float64) {
	for range n {
		x := ns * math.Exp(noise*m.NormFloat64())
		if m.IntN(20) == 0 {
			x *= 1.1 + 0.4*m.Float64()
		}
		all = append(all, x)
	}
	return all
}

// pair makes two arms of ten rows, 20 samples each; the first row of the second
// arm takes factor times as long.
func (m machine) pair(factor float64) (old, now string) {
	for row := range 10 {
		ns, noise := math.Pow(10, 1+4*m.Float64()), 0.01+0.02*m.Float64()
		name := fmt.Sprintf("X/row=%d", row)
		old += results(name, "ns/op", m.samples(ns, noise, 20)...)
		if row == 0 {
			ns *= factor
		}
		now += results(name, "ns/op", m.samples(ns, noise, 20)...)
	}
	return old, now
}

// A planted slowdown of 10 % is found 20 times of 20, and nothing else is.
func TestPlantedSlowdownIsFound(t *testing.T) {
	for seed := range uint64(20) {
		old, now := newMachine(seed).pair(1.1)
		r := arms(t, Options{}, old, now)
		d := gated(t, r, GateOptions{Threshold: 0.05, Floor: Noise(r)})
		if d.Outcome != Regression || len(d.Regressions) != 1 || d.Regressions[0].Name != "X/row=0" {
			t.Errorf("seed %d: %s", seed, d)
		}
	}
}

// An arm against itself is a regression in at most 1 of 20.
func TestSameArmPasses(t *testing.T) {
	fired := 0
	for seed := range uint64(20) {
		old, now := newMachine(1000 + seed).pair(1)
		r := arms(t, Options{}, old, now)
		if d := gated(t, r, GateOptions{Threshold: 0.05, Floor: Noise(r)}); d.Outcome != Pass {
			fired++
			t.Logf("seed %d: %s", seed, d)
		}
	}
	if fired > 1 {
		t.Errorf("fired in %d of 20", fired)
	}
}

// What each guard is for, with the others off: the correction, and the noise
// floor, keep an arm from being worse than itself. Without them it is.
func TestGuardsOfTheGate(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 40
	}
	plain := func(p []float64) []float64 { return p }
	none, corrected, floored := 0, 0, 0
	for seed := range uint64(rounds) {
		old, now := newMachine(5000 + seed).pair(1)
		r := arms(t, Options{}, old, now)
		fires := func(o GateOptions) int {
			if gated(t, r, o).Outcome == Regression {
				return 1
			}
			return 0
		}
		none += fires(GateOptions{adjust: plain})
		corrected += fires(GateOptions{})
		floored += fires(GateOptions{adjust: plain, Floor: Noise(r)})
	}
	t.Logf("of %d: no guard %d, Holm %d, noise floor %d", rounds, none, corrected, floored)
	// Ten rows, one side: 0.22 of the rounds without, at most 0.05 with Holm.
	if none < rounds/10 {
		t.Errorf("without a guard it fired in %d of %d only: nothing shown", none, rounds)
	}
	// The floor is no test and promises no rate; it is to make a difference.
	if corrected > rounds/20 || floored >= none {
		t.Errorf("of %d: Holm %d, floor %d", rounds, corrected, floored)
	}
}

// The floor grows with the noise, and covers what whole arms differ by.
func TestNoiseFollowsTheArm(t *testing.T) {
	last := 0.0
	for _, noise := range []float64{0.002, 0.01, 0.05, 0.2} {
		covered, sum := 0, 0.0
		for seed := range uint64(50) {
			m := newMachine(seed)
			old, now := m.samples(100, noise, 20), m.samples(100, noise, 20)
			r := arms(t, Options{}, results("X", "ns/op", old...), results("X", "ns/op", now...))
			floor := Noise(r)("sec/op", "X")
			_, c := only(t, r)
			sum += floor
			if math.Abs(c.Delta) <= floor {
				covered++
			}
		}
		t.Logf("noise %v: floor %.4f on average, covers %d of 50", noise, sum/50, covered)
		if covered < 45 || sum/50 <= last || sum/50 > 3*noise {
			t.Errorf("noise %v: floor %.4f, covers %d of 50", noise, sum/50, covered)
		}
		last = sum / 50
	}
}

// What drifts does so in both halves. Halves cut in the middle would take the
// drift for noise, and a gate would be blind.
func TestNoiseIsInterleaved(t *testing.T) {
	var drift []float64
	for i := range 20 {
		drift = append(drift, 100+2*float64(i))
	}
	got := split(drift)
	cut := apart(median(drift[:10]), median(drift[10:]))
	if got > 0.05 || cut < 0.15 {
		t.Errorf("interleaved %.3f, cut in the middle %.3f", got, cut)
	}
	if slices.Contains([]float64{got, split(slices.Sorted(slices.Values(drift)))}, 0) {
		t.Error("no noise at all")
	}
}

func TestNoiseAtTheEdges(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		want   float64
	}{
		{"none", nil, 0},
		{"three", []float64{1, 2, 3}, 0},
		{"equal", []float64{5, 5, 5, 5, 5}, 0},
		{"zero", []float64{0, 0, 0, 0}, 0},
		{"half zero", []float64{0, 1, 0, 1, 0, 1, 0, 1}, math.Inf(1)},
		{"two values", []float64{1, 2, 1, 2}, 1},
	} {
		if got := split(c.values); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	exact := "Unit lost assume=exact better=lower\n" + strings.Repeat("BenchmarkX 1 0 lost\nBenchmarkX 1 1 lost\n", 5)
	if floor := Noise(arms(t, Options{}, exact)); floor("lost", "X") != 0 || floor("unknown", "X") != 0 {
		t.Error("exact values have no noise, and neither has what is not there")
	}
}

// The same result gives the same floor.
func TestNoiseRepeats(t *testing.T) {
	old, now := newMachine(1).pair(1)
	r := arms(t, Options{}, old, now)
	for row := range 10 {
		name := fmt.Sprintf("X/row=%d", row)
		if a, b := Noise(r)("sec/op", name), Noise(r)("sec/op", name); a != b || a == 0 {
			t.Errorf("%s: %v, then %v", name, a, b)
		}
	}
}
