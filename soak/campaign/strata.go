package campaign

import (
	"runtime"
	"slices"

	"github.com/exactlyonce/certify/soak"
)

// strataTasks is what a repetition in a stratum has at most: a fifth of a second, so
// that all strata together take less than the card's job.
const strataTasks = 20_000

// WithStrata adds, to each cell of exactly-once, the same under other loads: bursts
// of 1 to 1024, one worker and many, one processor and many, and every perturbation.
// A fault that one load hides shows under another, and a bound holds for its own.
func WithStrata(cells []Cell) (all []Cell) {
	all = slices.Clone(cells)
	for _, c := range cells {
		if c.Drill != soak.ExactlyOnce {
			continue
		}
		for _, s := range strata(c) {
			if !slices.ContainsFunc(all, s.same) {
				all = append(all, s)
			}
		}
	}
	return all
}

// same load of the same subject.
func (c Cell) same(other Cell) bool {
	c.Stratum = other.Stratum
	return c == other
}

func strata(c Cell) (all []Cell) {
	add := func(change func(*Cell)) {
		s := c
		s.Tasks, s.Stratum = min(s.Tasks, strataTasks), true
		change(&s)
		s.Batch = min(s.Batch, s.Tasks)
		all = append(all, s)
	}
	for _, burst := range []int{1, 8, 64, 1024} {
		add(func(s *Cell) { s.Batch, s.Tasks = burst, min(s.Tasks, 2000*burst) })
	}
	many := 4 * runtime.NumCPU()
	for _, n := range []int{1, many} {
		add(func(s *Cell) { s.Workers = n })
		add(func(s *Cell) { s.Procs = n })
	}
	for _, p := range soak.Perturbations() {
		add(func(s *Cell) { s.Perturb = p[0] })
	}
	return all
}
