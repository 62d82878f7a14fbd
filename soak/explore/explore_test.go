package explore_test

import (
	"testing"

	"github.com/exactlyonce/certify/soak/explore"
)

func run(t testing.TB, program func(*explore.T), o explore.Options) explore.Report {
	t.Helper()
	r, err := explore.Run(program, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestKnownSizes: the numbers of classes and of orders that are known from
// other tools.
func TestKnownSizes(t *testing.T) {
	for _, test := range []struct {
		size    int
		word    string
		thieves []int
		classes int
	}{
		{16, "PPpp", []int{1}, 18},
		{16, "PPpp", []int{2}, 90},
		{16, "PPPPPpppPP", []int{1}, 59}, // GenMC, under sequential consistency
		{16, "Pp", []int{1, 1}, 62},
		{16, "PPpp", []int{1, 1}, 332},
		{2, "PPPpp", []int{1, 1}, 1021},
	} {
		r := run(t, duel(test.size, "", test.word, test.thieves...), explore.Options{Classes: true})
		t.Logf("%s %v: %d classes in %d executions, %d blocked, %d steps, %.0f/s", test.word, test.thieves, r.Classes, r.Executions, r.SleepBlocked, r.MaxSteps, r.Rate())
		if r.Executions != test.classes || r.Classes != r.Executions || !r.Exhausted || r.Failure != nil {
			t.Errorf("%s %v: want %d: %v", test.word, test.thieves, test.classes, r)
		}
	}
}

func BenchmarkTwoThieves(b *testing.B) {
	n := 0
	for b.Loop() {
		r := run(b, duel(16, "", "PPpp", 1, 1), explore.Options{})
		n += r.Executions
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "executions/s")
}
