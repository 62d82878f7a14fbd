// Package sitting measures benchmarks in one sitting: arms interleaved at the
// innermost level, in an order shuffled anew in each round, so that whatever
// the machine does meanwhile it does to all of them.
//
//	s, err := sitting.New(cases, sitting.Plan{Samples: 10})
//	defer s.Close()
//	report, err := s.Run(ctx, func(m sitting.Sample) { ... })
//	err = report.Write(w, config)           // the Go benchmark format
//
// Around each window a canary runs: a loop that does the same work every time.
// The rule of Disturbed, fixed before anything is measured, discards the window
// of which one canary took too long, and it is measured again. How many were
// discarded is part of the report; a machine that disturbs most of them measures
// nothing.
//
// The first case of each family is opened twice, and its twin measured like any
// other arm. How much twins differ is the noise of this machine at this time,
// below which no difference between two arms means anything.
//
// Not here: what differs between two processes (the layout of a binary, where
// memory lies), which no interleaving inside one can see.
package sitting

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/exactlyonce/certify/bench"
)

// Plan says how to measure. Zero fields have defaults.
type Plan struct {
	Samples int           // of each arm; 10
	Window  time.Duration // that a sample should take; 50 ms
	Seed    uint64        // of the order
	Stall   time.Duration // a window that takes longer is an error; a minute
	// AnyNoise: no window is a disturbed one.
	AnyNoise bool
}

// The errors that callers branch on, through errors.Is.
var (
	// ErrNoise: the machine disturbed so many windows that samples are missing.
	ErrNoise = errors.New("the machine is too noisy")
	// ErrStall: an arm did not return.
	ErrStall = errors.New("did not return")
)

// Sample is one window of one arm.
type Sample struct {
	Case    string
	Twin    bool // of the second arm of a case
	Round   int  // from 1
	N       int  // operations
	Metrics []bench.Metric
	// Disturbed: it does not count.
	Disturbed bool
}

// Sitting is arms that are ready to be measured.
type Sitting struct {
	plan   Plan
	arms   []*arm
	cases  []string
	canary canary
}

type arm struct {
	bench.Arm
	name string
	twin bool
	n    int
}

// New opens the cases and finds, for each, how many operations fill a window.
func New(cases []bench.Case, p Plan) (s *Sitting, err error) {
	if p, err = p.resolve(); err != nil {
		return nil, err
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("sitting: no cases: %w", bench.ErrNoCase)
	}
	s = &Sitting{plan: p}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	families := map[string]bool{}
	for _, c := range cases {
		s.cases = append(s.cases, c.Name)
		if err := s.open(c, false); err != nil {
			return s, err
		}
		if !families[c.Family()] {
			families[c.Family()] = true
			if err := s.open(c, true); err != nil {
				return s, err
			}
		}
	}
	if s.canary.limit = off; !p.AnyNoise {
		s.canary.calibrate()
	}
	return s, nil
}

func (p Plan) resolve() (Plan, error) {
	if p.Samples == 0 {
		p.Samples = 10
	}
	if p.Window == 0 {
		p.Window = 50 * time.Millisecond
	}
	if p.Stall == 0 {
		p.Stall = time.Minute
	}
	switch {
	case p.Samples < 1:
		return p, fmt.Errorf("sitting: samples %d: want at least 1", p.Samples)
	case p.Window < 0:
		return p, fmt.Errorf("sitting: window %v: want a positive duration", p.Window)
	case p.Stall < 0:
		return p, fmt.Errorf("sitting: stall %v: want a positive duration", p.Stall)
	}
	return p, nil
}

func (s *Sitting) open(c bench.Case, twin bool) error {
	a, err := c.Open()
	if err != nil {
		return fmt.Errorf("sitting: open %s: %w", c.Name, err)
	}
	ready := &arm{Arm: a, name: c.Name, twin: twin}
	s.arms = append(s.arms, ready)
	return s.size(ready)
}

// mostN keeps the growth of n far from an overflow.
const mostN = 1 << 29

// size runs an arm with more and more operations until one run fills the
// window. It warms the arm up as well.
func (s *Sitting) size(a *arm) error {
	for a.n = 1; ; {
		var took time.Duration
		err := within(s.plan.Stall, func() (err error) { took, err = a.Run(a.n); return err })
		if err != nil {
			return fmt.Errorf("sitting: %s: %w", a.name, err)
		}
		if took >= s.plan.Window || a.n >= mostN {
			return nil
		}
		grow := 2.0
		if took > s.plan.Window/100 {
			grow = min(2, max(1.1*float64(s.plan.Window)/float64(took), 1.01))
		}
		a.n = max(a.n+1, int(float64(a.n)*grow))
	}
}

// within returns what f does, or ErrStall. Then f goes on: nothing ends it.
func within(limit time.Duration, f func() error) error {
	over := make(chan error, 1)
	go func() { over <- f() }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-over:
		return err
	case <-timer.C:
		return fmt.Errorf("%w within %v", ErrStall, limit)
	}
}

// Close closes every arm. It is for a Sitting once.
func (s *Sitting) Close() (err error) {
	for _, a := range s.arms {
		if closing := a.Close(); closing != nil {
			err = errors.Join(err, fmt.Errorf("sitting: close %s: %w", a.name, closing))
		}
	}
	return err
}

// Windows is how many windows a run has if none is disturbed.
func (s *Sitting) Windows() int { return len(s.arms) * s.plan.Samples }

// retries is how often a disturbed window is measured again in its round.
const retries = 3

// Run measures every arm once a round, and tells each of every window. An error
// is an arm's, or ctx's, or ErrNoise; the report has what was measured until
// then.
func (s *Sitting) Run(ctx context.Context, each func(Sample)) (r *Report, err error) {
	r = &Report{cases: s.cases}
	rng := rand.New(rand.NewPCG(s.plan.Seed, 0))
	for round := 1; round <= s.plan.Samples; round++ {
		left := slices.Clone(s.arms)
		for try := 0; len(left) > 0 && try <= retries; try++ {
			rng.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
			var disturbed []*arm
			for _, a := range left {
				if err := ctx.Err(); err != nil {
					return r, fmt.Errorf("sitting: %w", err)
				}
				m, err := s.window(a, round)
				if err != nil {
					return r, err
				}
				if r.add(m); m.Disturbed {
					disturbed = append(disturbed, a)
				}
				each(m)
			}
			left = disturbed
		}
	}
	return r, r.enough(s.arms, s.plan.Samples)
}

// window is one measurement between two canaries.
func (s *Sitting) window(a *arm, round int) (m Sample, err error) {
	m = Sample{Case: a.name, Twin: a.twin, Round: round, N: a.n}
	before := s.canary.disturbed()
	err = within(s.plan.Stall, func() (err error) { m.Metrics, err = bench.Measure(a, a.n); return err })
	if err != nil {
		return m, fmt.Errorf("sitting: %s: %w", a.name, err)
	}
	m.Disturbed = s.canary.disturbed() || before
	return m, nil
}
