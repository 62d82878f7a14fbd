// Package faulty has the canaries: known-bad queues, reclaimers and executors, each
// of which has one fault and must be caught, by the law that the fault breaks. A
// certifier that lets one live has not shown that it could find anything. Beside
// them are the controls, which have no fault and must survive.
//
// It is imported by tests and by the canary stage of a run, never by a back end.
package faulty

import (
	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/faulty/flawed"
)

// Canary is a subject with one fault.
type Canary struct {
	Name  string // one word
	Fault string // what it does wrong
	Drill string // that must catch it
	// Killers are the reasons for which it may be caught. Another one is no kill: what
	// dies of something else has not been understood.
	Killers []record.Reason
	Tasks   int // of a repetition

	Executor soak.Executor
}

// All are the canaries that a soak catches.
func All() []Canary { return append(Queues(), Executors()...) }

// Control is a subject without a fault, that must survive.
type Control struct {
	Drill    string
	Tasks    int
	Executor soak.Executor
}

// Controls are kin of the canaries.
func Controls() []Control {
	bare := func(b queues.Backend[*executor.Task]) Control {
		e := soak.OfBackends([]queues.Backend[*executor.Task]{b})[0]
		e.Name = b.Name
		return Control{Drill: b.Kind().String(), Tasks: queueTasks, Executor: e}
	}
	return []Control{
		bare(flawed.Textbook[executor.Task]()),
		bare(flawed.Linked[executor.Task]()),
		{Drill: soak.ExactlyOnce, Tasks: 1000, Executor: homesOf("homes", false)},
		{Drill: "panic", Tasks: tasksOf("panic"), Executor: Crew()},
		{Drill: "cancel-race", Tasks: tasksOf("cancel-race"), Executor: Crew()},
	}
}

// Subjects are all of them, for the process of a repetition.
func Subjects() []soak.Executor {
	var all []soak.Executor
	for _, c := range Controls() {
		all = append(all, c.Executor)
	}
	for _, c := range All() {
		all = append(all, c.Executor)
	}
	return all
}

// Killed reports whether a repetition that ended like this has caught the canary.
func (c Canary) Killed(v record.Verdict, r record.Reason) bool { return record.Caught(c.Killers, v, r) }
