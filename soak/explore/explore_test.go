package explore_test

import (
	"fmt"
	"runtime"
	"slices"
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

// TestKnownQueueSizes: likewise for the queue of Michael and Scott.
func TestKnownQueueSizes(t *testing.T) {
	for _, test := range []struct {
		words   []string
		classes int
	}{
		{[]string{"EE", "DD"}, 24},
		{[]string{"ED", "ED"}, 222},
		{[]string{"E", "E", "D", "D"}, 11198},
	} {
		if testing.Short() && test.classes > 1000 {
			continue
		}
		r := run(t, mix("", test.words...), explore.Options{Classes: true})
		t.Logf("%v: %d classes in %d executions, %d blocked, %d steps, %.0f/s", test.words, r.Classes, r.Executions, r.SleepBlocked, r.MaxSteps, r.Rate())
		if r.Executions != test.classes || r.Classes != r.Executions || !r.Exhausted || r.Failure != nil {
			t.Errorf("%v: want %d: %v", test.words, test.classes, r)
		}
	}
}

// TestKnownPreemptions: the numbers of orders with at most 1, 2 and 3
// preemptions.
func TestKnownPreemptions(t *testing.T) {
	for _, test := range []struct {
		name    string
		program func(*explore.T)
		want    []int
	}{
		{"PPpp|1", duel(16, "", "PPpp", 1), []int{24, 105, 744}},
		{"PPpp|2", duel(16, "", "PPpp", 2), []int{26, 200, 1483}},
		{"PPpp|1|1", duel(16, "", "PPpp", 1, 1), []int{144, 1478, 14352}},
		{"EE|DD", mix("", "EE", "DD"), []int{18, 161, 770}},
		{"ED|ED", mix("", "ED", "ED"), []int{20, 190, 1018}},
	} {
		if testing.Short() {
			test.want = test.want[:2]
		}
		r := run(t, test.program, explore.Options{Strategy: explore.Preemptions(len(test.want))})
		if !slices.Equal(r.Levels[1:], test.want) || !r.Exhausted {
			t.Errorf("%s: %v, known %v", test.name, r.Levels, test.want)
		}
	}
}

// TestKnownLargeSizes: classes by the ten thousands, and all orders of the
// smallest duel.
func TestKnownLargeSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, test := range []struct {
		name     string
		program  func(*explore.T)
		strategy explore.Strategy
		want     int
	}{
		{"PPPppp|2|2", duel(16, "", "PPPppp", 2, 2), nil, 96_376},
		{"PpPpPp|1|1|1", duel(16, "", "PpPpPp", 1, 1, 1), nil, 96_511},
		{"PPpp|1 in all orders", duel(16, "", "PPpp", 1), explore.Interleavings(), 54_993},
	} {
		r := run(t, test.program, explore.Options{Strategy: test.strategy})
		t.Logf("%s: %d executions, %d blocked, %.0f/s", test.name, r.Executions, r.SleepBlocked, r.Rate())
		if r.Executions != test.want || !r.Exhausted || r.Failure != nil {
			t.Errorf("%s: want %d: %v", test.name, test.want, r)
		}
	}
}

// TestProcessors: what an exploration does is the same on any number of them.
func TestProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first []string
	for _, n := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(n)
		var got []string
		for _, s := range []explore.Strategy{explore.Exhaustive(), explore.Preemptions(2), explore.PCT(3, 5000), explore.POS(5000)} {
			r := run(t, duel(2, faults[1], "PPPpp", 1, 1), explore.Options{Strategy: s, Seed: 3})
			got = append(got, fmt.Sprint(r.Executions, r.SleepBlocked, r.MaxSteps, r.Err()))
		}
		if first == nil {
			first = got
		} else if !slices.Equal(got, first) {
			t.Errorf("%d processors: %v, want %v", n, got, first)
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
