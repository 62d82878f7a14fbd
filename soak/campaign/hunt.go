package campaign

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/explore/survey"
)

// huntPatience is how long the explorer looks for what a repetition has met.
const huntPatience = time.Minute

// explainable are the reasons that a small program of a queue may show.
var explainable = []record.Reason{record.Lost, record.Duplicated, record.Reordered, record.Contract, record.Race, record.Stall}

// hunt has the explorer look for the fault that a repetition has met, in all small
// programs of the subject's queues, and adds what it finds to the record: the smallest
// program and the shortest schedule, or how many it has tried in vain. It does so once
// a subject. It is no verdict, so whatever keeps it from looking is said, and that is
// all.
func (c *Campaign) hunt(ctx context.Context, cell Cell, r *record.Record) {
	suspects := cell.suspects()
	if r.Verdict != record.Failed || !slices.Contains(explainable, r.Reason) || c.Plan.Fault != nil || len(suspects) == 0 || c.hunted[cell.Subject] {
		return
	}
	if c.hunted == nil {
		c.hunted = map[soak.SubjectName]bool{}
	}
	c.hunted[cell.Subject] = true
	for _, s := range suspects {
		note, found := c.huntIn(ctx, Cell{Drill: ExploreDrill, Subject: s, Size: survey.Standard})
		r.Detail += "\n" + note
		if found || ctx.Err() != nil {
			return
		}
	}
}

// suspects are the queues that a drill goes through, each as a subject to explore.
func (c Cell) suspects() []soak.SubjectName {
	if c.Drill == ExploreDrill {
		return nil
	}
	return slices.DeleteFunc(backends(c.Subject), func(s soak.SubjectName) bool {
		bare := slices.Contains(soak.HistoryDrills(), c.Drill)
		return bare && (s.Injector != "") != (c.Drill == soak.HistoryDrills()[0])
	})
}

// huntIn is hunt in one queue.
func (c *Campaign) huntIn(ctx context.Context, cell Cell) (note string, found bool) {
	kind, name := cell.explored()
	out, err := c.look(ctx, cell)
	if err != nil {
		return fmt.Sprintf("the explorer could not look at %s %s: %s", kind, name, firstLine(err.Error())), false
	}
	sum, err := survey.Read(bytes.NewReader(out))
	switch f := sum.Failed; {
	case err != nil && sum.Scenarios == 0:
		return fmt.Sprintf("the explorer could not look at %s %s: %s", kind, name, firstLine(err.Error())), false
	case f == nil:
		return fmt.Sprintf("the explorer has not found it in %d small programs of %s %s, %d executions", sum.Scenarios, kind, name, sum.Executions), false
	case f.Invalid != "":
		return fmt.Sprintf("the explorer cannot look at %s %s: %s", kind, name, firstLine(f.Invalid)), false
	default:
		return fmt.Sprintf("the explorer finds a fault of %s %s in program %s: %s\n%s\nreplay: %s --scenario '%s' --replay %s",
			kind, name, f.Smallest, firstLine(f.Failure), strings.TrimRight(f.Trace, "\n"), c.Plan.exploreCommand(cell), f.Smallest, f.Schedule), true
	}
}

// look runs the explorer, which is built if it is not there.
func (c *Campaign) look(ctx context.Context, cell Cell) ([]byte, error) {
	plan := c.Plan
	plan.Explorations = append(slices.Clone(plan.Explorations), cell)
	dir := c.Dir.Path("")
	if _, err := BuildExplorer(ctx, plan, dir); err != nil {
		return nil, err
	}
	log := c.Dir.Path("hunt.tmp.log")
	defer os.Remove(log)
	_, out, err := cell.runExplorer(ctx, dir, log, huntPatience, c.Plan.limits())
	return out, err
}
