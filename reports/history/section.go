package history

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/exactlyonce/certify/reports"
)

// Sections is the history of a class of machines as a part of a report: the
// changes, and a chart a unit.
func Sections(entries []Entry, class string) ([]reports.Section, error) {
	var ours []Entry
	for _, e := range entries {
		if e.Class == class {
			ours = append(ours, e)
		}
	}
	changes, err := Changes(ours)
	if err != nil {
		return nil, err
	}
	s := reports.Section{ID: "history", Title: "Over the commits"}
	s.Blocks = append(s.Blocks, about(ours, len(entries)-len(ours), class), changeTable(ours, changes))
	for _, unit := range unitsOf(ours) {
		s.Blocks = append(s.Blocks, unitChart(ours, unit, changes))
	}
	return []reports.Section{s}, nil
}

func about(ours []Entry, others int, class string) reports.Text {
	text := fmt.Sprintf("%d runs on %s.", len(ours), class)
	if others > 0 {
		text += fmt.Sprintf(" %d of other machines are not compared.", others)
	}
	return reports.Text(text + fmt.Sprintf(" A change is at least %.0f %%, beyond the noise of each side against itself, and significant after Holm's correction for all that a commit measured; it is against the first commit since the last change. Commits do not interleave: where the machine itself may have changed, measure both again, in one sitting.", 100*Threshold))
}

func changeTable(entries []Entry, changes []Change) reports.Block {
	if len(changes) == 0 {
		return reports.Text("Nothing changed.")
	}
	t := &reports.Table{Caption: "Changes, the newest first", Columns: []reports.Column{
		{Name: "commit"}, {Name: "what"}, {Name: "unit"}, {Name: "change", Numeric: true}, {Name: "was", Numeric: true}, {Name: "is", Numeric: true},
		{Name: "", Numeric: false}, {Name: "against"}, {Name: "p", Numeric: true},
	}}
	newest := slices.Clone(changes)
	slices.SortStableFunc(newest, func(a, b Change) int { return b.At - a.At })
	for i, c := range newest {
		word := "worse"
		if c.Better {
			word = "better"
		}
		t.Rows = append(t.Rows, reports.Row{ID: fmt.Sprintf("change-%d", i+1), Cells: []reports.Cell{
			{Text: entries[c.At].short()}, {Text: c.Name}, {Text: c.Unit}, {Text: fmt.Sprintf("%+.1f %%", 100*c.Delta), Value: c.Delta},
			{Text: fmt.Sprintf("%.4g", c.Was), Value: c.Was}, {Text: fmt.Sprintf("%.4g", c.Is), Value: c.Is},
			{Text: word}, {Text: entries[c.Base].short()}, {Text: fmt.Sprintf("%.2g", c.P), Value: c.P},
		}})
	}
	t.Columns[6].Name = "for the"
	return t
}

// short names a commit, or the run where it is not known.
func (e Entry) short() string {
	if len(e.Commit) < 7 || e.Commit == "unknown" {
		return e.Run
	}
	if len(e.Commit) > 40 { // with a word such as (modified)
		return e.Commit[:7] + e.Commit[40:]
	}
	return e.Commit[:7]
}

func unitsOf(entries []Entry) (all []string) {
	for _, e := range entries {
		for _, s := range e.Series {
			if !slices.Contains(all, s.Unit) {
				all = append(all, s.Unit)
			}
		}
	}
	return all
}

// chartSeries is how many figures a chart shows; the table has all.
const chartSeries = 8

// unitChart shows the figures of one unit relative to what they first were, so that
// large and small ones share an axis: those with changes before the others.
func unitChart(entries []Entry, unit string, changes []Change) *reports.Chart {
	c := &reports.Chart{
		Title: unit + " over the commits", About: "The median of a run relative to that of the first that has the figure. ",
		Kind: reports.Lines, X: reports.Axis{Label: "commit"}, Y: reports.Axis{Label: "times the first"},
		Table: &reports.Table{Caption: "Medians, " + unit, Columns: []reports.Column{{Name: "commit"}, {Name: "what"}, {Name: "median", Numeric: true}, {Name: "change"}}},
	}
	every := max(1, len(entries)/10)
	for i, e := range entries {
		if i%every == 0 || i == len(entries)-1 {
			c.X.Ticks = append(c.X.Ticks, reports.Tick{At: float64(i), Text: e.short()})
		}
	}
	names := namesOf(entries, unit, changes)
	for i, name := range names {
		line := reports.Series2D{Name: name}
		for at, e := range entries {
			m := e.median(unit, name)
			if !slices.ContainsFunc(e.Series, func(s Series) bool { return s.Unit == unit && s.Name == name }) {
				continue
			}
			line.X, line.Y = append(line.X, float64(at)), append(line.Y, m)
			c.Table.Rows = append(c.Table.Rows, reports.Row{Cells: []reports.Cell{
				{Text: e.short()}, {Text: name}, {Text: fmt.Sprintf("%.4g", m), Value: m}, {Text: mark(changes, at, unit, name)},
			}})
		}
		if relative(&line); i < chartSeries {
			c.Series = append(c.Series, line)
		}
	}
	if more := len(names) - chartSeries; more > 0 {
		c.About += fmt.Sprintf("%d more are in the table. ", more)
	}
	for _, ch := range changes {
		if ch.Unit == unit {
			c.About += fmt.Sprintf("%s: %s %+.1f %%. ", entries[ch.At].short(), ch.Name, 100*ch.Delta)
		}
	}
	return c
}

// namesOf are the figures of a unit, those that changed most often first.
func namesOf(entries []Entry, unit string, changes []Change) (names []string) {
	count := map[string]int{}
	for _, c := range changes {
		if c.Unit == unit {
			count[c.Name]++
		}
	}
	for _, e := range entries {
		for _, s := range e.Series {
			if s.Unit == unit && !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	return names
}

// relative divides by the first value, if that is possible.
func relative(s *reports.Series2D) {
	first := s.Y[0]
	for i := range s.Y {
		if first != 0 && !math.IsInf(s.Y[i]/first, 0) {
			s.Y[i] /= first
		}
	}
}

func mark(changes []Change, at int, unit, name string) string {
	for _, c := range changes {
		if c.At == at && c.Unit == unit && c.Name == name {
			return fmt.Sprintf("%+.1f %%", 100*c.Delta)
		}
	}
	return ""
}
