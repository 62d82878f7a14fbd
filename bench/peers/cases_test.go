package peers

import (
	"slices"
	"testing"
	"time"

	"github.com/exactlyonce/certify/bench"
)

var tiny = Sizes{Million: 500, Fib: 12, Queued: 500, Idle: time.Millisecond, Rest: 0}

// units are what the families report besides time, processor time and allocations.
var units = map[string][]string{
	"Million": {"ns/task"}, "TenMillion": {"ns/task"}, "Fib": {"ns/task"},
	"Latency": {"p50-ns", "p90-ns"}, "Queued": {"B/task", "room-B/task"}, "Idle": {"idle-cpu-ns/s"},
}

// Every case can be named, opened, run twice and closed, and says what it is to say.
func TestCases(t *testing.T) {
	for _, workers := range numbers() {
		cases, err := bench.Select(Cases(workers, tiny), "")
		if err != nil {
			t.Fatal(err)
		}
		if len(cases) < 100 {
			t.Errorf("%d cases only", len(cases))
		}
		for _, c := range cases {
			runCase(t, c)
		}
	}
}

// numbers of workers to test with: one is the case of pools that block submitters.
func numbers() []int {
	if testing.Short() {
		return []int{2}
	}
	return []int{1, 2}
}

func runCase(t *testing.T, c bench.Case) {
	t.Helper()
	a, err := c.Open()
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		if took, err := a.Run(n + 1); err != nil || took <= 0 {
			t.Errorf("%s: took %v, error %v", c.Name, took, err)
		}
	}
	for _, unit := range units[c.Family()] {
		if !slices.ContainsFunc(a.Metrics(), func(m bench.Metric) bool { return m.Unit == unit }) {
			t.Errorf("%s says nothing of %s: %v", c.Name, unit, a.Metrics())
		}
	}
	if err := a.Close(); err != nil {
		t.Errorf("%s: %v", c.Name, err)
	}
}

// A wrong answer is an error.
func TestFibIsChecked(t *testing.T) {
	if _, err := fibRun(serial, 10)(1); err != nil {
		t.Error(err)
	}
	wrong := func(n int) (int, error) { return fib(n) + 1, nil }
	if _, err := fibRun(wrong, 10)(1); err == nil {
		t.Error("a wrong sum passes")
	}
}
