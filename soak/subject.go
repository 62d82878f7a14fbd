package soak

import (
	"fmt"

	"github.com/exactlyonce/certify/reports/record"
)

// Executor makes subjects of one kind. Whoever has an executor of their own
// exports a function that returns some:
//
//	func Executors() []soak.Executor
type Executor struct {
	Name  string // one word: letters, digits, - and _
	About string // one line
	New   func(Options) (Subject, error)
	// Without names drills whose law it does not claim to keep, each with the
	// reason: they are left out, and the report says so.
	Without map[string]string

	// injector or deque is the name of the back end of others that this executor is
	// to show, if it is one: see OfBackends.
	injector, deque string

	// kind is what New makes, where that can be told without making one: not to be
	// used, but to see what it has. So what New does wrong is met by the drills.
	kind Subject
}

// shape is a subject to see what it has, and how to let go of it.
func (e Executor) shape() (s Subject, release func() error, err error) {
	if e.kind != nil {
		return e.kind, func() error { return nil }, nil
	}
	if s, err = e.New(Options{Workers: 1, Capacity: 1}); err != nil {
		return nil, nil, fmt.Errorf("soak: make %s: %w", e.Name, err)
	}
	return s, s.Close, nil
}

// Options are what a drill asks of a new subject.
type Options struct {
	Workers  int    // how many tasks run at once; 0 is the executor's own choice
	Capacity int    // how many tasks must be storable at once
	Seed     uint64 // for whatever the executor chooses at random
}

// Probe is the body of the i-th task of a batch. worker is the index of the
// worker that runs it, from 0, or -1 where there are no workers. It returns
// what the task's handle must return.
type Probe func(i, worker int) int

// Subject is one running executor as a drill sees it. Its methods are called
// from one goroutine at a time, but for Stats.
type Subject interface {
	// Workers is how many workers there are: each runs at least one probe of
	// any large batch. 0 means that there are none to tell apart.
	Workers() int

	// Batch submits one task from outside, which spawns n tasks that call
	// probe for 0 to n-1, waits for all of them, and calls each with what the
	// handle of the i-th returned. It returns how many were spawned.
	Batch(n int, probe Probe, each func(i, value int, err error)) (spawned int, err error)

	// Stats may be called from any goroutine at any time, after Close too.
	Stats() Stats

	// Close lets everything that was accepted end, and then the executor: when
	// it returns, nothing of it is left.
	Close() error
}

// Stats is what a subject shows of itself.
type Stats struct {
	// Progress changes while the subject gets on with its work.
	Progress uint64
	// Gauges must be within their bounds at any moment.
	Gauges []Gauge
	// Unbalanced is why the counters do not add up, at a moment when no task
	// is queued or running; empty when they do.
	Unbalanced string
	// Counts are what happened so far, for the record.
	Counts []record.Value
}

// SleepingGauge is the name of the gauge of workers that are asleep, which
// burst-and-idle waits for.
const SleepingGauge = "sleeping"

// Gauge is a level with its bounds, both included.
type Gauge struct {
	Name            string
	Value, Min, Max int64
	// Quiet is the value it must have when no task is queued or running, and
	// -1 where there is none.
	Quiet int64
}
