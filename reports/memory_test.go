package reports_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/record"
)

// group has a clean repetition for each value, of 1000 tasks.
func memoryGroup(unit string, values ...float64) reports.Group {
	g := reports.Group{
		Key: record.Key{Drill: "exactly-once", Params: []record.Param{{Name: "tasks", Value: "1000"}}}, Planned: len(values), Clean: len(values),
	}
	for i, v := range values {
		r := record.Record{Key: g.Key, Rep: i + 1, Verdict: record.Certified, PeakB: int64(v)}
		if unit != "peak-B" {
			r.Values = []record.Value{{Unit: unit, Value: v}}
		}
		g.Records = append(g.Records, r)
	}
	return g
}

// series are n values that begin at first and rise by slope, with noise.
func series(n int, first, slope, noise float64) (v []float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		v = append(v, first+slope*float64(i)+noise*rng.NormFloat64())
	}
	return v
}

// TestMemoryGrows: what grows over the repetitions by more than the limit fails the
// key when it is a figure that the load of the machine does not move, and nothing
// else does.
func TestMemoryGrows(t *testing.T) {
	const mib = 1 << 20
	for _, row := range []struct {
		name  string
		unit  string
		v     []float64
		grows bool
	}{
		{"a leak", "left-B", series(100, 0, 0.1*mib, 0.2*mib), true},
		{"a leak, live", "live-B", series(20, 5*mib, 0.1*mib, 0.05*mib), true},
		{"below the limit", "left-B", series(100, 0, 100, 10), false},
		{"noise", "left-B", series(100, 0, 0, 5*mib), false},
		{"falls", "left-B", series(100, 0, -0.1*mib, 0), false},
		{"all equal", "left-B", series(100, 7, 0, 0), false},
		{"too few", "left-B", series(5, 0, 10*mib, 0), false},
		{"one", "left-B", series(1, 0, 0, 0), false},
		{"the peak, which the load moves", "peak-B", series(100, 30*mib, mib, 0), false},
		{"the heap as drained", "drained-B", series(100, 30*mib, mib, 0), false},
		{"huge", "left-B", []float64{1e18, 1e18 + 1, 1e18, 1e18 + 1, 1e18, 1e18, 1e18}, false},
	} {
		g := memoryGroup(row.unit, row.v...)
		f, grows := g.Grown()
		if grows != row.grows {
			t.Errorf("%s: grows %v: %v", row.name, grows, f)
		}
		verdict, reason := g.Verdict()
		if want := map[bool]record.Reason{true: record.Memory}[row.grows]; reason != want || verdict != want.Verdict() {
			t.Errorf("%s: %v (%s)", row.name, verdict, reason)
		}
		whole, _ := reports.Judge([]reports.Group{g}, g.Records)
		if whole != verdict {
			t.Errorf("%s: the run is %v, its only key %v", row.name, whole, verdict)
		}
	}
}

// TestMemoryFigures: a task's share is the slope over the tasks, with its interval.
func TestMemoryFigures(t *testing.T) {
	g := memoryGroup("left-B", series(50, 100, 2000, 0)...)
	var got []string
	for _, f := range g.Memory() {
		got = append(got, fmt.Sprint(f.Unit, f.Judged, f.Fitted))
		if f.Unit == "left-B" && (f.PerTask != 2 || f.PerTaskLow != 2 || f.PerTaskHigh != 2) {
			t.Errorf("a task: %v (%v to %v), want 2", f.PerTask, f.PerTaskLow, f.PerTaskHigh)
		}
	}
	// The peak of 100 and more bytes is there, too.
	if want := "peak-Bfalse true, left-Btrue true"; strings.Join(got, ", ") != want {
		t.Errorf("figures: %s", strings.Join(got, ", "))
	}
	for _, want := range []string{"left-B", "2000 B a repetition", "2 B a task"} {
		if f := g.Memory()[1].String(); !strings.Contains(f, want) {
			t.Errorf("%q lacks %q", f, want)
		}
	}
}

// TestMemoryMany: the fit of very many repetitions takes neither hours nor all
// memory.
func TestMemoryMany(t *testing.T) {
	g := memoryGroup("left-B", series(100_000, 0, 50, 1000)...)
	f, grows := g.Grown()
	if !grows || f.PerTask < 0.045 || f.PerTask > 0.055 {
		t.Errorf("got %v", f)
	}
}
