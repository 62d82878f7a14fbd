package campaign

import (
	"runtime"
	"slices"

	"github.com/exactlyonce/certify/soak"
)

// strataTasks is what a repetition in a stratum has at most: a fifth of a second, so
// that all strata together take less than the card's job.
const strataTasks = 20_000

// historyTasks is what a repetition of a bare queue has that stands beside the card's
// job: half a second under the race detector.
const historyTasks = 50_000

// WithHistories adds the bare queues of the cells of exactly-once, whose histories are
// judged call by call, unless such drills are there: a queue may hand out everything
// once and still not be one.
func WithHistories(cells []Cell) (all []Cell) {
	all = slices.Clone(cells)
	for _, c := range cells {
		if c.Drill != soak.ExactlyOnce || c.Subject.Kind != soak.WorkStealingName {
			continue
		}
		for _, drill := range soak.HistoryDrills() {
			h := c
			h.Drill, h.Tasks = drill, min(c.Tasks, historyTasks)
			there := func(o Cell) bool { return o.Drill == drill && o.Subject == c.Subject && o.Workers == c.Workers }
			if !slices.ContainsFunc(all, there) {
				all = append(all, h)
			}
		}
	}
	return all
}

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
