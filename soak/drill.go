package soak

import (
	"fmt"
	"strings"
	"time"

	"github.com/exactlyonce/certify/reports/record"
)

// Drill is one stress workload with the law it checks.
type Drill struct {
	Name string
	Law  string // what must hold
	Why  string // why it must
	run  func(*trial)
}

// Drills lists the drills there are.
func Drills() []Drill {
	return []Drill{{
		Name: ExactlyOnce,
		Law:  "every task that was accepted runs exactly once and its handle returns its result",
		Why:  "a scheduler that loses or repeats work under load corrupts whatever is built on it",
		run:  (*trial).exactlyOnce,
	}}
}

func findDrill(name string) (Drill, error) {
	var known []string
	for _, d := range Drills() {
		if d.Name == name {
			return d, nil
		}
		known = append(known, d.Name)
	}
	return Drill{}, fmt.Errorf("soak: no drill %q; there are: %s", name, strings.Join(known, ", "))
}

// trial is one run of a drill.
type trial struct {
	spec    Spec
	subject Subject
	fault   fault
	watch   *watch
	began   time.Time
	found   findings
	values  []record.Value
}

// batches runs f for each batch with its first task and its size, until
// something was found: what comes after a violation explains nothing.
func (t *trial) batches(f func(base, n int)) {
	for base := 0; base < t.spec.Tasks && t.found.none(); base += t.spec.Batch {
		t.watch.batch.Add(1)
		f(base, min(t.spec.Batch, t.spec.Tasks-base))
	}
}
