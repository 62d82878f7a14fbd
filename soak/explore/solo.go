package explore

import (
	"fmt"

	"github.com/exactlyonce/certify/soak/explore/control"
)

// alone follows events up to a state and from there runs one thread only.
type alone struct {
	follow
	thread int
	most   int
}

func (a *alone) Pick(x *control.Execution, enabled control.Set) int {
	i := len(x.Events())
	if i < len(a.events) {
		return a.follow.Pick(x, enabled)
	}
	if _, _, _, done := x.Pending(a.thread); done {
		return -1
	}
	if i >= len(a.events)+a.most || !enabled.Has(a.thread) {
		return -1
	}
	return a.thread
}

// solo runs each thread alone from each state of the execution: if it does not
// come to its end it needs somebody else to go on, which one that is free of
// obstruction does not.
func (r *runner) solo(events []control.Event) *Failure {
	spin := r.x.Spin
	defer func() { r.x.Spin = spin }()
	r.x.Spin = r.o.Solo + r.o.Steps // a loop is to run into the limit
	threads := r.x.Threads()
	for i := r.fresh(events); i < len(events); i++ {
		for t := range threads {
			a := &alone{follow: follow{events[:i]}, thread: t, most: r.o.Solo}
			end := r.execute(a)
			if t >= r.x.Threads() {
				break // not started yet
			}
			r.Solo++
			if r.x.Left().Has(t) && (end == control.Stopped || end == control.Deadlocked) {
				return &Failure{Verdict: Obstructed, Execution: r.Executions, Schedule: encode(r.x.Events()),
					Err: fmt.Errorf("thread %s, alone after step %d, %s", control.Letter(t), i, r.stuck(t))}
			}
		}
	}
	return nil
}

func (r *runner) stuck(t int) string {
	if s, _ := r.x.Stuck(); s != "" {
		return "does not go on: " + s
	}
	return fmt.Sprintf("is not at its end after %d steps", r.o.Solo)
}

// fresh is the first state of events that earlier executions did not have.
func (r *runner) fresh(events []control.Event) int {
	i := 0
	for i < len(r.previous) && i < len(events) && r.previous[i].Thread == events[i].Thread {
		i++
	}
	r.previous = events
	return i
}
