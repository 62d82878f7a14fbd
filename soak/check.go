package soak

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports/record"
)

// Check runs one repetition of a drill in this process and returns what it
// found. On a stall it writes all goroutines to standard error and gives the
// drill up: its goroutines cannot be ended, and stay.
func Check(e Executor, spec Spec) (Outcome, error) { return check(e, spec, false) }

// check is Check. alone says that nothing else in the process takes memory, so
// that what the drill leaves can be told.
func check(e Executor, spec Spec, alone bool) (Outcome, error) {
	spec, err := spec.Resolve()
	if err != nil {
		return Outcome{}, err
	}
	known := beforeLeaks()
	subject, err := makeWithin(e, spec)
	if errors.Is(err, errHangs) {
		dumpGoroutines(os.Stderr)
		var f findings
		f.add(record.Stall, "%v", err)
		return f.outcome(), nil
	}
	if err != nil {
		return Outcome{}, fmt.Errorf("soak: make %s: %w", e.Name, err)
	}
	if d, _ := FindDrill(spec.Drill); !d.needs.met(subject) {
		return Outcome{}, errors.Join(d.misfit(e), subject.Close())
	}
	t := newTrial(spec, e, subject)
	t.alone = alone
	outcome := make(chan Outcome, 1)
	go func() { outcome <- t.run(known) }()
	select {
	case o := <-outcome:
		return o, nil
	case why := <-t.watch.stalled:
		t.gone.Store(true)
		dumpGoroutines(os.Stderr)
		t.found.add(record.Stall, "%s", why)
		o := t.found.outcome()
		o.Elapsed = time.Since(t.began)
		return o, nil
	}
}

var errHangs = errors.New("it does not come back")

// makeWithin makes a subject, which nothing watches yet.
func makeWithin(e Executor, spec Spec) (Subject, error) {
	var made struct {
		Subject
		err error
	}
	done := make(chan struct{})
	go func() {
		defer close(done) // after a Goexit too
		made.err = errors.New("runtime.Goexit was called")
		made.Subject, made.err = e.New(Options{Workers: spec.Workers, Capacity: spec.Batch + 1, Seed: spec.Seed})
	}()
	select {
	case <-done:
		return made.Subject, made.err
	case <-time.After(spec.Stall):
		return nil, fmt.Errorf("making a subject: %w within %v", errHangs, spec.Stall)
	}
}

// Run is Check for tests: it fails t with what was found, the reason for the
// law and the seed.
func Run(t *testing.T, e Executor, spec Spec) {
	t.Helper()
	o, err := Check(e, spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Err(); err != nil {
		spec, _ = spec.Resolve()
		d, _ := FindDrill(spec.Drill)
		t.Errorf("%s, drill %s, seed %d: %v\nlaw: %s\nwhy: %s\nrepeat: go test -race -run '^%s$'",
			e.Name, d.Name, spec.Seed, err, d.Law, d.Why, t.Name())
	}
}

func newTrial(spec Spec, e Executor, subject Subject) *trial {
	t := &trial{spec: spec, executor: e, subject: subject, watch: newWatch(), began: time.Now()}
	t.fault, _ = findFault(spec.Fault) // Resolve has found it
	t.use(subject)
	return t
}

func (t *trial) run(known leaks) Outcome {
	drill, _ := FindDrill(t.spec.Drill) // Resolve has found it
	t.watch.start(t)
	drill.run(t)
	elapsed := time.Since(t.began)
	t.readDrained()
	t.checkGrowth()
	t.watch.closing.Store(true)
	if err := t.subject.Close(); err != nil {
		t.found.add(record.Contract, "close: %v", err)
	}
	t.watch.end() // a goroutine less, before they are counted
	t.checkIdle()
	if err := known.check(); err != nil {
		t.found.add(record.Leak, "%v", err)
	}
	o := t.found.outcome()
	o.Elapsed = elapsed
	t.retire(t.subject)
	o.Values = append(t.values, t.counts...)
	return o
}

func (t *trial) value(unit string, v float64) {
	t.values = append(t.values, record.Value{Unit: unit, Value: v})
}
