package campaign

import (
	"slices"
	"time"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/faulty"
)

// Canary is a known-bad subject that must be caught before anything else counts, or
// a control that must survive.
type Canary struct {
	Cell
	// Killers are the reasons for which it may be caught; none of a control.
	Killers []record.Reason `json:"killers"`
	Fault   string          `json:"fault"` // what it does wrong; empty of a control
}

// canaryStall is how long a canary that is caught by its standing still may do so:
// each is waited for.
const canaryStall = 500 * time.Millisecond

// Canaries are all there are, with so many workers.
func Canaries(workers int) (all []Canary) {
	for _, c := range faulty.Controls() {
		all = append(all, Canary{Cell: canaryCell(c.Executor.Name, c.Drill, c.Tasks, workers), Killers: []record.Reason{}})
	}
	for _, c := range faulty.All() {
		canary := Canary{Cell: canaryCell(c.Name, c.Drill, c.Tasks, workers), Killers: c.Killers, Fault: c.Fault}
		if slices.Contains(c.Killers, record.Stall) {
			canary.Stall = canaryStall
		}
		all = append(all, canary)
	}
	return append(all, rareCanaries()...)
}

func canaryCell(name, drill string, tasks, workers int) Cell {
	d, _ := soak.FindDrill(drill) // that there is none such is for Validate to find
	return Cell{
		Drill: drill, Subject: soak.SubjectName{Kind: soak.CanaryName, Name: name},
		Workers: workers, Tasks: tasks, Batch: min(d.Batch, tasks),
	}
}

// step is a repetition in the order of the plan: the canaries, the explorations, then repetition by
// repetition over all cells, so that a campaign that ends early has seen each.
type step struct {
	cell Cell
	rep  int
}

func (p Plan) steps(yield func(step) bool) {
	for rep := 1; rep <= p.CanaryReps; rep++ {
		for _, c := range p.Canaries {
			if !yield(step{c.Cell, rep}) {
				return
			}
		}
	}
	for _, c := range p.Explorations {
		if !yield(step{c, 1}) {
			return
		}
	}
	for rep := p.First; rep < p.First+p.Reps; rep++ {
		for _, c := range p.Cells {
			if !yield(step{c, rep}) {
				return
			}
		}
	}
}

// powerless: all canaries had their turns, and one was not caught, or a control was.
// Then nothing else would count, unless somebody wants to go on.
func (p Plan) powerless(records []record.Record) bool {
	if p.KeepGoing {
		return false
	}
	kills, total := map[string]int{}, 0
	killers := map[string][]record.Reason{}
	for _, c := range p.Canaries {
		killers[p.Key(c.Cell).String()] = c.Killers
	}
	for _, r := range records {
		if r.Key.Canary() == "" {
			continue
		}
		total++
		if id := r.Key.String(); record.Caught(killers[id], r.Verdict, r.Reason) {
			kills[id]++
		}
	}
	if total < p.CanaryReps*len(p.Canaries) {
		return false
	}
	return slices.ContainsFunc(p.Canaries, func(c Canary) bool {
		caught, control := kills[p.Key(c.Cell).String()] > 0, len(c.Killers) == 0
		return caught == control
	})
}
