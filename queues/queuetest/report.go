package queuetest

import (
	"errors"
	"fmt"

	"github.com/exactlyonce/certify/queues"
)

// Report is what became of each law.
type Report struct {
	Backend    string
	Kind       queues.Kind
	Seed       uint64
	Passed     []string
	Skipped    []Skip
	Violations []Violation
}

// Skip is a law that was left out.
type Skip struct {
	Law     string
	Missing string // the promise that the back end does not make
}

// Err joins the violations. It is nil if there are none.
func (r Report) Err() error {
	var errs []error
	for i := range r.Violations {
		errs = append(errs, &r.Violations[i])
	}
	return errors.Join(errs...)
}

// Violation is a law that does not hold, or that could not be shown to hold.
type Violation struct {
	Backend string
	Kind    queues.Kind
	Law     string
	Seed    uint64
	Saw     string // what was observed
	Why     string // why the law exists
	Repeat  string // the command, or the call, that checks it again

	// Vacuous: nothing wrong was seen, nor what the law is about.
	Vacuous bool
}

var errVacuous = errors.New("vacuous")

func (v *Violation) Error() string {
	return fmt.Sprintf("queuetest: %s %s: law %s, seed %d: %s\n\twhy: %s\n\trepeat: %s",
		v.Kind, v.Backend, v.Law, v.Seed, v.Saw, v.Why, v.Repeat)
}
