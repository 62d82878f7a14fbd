package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Decision is the outcome with its grounds.
type Decision struct {
	Outcome      Outcome
	Rows         int       // that were judged
	Regressions  []Finding // worst first
	Insufficient []Finding // rows that could not be judged
	Notes        []string  // what was left out of the judgement
}

// Finding is a row and what was found.
type Finding struct {
	Config          []string // of its table, where other tables have another
	Unit, Name, Col string
	Delta           float64 // see Cell.Delta
	Adjusted        float64 // p after the correction
	Needed          float64 // the least |Delta| that counts
	Why             string
}

// String is the decision for people, a line a finding.
func (d *Decision) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "gate: %s; rows judged %d, worse %d, without enough data %d\n",
		d.Outcome, d.Rows, len(d.Regressions), len(d.Insufficient))
	for _, f := range d.Regressions {
		fmt.Fprintf(&b, "  worse: %s by %s (%s)\n", printable(f.row()), formatChange(f.Delta), f.Why)
	}
	for _, f := range d.Insufficient {
		fmt.Fprintf(&b, "  not enough data: %s: %s\n", printable(f.row()), printable(f.Why))
	}
	for _, n := range d.Notes {
		fmt.Fprintf(&b, "  note: %s\n", printable(n))
	}
	return b.String()
}

func (f Finding) row() string {
	text := fmt.Sprintf("%s %s in %s", f.Name, f.Unit, f.Col)
	if len(f.Config) > 0 {
		text += " [" + strings.Join(f.Config, ", ") + "]"
	}
	return text
}

// note says what was left out.
func (g *gate) note() {
	say := func(format string, args ...any) {
		g.decision.Notes = append(g.decision.Notes, fmt.Sprintf(format, args...))
	}
	for _, unit := range slices.Sorted(maps.Keys(g.undirected)) {
		say("not judged: %s (%d rows): it is not known whether more is better; `Unit %s better=lower` in the file would say",
			unit, g.undirected[unit], unit)
	}
	if g.gone > 0 {
		say("rows missing in the new column: %d", g.gone)
	}
	if g.extra > 0 {
		say("rows only in the new column, not judged: %d", g.extra)
	}
}

func formatPct(x float64) string { return strings.TrimPrefix(formatChange(x), "+") }
