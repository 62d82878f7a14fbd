package soak_test

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/exactlyonce/certify/internal/stress"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
)

func crewOf(name string, f crewFaults) soak.Executor {
	return soak.Executor{Name: name, About: "a crew for tests", New: func(o soak.Options) (soak.Subject, error) {
		return newCrew(o, f), nil
	}}
}

// faultyCrews are crews with one fault each, the drill that must find it, and
// what that must say. Some show in more than one way.
var faultyCrews = []struct {
	name    string
	drill   string
	fault   crewFaults
	reasons []record.Reason
}{
	{"loses a wake during the poll", "wake-storm", crewFaults{loseWake: true}, []record.Reason{record.Stall}},
	{"polls twice at once", "wake-storm", crewFaults{doubleWake: true}, []record.Reason{record.Duplicated, record.Contract, record.Stall}},
	{"lets the end undo a cancel", "cancel-race", crewFaults{finishUndoesCancel: true}, []record.Reason{record.Contract}},
	{"runs what was cancelled", "cancel-race", crewFaults{runCancelled: true}, []record.Reason{record.Contract}},
	{"tells two that they cancelled", "cancel-race", crewFaults{bothTold: true}, []record.Reason{record.Contract}},
	{"loses the cause", "cancel-race", crewFaults{causeLost: true}, []record.Reason{record.Contract}},
	{"resolves under the body", "cancel-race", crewFaults{resolveEarly: true}, []record.Reason{record.Contract}},
	{"loses a worker to a panic", "panic", crewFaults{panicTakesWorker: true}, []record.Reason{record.Stall}},
	{"loses a worker to Goexit", "goexit", crewFaults{panicTakesWorker: true}, []record.Reason{record.Stall}},
	{"swallows a panic", "panic", crewFaults{swallowPanic: true}, []record.Reason{record.Contract}},
	{"drops at close", "shutdown-race", crewFaults{dropAtClose: true}, []record.Reason{record.Lost}},
	{"runs what it refused", "shutdown-race", crewFaults{runRefused: true}, []record.Reason{record.Duplicated}},
	{"holds the worker that waits", "nested-wait", crewFaults{waitHolds: true}, []record.Reason{record.Stall}},
	{"runs anything while it waits", "lock-across-wait", crewFaults{waiterRunsAny: true}, []record.Reason{record.Stall}},
	{"accepts with an ended context", "saturation", crewFaults{acceptEnded: true}, []record.Reason{record.Contract}},
	{"drops spawns when full", "saturation", crewFaults{dropWhenFull: true}, []record.Reason{record.Lost}},
	{"wakes nobody for the first task", "burst-and-idle", crewFaults{loseSignal: true}, []record.Reason{record.Stall}},
	{"never sleeps", "burst-and-idle", crewFaults{busyWait: true}, []record.Reason{record.Stall, record.Contract}},
	{"leaves a goroutine", "churn", crewFaults{leakGoroutine: true}, []record.Reason{record.Leak}},
	{"leaves memory", "churn", crewFaults{leakMemory: true}, []record.Reason{record.Memory}},
	{"shows a gauge out of range", "panic", crewFaults{gauge: 2}, []record.Reason{record.Contract}},
	{"has counters that do not add up", "saturation", crewFaults{unbalanced: true}, []record.Reason{record.Contract}},
}

// smaller sizes than the drills have, for a crew is slow.
func crewSpec(drill string) soak.Spec {
	d, _ := soak.FindDrill(drill)
	spec := soak.Spec{Drill: drill, Tasks: d.Tasks / 50, Workers: 2}
	if drill == "churn" {
		spec.Tasks = 600
	}
	return spec
}

// Each faulty crew is found out, by the drill and for the reason that its fault
// is.
func TestFaultyCrewsAreKilled(t *testing.T) {
	for _, f := range faultyCrews {
		t.Run(f.name, func(t *testing.T) {
			stress.Watchdog(t)
			if underRace && (f.fault.doubleWake || f.fault.resolveEarly || f.fault.runRefused) {
				t.Skip("a data race, which the detector finds first")
			}
			spec := crewSpec(f.drill)
			if slices.Contains(f.reasons, record.Stall) {
				spec.Stall = 300 * time.Millisecond
			}
			o, err := soak.Check(crewOf("faulty", f.fault), spec)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(f.reasons, o.Reason) || o.Verdict != record.Failed {
				t.Errorf("%s (%s), want %s: %s", o.Verdict, o.Reason, f.reasons, o.Detail)
			}
		})
	}
}

// The crew without a fault passes every drill that it fits, so that a finding
// means something.
func TestGoodCrewPasses(t *testing.T) {
	good := crewOf("crew", crewFaults{})
	for _, d := range soak.Drills() {
		if d.Name != soak.ExactlyOnce && d.Fits(good) == nil {
			t.Run(d.Name, func(t *testing.T) {
				stress.Watchdog(t)
				soak.Run(t, good, crewSpec(d.Name))
			})
		}
	}
}

// A drill says what a subject lacks for it, and leaves nothing of it behind.
func TestDrillsThatDoNotFit(t *testing.T) {
	stress.Watchdog(t)
	before := runtime.NumGoroutine()
	_, err := soak.Check(soak.Goroutines(), soak.Spec{Drill: "cancel-race"})
	if want := "soak: drill cancel-race: the executor goroutines has no handles with Cancel (soak.Tasks)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	d, err := soak.FindDrill("nope")
	if err == nil {
		t.Errorf("found %v", d)
	}
	boom := errors.New("boom")
	bad := soak.Executor{Name: "bad", New: func(soak.Options) (soak.Subject, error) { return nil, boom }}
	if d, _ = soak.FindDrill("panic"); !errors.Is(d.Fits(bad), boom) {
		t.Errorf("got %v", d.Fits(bad))
	}
	stress.Until(func() bool { return runtime.NumGoroutine() <= before })
}
