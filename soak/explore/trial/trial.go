// Package trial explores one small program after the other and says what came of
// each, in the form in which explorers print it and others read it.
//
// A program that has too many orders is explored up to a number of preemptions. One
// that fails is made smaller, as long as something fails, and is told as a table: a
// column a thread, a row a step, with the schedule that replays it.
package trial

import (
	"fmt"

	"github.com/exactlyonce/certify/soak/explore"
)

// Program is a small program, by a text that says all of it.
type Program interface {
	String() string
	Threads() int // that it declares
	// Body runs once per execution.
	Body(*explore.T)
	// Smaller are the programs with a little less, the first to be tried first.
	Smaller() []Program
}

// Counter is a Program that counts what its executions met. An exploration in which
// nothing of interest happened says nothing.
type Counter interface {
	// Counts are how many executions had each kind of event, since the program was made.
	Counts() map[string]int
}

// Large is a Program that may say that it has far too many orders to begin with all
// of them.
type Large interface{ Large() bool }

// Result is what came of one program.
type Result struct {
	Backend    string         `json:"backend"` // the subject, of whatever kind
	Scenario   string         `json:"scenario"`
	Verdict    string         `json:"verdict"`
	Executions int            `json:"executions"`
	Exhausted  bool           `json:"exhausted"`
	Within     int            `json:"within_preemptions,omitempty"` // if not exhausted: orders with up to so many preemptions were
	MaxSteps   int            `json:"max_steps"`
	Seconds    float64        `json:"seconds"`
	Counts     map[string]int `json:"counts,omitempty"`   // executions that met something: see Counter
	Invalid    string         `json:"invalid,omitempty"`  // see explore.ErrInvalid
	Failure    string         `json:"failure,omitempty"`  // what the law says
	Schedule   string         `json:"schedule,omitempty"` // of the failure
	Smallest   string         `json:"smallest,omitempty"` // the smallest program found that fails, whose schedule and trace these are
	Trace      string         `json:"trace,omitempty"`
}

// Passed tells whether nothing was found.
func (r Result) Passed() bool { return r.Verdict == explore.Passed.String() }

// preemptions are those within which a program is explored that has too many orders,
// samples how many orders of a large one are tried that may have more.
const (
	preemptions = 3
	samples     = 1000
)

// Run explores a program of a subject. A failure is made as small as it can be
// found, with as few preemptions.
func Run(subject string, p Program, o explore.Options) Result {
	r := Result{Backend: subject, Scenario: p.String(), Verdict: explore.Passed.String()}
	failure, err := r.explore(p, o)
	if err != nil {
		return r.invalid(err)
	}
	if c, ok := p.(Counter); ok {
		r.Counts = c.Counts()
	}
	if failure != nil {
		small, f := shrink(p, failure, o)
		r.Failure, r.Schedule, r.Trace = f.Err.Error(), f.Schedule, Table(small, f)
		r.Smallest = small.String()
	}
	return r
}

// explore tries one strategy after the other until one leaves nothing, or fails.
func (r *Result) explore(p Program, o explore.Options) (*explore.Failure, error) {
	r.Within = -1
	all := strategies(p, o)
	for i := 0; i < len(all); i++ {
		o.Strategy = all[i]
		report, err := explore.Run(p.Body, o)
		if r.add(report); err != nil || report.Failure != nil || r.Exhausted {
			r.Within = max(r.Within, 0)
			return report.Failure, err
		}
		if i == len(all)-1 && r.Within < 0 { // what is claimed at least is always tried
			o.Executions, o.Time = 0, 0
			all = append(all, explore.Preemptions(0))
		}
	}
	return nil, nil
}

// strategies are those by which a program is explored. A caller's own is the only one.
func strategies(p Program, o explore.Options) []explore.Strategy {
	if o.Strategy != nil {
		return []explore.Strategy{o.Strategy}
	}
	bounded := explore.Preemptions(preemptions)
	if l, ok := p.(Large); ok && l.Large() {
		return []explore.Strategy{bounded, explore.POS(samples)}
	}
	return []explore.Strategy{explore.Exhaustive(), bounded}
}

// add takes in one exploration.
func (r *Result) add(report explore.Report) {
	r.Verdict = report.Verdict().String()
	r.Executions += report.Executions
	r.Seconds += report.Elapsed.Seconds()
	r.MaxSteps = max(r.MaxSteps, report.MaxSteps)
	if report.Strategy == explore.Exhaustive().String() {
		r.Exhausted = report.Exhausted
	}
	if n := len(report.Levels); n > 0 {
		r.Within = n - 1
	}
}

func (r Result) invalid(err error) Result {
	r.Verdict, r.Invalid = explore.Invalid.String(), err.Error()
	return r
}

// smallBudget bounds the executions of one exploration while shrinking.
const smallBudget = 20_000

// shrink drops operations as long as something fails, then looks for the
// fewest preemptions.
func shrink(p Program, f *explore.Failure, o explore.Options) (Program, *explore.Failure) {
	o.Executions = smallBudget
	for smaller := true; smaller; {
		smaller = false
		for _, candidate := range p.Smaller() {
			if r, err := explore.Run(candidate.Body, o); err == nil && r.Failure != nil {
				p, f, smaller = candidate, r.Failure, true
				break
			}
		}
	}
	o.Strategy = explore.Preemptions(preemptions)
	if r, err := explore.Run(p.Body, o); err == nil && r.Failure != nil {
		f = r.Failure
	}
	return p, f
}

// Replay runs one schedule of a program and returns it as a table.
func Replay(subject string, p Program, schedule string, o explore.Options) (Result, error) {
	o.Strategy = explore.Replay(schedule)
	report, err := explore.Run(p.Body, o)
	if err != nil {
		return Result{}, err
	}
	r := Result{Backend: subject, Scenario: p.String(), Verdict: report.Verdict().String(), Executions: 1,
		MaxSteps: report.MaxSteps, Seconds: report.Elapsed.Seconds(), Schedule: schedule}
	if report.Diverged > 0 {
		r.Invalid = fmt.Sprintf("the schedule could not be followed from step %d", report.Diverged)
	}
	if f := report.Failure; f != nil {
		r.Failure, r.Trace = f.Err.Error(), Table(p, f)
	}
	return r, nil
}
