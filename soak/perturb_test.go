package soak

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestPerturbations: each leaves a good subject good, and leaves the process as it
// was.
func TestPerturbations(t *testing.T) {
	procs := runtime.GOMAXPROCS(0)
	for _, p := range perturbations {
		spec, err := Spec{Tasks: 500, Batch: 100, Workers: 2, Perturb: p.Name, Procs: 1}.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		stop := spec.disturb()
		if runtime.GOMAXPROCS(0) != 1 {
			t.Errorf("%s: GOMAXPROCS is %d, want 1", p.Name, runtime.GOMAXPROCS(0))
		}
		Run(t, Goroutines(), spec)
		done := make(chan struct{})
		go func() { defer close(done); stop() }()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatalf("%s: does not end", p.Name)
		}
		if now := runtime.GOMAXPROCS(0); now != procs {
			t.Errorf("%s: GOMAXPROCS is %d afterwards, was %d", p.Name, now, procs)
		}
	}
}

func TestPerturbationErrors(t *testing.T) {
	for want, spec := range map[string]Spec{
		"there are: yield":                  {Perturb: "shake"},
		"procs -1":                          {Procs: -1},
		"acts in the tasks of exactly-once": {Drill: "panic", Perturb: "yield"},
	} {
		if _, err := spec.Resolve(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", spec, err)
		}
	}
	if _, err := (Spec{Drill: "panic", Perturb: "gc"}).Resolve(); err != nil {
		t.Error(err)
	}
}
