package faulty_test

import (
	"slices"
	"testing"
	"time"

	"github.com/exactlyonce/certify/internal/stress"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/faulty"
)

// Each faulty subject is found out, by the drill and for the reason that its fault
// is.
func TestCanariesAreKilled(t *testing.T) {
	for _, c := range faulty.All() {
		t.Run(c.Name, func(t *testing.T) {
			stress.Watchdog(t)
			spec := soak.Spec{Drill: c.Drill, Tasks: c.Tasks, Workers: 2}
			if slices.Contains(c.Killers, record.Stall) {
				spec.Stall = 300 * time.Millisecond
			}
			if slices.Contains(c.Killers, record.Race) && underRace {
				t.Skip("a data race, which the detector finds first")
			}
			if slices.Equal(c.Killers, []record.Reason{record.Memory}) && c.Name != "leaves-memory" {
				t.Skip("the heap is judged in processes of their own, which a run gives it")
			}
			o, err := soak.Check(c.Executor, spec)
			if err != nil {
				t.Fatal(err)
			}
			if !c.Killed(o.Verdict, o.Reason) {
				t.Errorf("%s (%s), want %s: %s", o.Verdict, o.Reason, c.Killers, o.Detail)
			}
		})
	}
}

// The controls survive, and the crew without a fault passes every drill that it fits, so that a finding means
// something.
func TestControlsSurvive(t *testing.T) {
	for _, c := range faulty.Controls() {
		stress.Watchdog(t)
		soak.Run(t, c.Executor, soak.Spec{Drill: c.Drill, Tasks: c.Tasks, Workers: 2})
	}
	good := faulty.Crew()
	for _, d := range soak.Drills() {
		if d.Name == soak.ExactlyOnce || d.Fits(good) != nil {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			stress.Watchdog(t)
			soak.Run(t, good, soak.Spec{Drill: d.Name, Tasks: max(d.Tasks/50, 20), Workers: 2})
		})
	}
}
