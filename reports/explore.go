package reports

import (
	"fmt"

	"github.com/exactlyonce/certify/reports/record"
)

// exploreDrill is the drill of explorations: one process tries the orders of all
// small programs, so that there is no rate to bound.
const exploreDrill = "explore"

// Exploration reports whether the key is one.
func (g Group) Exploration() bool { return g.Key.Drill == exploreDrill }

// explorations are what was tried of each subject, and within which bounds.
func explorations(r *Run) []Block {
	t := &Table{
		Caption: "Exhausted: every order of the program was tried; of the others, those with so many preemptions",
		Columns: []Column{{"subject", false}, {"verdict", false}, {"programs", true}, {"exhausted", true}, {"preemptions", true}, {"executions", true}, {"not under control", true}, {"tier", false}, {"time", true}},
	}
	for _, g := range r.Groups {
		if !g.Exploration() {
			continue
		}
		verdict, _ := g.Verdict()
		cells := []Cell{{Text: g.Key.String()}, {Text: verdict.String()}}
		for _, unit := range []string{"programs", "exhausted", "within-preemptions", "executions", "uncontrolled-sites"} {
			cells = append(cells, firstOf(g, unit))
		}
		t.Rows = append(t.Rows, Row{Cells: append(cells, Cell{Text: g.Tier()}, medianCell(g.Elapsed(), seconds))})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []Block{
		Text("The queues, their reclaimer and the executor's protocols, their sources as they are, under a scheduler that tries every order of all small programs and judges each execution: every item once, and an order of the calls that a queue allows; nothing reclaimed that a reader holds; every accepted task once, and nobody left asleep. It is complete within these bounds for sequentially consistent atomics, which Go's are; plain accesses are for the race detector."),
		t,
	}
}

func firstOf(g Group, unit string) Cell {
	if s := g.Of(unit); len(s.Values) > 0 {
		return number(s.Values[0])
	}
	return Cell{Text: "none"}
}

// boundCell is the bound of a key's clean repetitions.
func boundCell(g Group) Cell {
	if g.Exploration() {
		return Cell{"by programs", 0}
	}
	return Cell{fmt.Sprintf("%.2f %%", 100*record.Bound(g.Clean)), record.Bound(g.Clean)}
}

// Tier is how far the explorer has a key's source in hand; empty of what is no
// exploration, which is a black box under load.
func (g Group) Tier() string {
	s := g.Of("uncontrolled-sites")
	switch {
	case !g.Exploration():
		return ""
	case len(s.Values) == 0:
		return "not known"
	case s.Values[0] == 0:
		return "all under control"
	}
	return "partly under control"
}

// powerCell is how surely the key's repetitions would have shown a fault.
func powerCell(g Group) Cell {
	if g.Exploration() {
		return Cell{"by programs", 0}
	}
	p := record.Power(len(g.Records), record.Fault)
	return Cell{fmt.Sprintf("%.1f %%", 100*p), p}
}
