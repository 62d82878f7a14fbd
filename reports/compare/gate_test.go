package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func gated(t *testing.T, r *Result, o GateOptions) *Decision {
	t.Helper()
	d, err := Gate(r, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Examples worked by hand, the second by p.adjust(p, "holm") of R as well.
func TestHolm(t *testing.T) {
	for _, c := range []struct{ p, want []float64 }{
		{nil, nil},
		{[]float64{0.03}, []float64{0.03}},
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{[]float64{0.01, 0.02, 0.03, 0.04, 0.05}, []float64{0.05, 0.08, 0.09, 0.09, 0.09}},
		{[]float64{0.5, 0.6, 0.7}, []float64{1, 1, 1}},
		{[]float64{0.02, 0.02}, []float64{0.04, 0.04}},
	} {
		got := holm(c.p)
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("holm(%v) = %v, want %v", c.p, got, c.want)
		}
	}
}

// Against the other way to put it: from the least p on, reject while p is below
// alpha / (number of those left).
func TestHolmStepsDown(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	rejected, stopped := 0, 0
	for range 10000 {
		ps := make([]float64, 1+random.IntN(8))
		for i := range ps {
			ps[i] = math.Pow(random.Float64(), 4)
		}
		const alpha = 0.05
		want := 0
		for i, p := range slices.Sorted(slices.Values(ps)) {
			if p >= alpha/float64(len(ps)-i) {
				break
			}
			want++
		}
		got := 0
		for _, p := range holm(ps) {
			if p < alpha {
				got++
			}
		}
		if got != want {
			t.Fatalf("seed 3: holm(%v) rejects %d, want %d", ps, got, want)
		}
		rejected += got
		stopped += len(ps) - got
	}
	if rejected == 0 || stopped == 0 {
		t.Errorf("%d rejected, %d not: nothing shown", rejected, stopped)
	}
}

// Each condition of a regression decides: with it the outcome is one, without
// it another.
func TestGateConditions(t *testing.T) {
	base := results("X", "ns/op", around(100, 20)...)
	slow := results("X", "ns/op", around(120, 20)...)
	fast := results("X", "ns/op", around(80, 20)...)
	floor := func(f float64) func(string, string) float64 {
		return func(unit, name string) float64 {
			if unit != "sec/op" || name != "X" {
				t.Errorf("floor of %s %s", unit, name)
			}
			return f
		}
	}
	for _, c := range []struct {
		name     string
		old, now string
		o        GateOptions
		want     Outcome
	}{
		{"slower", base, slow, GateOptions{}, Regression},
		{"slower, as asked", base, slow, GateOptions{Threshold: 0.19}, Regression},
		{"slower, less than asked", base, slow, GateOptions{Threshold: 0.21}, Pass},
		{"slower, above the noise", base, slow, GateOptions{Floor: floor(0.19)}, Regression},
		{"slower, within the noise", base, slow, GateOptions{Floor: floor(0.21)}, Pass},
		{"noise without bound", base, slow, GateOptions{Floor: floor(math.Inf(1))}, Insufficient},
		{"noise that is no number", base, slow, GateOptions{Floor: floor(math.NaN())}, Insufficient},
		{"faster", base, fast, GateOptions{}, Pass},
		{"equal", base, base, GateOptions{}, Pass},
		{"alpha out of reach", base, slow, GateOptions{Alpha: 1e-12}, Insufficient},
	} {
		if d := gated(t, arms(t, Options{}, c.old, c.now), c.o); d.Outcome != c.want {
			t.Errorf("%s: got %s, want %s", c.name, d, c.want)
		}
	}
	d := gated(t, arms(t, Options{}, base, slow), GateOptions{Floor: floor(0.21), Threshold: 0.1})
	if s := d.String(); !strings.Contains(s, "X sec/op in new: worse by 20.00%, but within the noise of the row, 21.00%") {
		t.Errorf("what the noise hides is not said: %s", s)
	}
}

// The direction comes from the file, or is known, or nothing is judged.
func TestGateDirection(t *testing.T) {
	for _, c := range []struct {
		head, unit string
		up, down   Outcome
		note       string
	}{
		{"", "ns/op", Regression, Pass, ""},
		{"", "B/op", Regression, Pass, ""},
		{"", "allocs/op", Regression, Pass, ""},
		{"", "MB/s", Pass, Regression, ""},
		{"Unit tasks/s better=higher\n", "tasks/s", Pass, Regression, ""},
		{"Unit p99-ns better=lower\n", "p99-ns", Regression, Pass, ""},
		{"Unit lost assume=exact better=lower\n", "lost", Regression, Pass, ""},
		{"Unit MB/s better=lower\n", "MB/s", Regression, Pass, ""},
		{"", "tasks/s", Insufficient, Insufficient, "not judged: tasks/s (1 rows)"},
		{"Unit ns/op better=sideways\n", "ns/op", Insufficient, Insufficient, "not judged: sec/op (1 rows)"},
	} {
		low, high := c.head+results("X", c.unit, around(100, 10)...), c.head+results("X", c.unit, around(200, 10)...)
		up, down := gated(t, arms(t, Options{}, low, high), GateOptions{}), gated(t, arms(t, Options{}, high, low), GateOptions{})
		if up.Outcome != c.up || down.Outcome != c.down || !strings.Contains(up.String(), c.note) {
			t.Errorf("%q %s: up %s, down %s", c.head, c.unit, up, down)
		}
	}
}

// A gate that could not have found a regression does not pass.
func TestGateInsufficient(t *testing.T) {
	many := func(rows, n int) string {
		var b strings.Builder
		for i := range rows {
			b.WriteString(results(fmt.Sprintf("X/row=%d", i), "ns/op", around(100, n)...))
		}
		return b.String()
	}
	full := many(1, 20)
	other := strings.ReplaceAll(full, "row=0", "row=1")
	for _, c := range []struct {
		name, old, now string
		o              GateOptions
		want           Outcome
		why            string
	}{
		{"one column", full, full, GateOptions{}, Pass, ""},
		{"three", many(1, 3), many(1, 3), GateOptions{}, Insufficient, "n=3+3 cannot reach p < 0.05"},
		{"five", many(1, 5), many(1, 5), GateOptions{}, Insufficient, "n=5+5: an interval has no bound"},
		{"six", many(1, 6), many(1, 6), GateOptions{}, Pass, ""},
		{"six of thirty rows", many(30, 6), many(30, 6), GateOptions{}, Insufficient, "n=6+6 cannot reach p < 0.05 among 30 rows"},
		{"ten of thirty rows", many(30, 10), many(30, 10), GateOptions{}, Pass, ""},
		{"no common row", full, other, GateOptions{}, Insufficient, "rows only in the new column, not judged: 1"},
		{"one gone", full + other, full, GateOptions{}, Insufficient, "X/row=1 sec/op in new: not measured in new"},
		{"one gone, allowed", full + other, full, GateOptions{AllowMissing: true}, Pass, "rows missing in the new column: 1"},
		{"none left, allowed", full, other, GateOptions{AllowMissing: true}, Insufficient, "rows judged 0"},
		{"one more", full, full + other, GateOptions{}, Pass, "rows only in the new column, not judged: 1"},
	} {
		if d := gated(t, arms(t, Options{}, c.old, c.now), c.o); d.Outcome != c.want || !strings.Contains(d.String(), c.why) {
			t.Errorf("%s: got %s, want %s: %s", c.name, d, c.want, c.why)
		}
	}
	if d := gated(t, arms(t, Options{}, full), GateOptions{}); d.Outcome != Insufficient {
		t.Errorf("nothing to compare with: %s", d)
	}
	// A regression that is shown counts, whatever is missing elsewhere.
	slow := results("X/row=0", "ns/op", around(200, 20)...)
	if d := gated(t, arms(t, Options{}, full+other, slow), GateOptions{}); d.Outcome != Regression || len(d.Insufficient) != 1 {
		t.Errorf("got %s", d)
	}
	// Rows that can never be found do not weaken the others.
	few := strings.ReplaceAll(many(500, 1), "row", "few")
	if d := gated(t, arms(t, Options{}, many(1, 6)+few, results("X/row=0", "ns/op", around(200, 6)...)+few), GateOptions{}); d.Outcome != Regression {
		t.Errorf("got %.200s", d)
	}
}

func TestGateRefusesOptions(t *testing.T) {
	r := arms(t, Options{}, results("X", "ns/op", 1))
	for _, o := range []GateOptions{
		{Alpha: 1}, {Alpha: -0.1}, {Alpha: math.NaN()}, {Threshold: -1}, {Threshold: math.NaN()}, {Threshold: math.Inf(1)},
	} {
		if d, err := Gate(r, o); err == nil || !strings.HasPrefix(err.Error(), "compare: gate: ") {
			t.Errorf("%+v: %v, %v", o, d, err)
		}
	}
}

// The worst comes first, and infinite is worse than all.
func TestGateOrder(t *testing.T) {
	head := "Unit lost assume=exact better=lower\n"
	old := head + results("A", "ns/op", around(100, 10)...) + results("B", "ns/op", around(100, 10)...) + results("C", "lost", 0)
	now := head + results("A", "ns/op", around(150, 10)...) + results("B", "ns/op", around(300, 10)...) + results("C", "lost", 2)
	var got []string
	for _, f := range gated(t, arms(t, Options{}, old, now), GateOptions{}).Regressions {
		got = append(got, f.Name+" "+f.Unit+" "+formatChange(f.Delta))
	}
	if want := []string{"C lost from 0", "B sec/op +200.00%", "A sec/op +50.00%"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
