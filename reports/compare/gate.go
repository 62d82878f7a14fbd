package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// GateOptions say what a regression is.
type GateOptions struct {
	// Threshold is the least relative change that matters: 0.05 is 5 %. Zero
	// leaves that to the other conditions.
	Threshold float64
	// Alpha bounds the chance that anything at all is called a regression
	// where nothing changed. Zero stands for 0.05.
	Alpha float64
	// Floor is the relative noise of a row, as Noise measures it: a change
	// below it does not count. Nil is no noise.
	Floor func(unit, name string) float64
	// AllowMissing lets rows of the base be missing in a column that is
	// compared with it. They are said either way.
	AllowMissing bool

	adjust func([]float64) []float64 // holm; tests put others
}

// Outcome is what a gate says, as a word that can be printed.
type Outcome string

const (
	Pass         Outcome = "pass"
	Regression   Outcome = "regression"
	Insufficient Outcome = "insufficient data" // none shown, but some could not have been
)

// Gate looks for regressions. A row is one if all of this holds:
//
//  1. its p, corrected by Holm for all rows that are judged, is below Alpha;
//  2. |Delta| is at least Threshold, and at least the Floor of the row;
//  3. the change is for the worse, by what is known of its unit.
//
// Rows of units without a known direction are not judged, and said. A row that
// could not have been a regression is insufficient: too few samples to reach
// Alpha after the correction, an interval without bounds, no counterpart in the
// new column, a change for the worse under an infinite floor. One such row suffices to make the outcome
// Insufficient where no other is a Regression; so does having no row at all.
//
// Exact values have no p: conditions 2 and 3 decide. An error is an option out
// of range.
func Gate(r *Result, o GateOptions) (*Decision, error) {
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	if !(0 < o.Alpha && o.Alpha < 1) {
		return nil, fmt.Errorf("compare: gate: alpha %v: want a number between 0 and 1", o.Alpha)
	}
	if !(0 <= o.Threshold && o.Threshold < math.Inf(1)) {
		return nil, fmt.Errorf("compare: gate: threshold %v: want a finite number from 0", o.Threshold)
	}
	if o.Floor == nil {
		o.Floor = func(string, string) float64 { return 0 }
	}
	if o.adjust == nil {
		o.adjust = holm
	}
	g := &gate{GateOptions: o, tables: r.Tables, decision: &Decision{}, undirected: map[string]int{}}
	for _, p := range r.pairs() {
		g.sort(p)
	}
	g.judge()
	return g.decide(), nil
}

// gate is a Decision as it grows.
type gate struct {
	GateOptions
	tables     []*Table
	decision   *Decision
	rows       []pair         // to be judged
	undirected map[string]int // rows, by unit
	gone       int
	extra      int
}

// sort keeps what can be judged.
func (g *gate) sort(p pair) {
	switch {
	case p.table.Better == 0:
		g.undirected[p.table.Unit]++
	case p.base == nil:
		g.extra++
	case p.to == nil:
		g.gone++
		if !g.AllowMissing {
			g.insufficient(p, "not measured in "+p.col.StringValues())
		}
	// A row that can never be found must not weaken the others.
	case !p.table.Exact && p.to.smallestP() >= g.Alpha:
		g.insufficient(p, fmt.Sprintf("n=%d+%d cannot reach p < %v", p.base.N, p.to.N, g.Alpha))
	default:
		g.rows = append(g.rows, p)
	}
}

func (g *gate) judge() {
	var ps []float64
	for _, p := range g.rows {
		if !p.table.Exact {
			ps = append(ps, p.to.P)
		}
	}
	tests := len(ps)
	adjusted := g.adjust(ps)
	for _, p := range g.rows {
		f := g.finding(p)
		if !p.table.Exact {
			f.Adjusted, adjusted = adjusted[0], adjusted[1:]
		}
		g.row(p, f, tests)
	}
}

func (g *gate) row(p pair, f Finding, tests int) {
	shown := f.Adjusted < g.Alpha
	worse := p.to.Delta*float64(p.table.Better) < 0
	enough := math.Abs(f.Delta) >= f.Needed
	reach := p.to.smallestP() * float64(tests)
	switch {
	case shown && worse && !(f.Needed < math.Inf(1)):
		g.insufficient(p, "worse, but the noise of the row is without bound")
	case shown && worse && enough:
		f.Why = fmt.Sprintf("p=%.2g after correction, and at least %s counts", f.Adjusted, formatPct(f.Needed))
		g.decision.Regressions = append(g.decision.Regressions, f)
	case p.table.Exact:
	case !shown && reach >= g.Alpha:
		g.insufficient(p, fmt.Sprintf("n=%d+%d cannot reach p < %v among %d rows", p.base.N, p.to.N, g.Alpha, tests))
	case !p.to.bounded():
		g.insufficient(p, fmt.Sprintf("n=%d+%d: an interval has no bound", p.base.N, p.to.N))
	case shown && worse && math.Abs(f.Delta) >= g.Threshold:
		g.decision.Notes = append(g.decision.Notes, fmt.Sprintf("%s: worse by %s, but within the noise of the row, %s",
			f.row(), formatPct(math.Abs(f.Delta)), formatPct(f.Needed)))
	}
}

func (g *gate) finding(p pair) Finding {
	return Finding{
		Config: g.telling(p.table), Unit: p.table.Unit, Name: p.row.Name, Col: p.col.StringValues(),
		Delta: p.to.Delta, Needed: max(g.Threshold, g.Floor(p.table.Unit, p.row.Name)),
	}
}

func (g *gate) insufficient(p pair, why string) {
	g.decision.Insufficient = append(g.decision.Insufficient, Finding{
		Config: g.telling(p.table), Unit: p.table.Unit, Name: p.row.Name, Col: p.col.StringValues(), Adjusted: 1, Why: why,
	})
}

// telling is the configuration that not all tables have.
func (g *gate) telling(t *Table) (config []string) {
	for _, line := range t.Config {
		if slices.ContainsFunc(g.tables, func(other *Table) bool { return !slices.Contains(other.Config, line) }) {
			config = append(config, line)
		}
	}
	return config
}

func (g *gate) decide() *Decision {
	d := g.decision
	d.Rows = len(g.rows)
	slices.SortStableFunc(d.Regressions, func(a, b Finding) int {
		return cmp.Compare(math.Abs(b.Delta), math.Abs(a.Delta))
	})
	switch {
	case len(d.Regressions) > 0:
		d.Outcome = Regression
	case len(d.Insufficient) > 0 || d.Rows == 0:
		d.Outcome = Insufficient
	default:
		d.Outcome = Pass
	}
	g.note()
	return d
}
