package scenario

import (
	"fmt"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/soak/explore"
)

// Config is how to explore scenarios. The zero value works.
type Config struct {
	Options  explore.Options
	Capacity int     // of the queues; 0: 2, so that they grow
	Start    uint64  // of their counters
	Checker  Checker // default: Linearizable()
}

func (c Config) withDefaults() Config {
	if c.Capacity == 0 {
		c.Capacity = 2
	}
	if c.Checker == nil {
		c.Checker = Linearizable()
	}
	return c
}

// Result is what came of one scenario.
type Result struct {
	Backend    string  `json:"backend"`
	Scenario   string  `json:"scenario"`
	Verdict    string  `json:"verdict"`
	Executions int     `json:"executions"`
	Exhausted  bool    `json:"exhausted"`
	Within     int     `json:"within_preemptions,omitempty"` // if not exhausted: orders with up to so many preemptions were
	MaxSteps   int     `json:"max_steps"`
	Seconds    float64 `json:"seconds"`
	Invalid    string  `json:"invalid,omitempty"` // see explore.ErrInvalid
	Failure    string  `json:"failure,omitempty"`
	Schedule   string  `json:"schedule,omitempty"` // of the failure
	Smallest   string  `json:"smallest,omitempty"` // the smallest scenario found that fails, whose schedule and trace these are
	Trace      string  `json:"trace,omitempty"`
}

// Run explores one scenario on a back end. A failure is made as small as it can
// be found, with as few preemptions.
func Run(s Scenario, b queues.Backend[*Item], c Config) Result {
	c = c.withDefaults()
	report, err := c.explore(s, b)
	r := Result{Backend: b.Name, Scenario: s.String(), Verdict: report.Verdict().String(), Executions: report.Executions,
		Exhausted: report.Exhausted, MaxSteps: report.MaxSteps, Seconds: report.Elapsed.Seconds()}
	if err != nil {
		r.Verdict, r.Invalid = explore.Invalid.String(), err.Error()
		return r
	}
	if report.Failure == nil && !report.Exhausted {
		report = c.bounded(s, b, &r)
	}
	if report.Failure != nil {
		small, f := c.shrink(s, b, report.Failure)
		r.Failure, r.Schedule, r.Trace = f.Err.Error(), f.Schedule, Table(small, f)
		r.Smallest = small.String()
	}
	return r
}

// bounded runs the orders with few preemptions of a scenario that has too many.
func (c Config) bounded(s Scenario, b queues.Backend[*Item], r *Result) explore.Report {
	c.Options.Strategy = explore.Preemptions(3)
	report, err := c.explore(s, b)
	r.Executions += report.Executions
	r.Seconds += report.Elapsed.Seconds()
	r.Within = len(report.Levels) - 1
	r.Verdict = report.Verdict().String()
	if err != nil {
		r.Verdict, r.Invalid = explore.Invalid.String(), err.Error()
	}
	return report
}

func (c Config) explore(s Scenario, b queues.Backend[*Item]) (explore.Report, error) {
	if s.Kind != b.Kind() {
		return explore.Report{}, fmt.Errorf("scenario: %v is for an %v, and %s is an %v", s, s.Kind, b.Name, b.Kind())
	}
	p := newPlay(s, b, queues.Options{Capacity: c.Capacity, Start: c.Start}, c.Checker)
	return explore.Run(p.program, c.Options)
}

// smallBudget bounds the executions of one exploration while shrinking.
const smallBudget = 20_000

// shrink drops operations as long as something fails, then looks for the
// fewest preemptions.
func (c Config) shrink(s Scenario, b queues.Backend[*Item], f *explore.Failure) (Scenario, *explore.Failure) {
	c.Options.Executions = smallBudget
	for smaller := true; smaller; {
		smaller = false
		for _, candidate := range s.smaller() {
			if r, err := c.explore(candidate, b); err == nil && r.Failure != nil {
				s, f, smaller = candidate, r.Failure, true
				break
			}
		}
	}
	c.Options.Strategy = explore.Preemptions(3)
	if r, err := c.explore(s, b); err == nil && r.Failure != nil {
		f = r.Failure
	}
	return s, f
}

// Replay runs one schedule of a scenario and returns it as a table.
func Replay(s Scenario, schedule string, b queues.Backend[*Item], c Config) (Result, error) {
	c = c.withDefaults()
	c.Options.Strategy = explore.Replay(schedule)
	report, err := c.explore(s, b)
	if err != nil {
		return Result{}, err
	}
	r := Result{Backend: b.Name, Scenario: s.String(), Verdict: report.Verdict().String(), Executions: 1,
		MaxSteps: report.MaxSteps, Seconds: report.Elapsed.Seconds(), Schedule: schedule}
	if report.Diverged > 0 {
		r.Invalid = fmt.Sprintf("the schedule could not be followed from step %d", report.Diverged)
	}
	if f := report.Failure; f != nil {
		r.Failure, r.Trace = f.Err.Error(), Table(s, f)
	}
	return r, nil
}
