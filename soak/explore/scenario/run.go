package scenario

import (
	"fmt"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/trial"
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
type Result = trial.Result

// Run explores one scenario on a back end. A failure is made as small as it can
// be found, with as few preemptions.
func Run(s Scenario, b queues.Backend[*Item], c Config) Result {
	p, err := c.play(s, b)
	if err != nil {
		return Result{Backend: b.Name, Scenario: s.String(), Verdict: explore.Invalid.String(), Invalid: err.Error()}
	}
	return trial.Run(b.Name, p, c.Options)
}

// Replay runs one schedule of a scenario and returns it as a table.
func Replay(s Scenario, schedule string, b queues.Backend[*Item], c Config) (Result, error) {
	p, err := c.play(s, b)
	if err != nil {
		return Result{}, err
	}
	return trial.Replay(b.Name, p, schedule, c.Options)
}

// play is the scenario as a program.
func (c Config) play(s Scenario, b queues.Backend[*Item]) (*play, error) {
	if s.Kind != b.Kind() {
		return nil, fmt.Errorf("scenario: %v is for an %v, and %s is an %v", s, s.Kind, b.Name, b.Kind())
	}
	c = c.withDefaults()
	return newPlay(s, b, queues.Options{Capacity: c.Capacity, Start: c.Start}, c.Checker), nil
}

// Threads is one a word.
func (p *play) Threads() int { return len(p.Words) }

// Smaller are the scenarios with one operation less.
func (p *play) Smaller() (all []trial.Program) {
	for _, s := range p.smaller() {
		all = append(all, newPlay(s, p.backend, p.options, p.check))
	}
	return all
}
