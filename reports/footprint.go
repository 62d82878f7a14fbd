package reports

import (
	"fmt"
	"math"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/exactlyonce/certify/reports/record"
)

// growthLaw is the law that judged figures are held to, with its reason.
const growthLaw = "Repetitions are processes of their own and cannot leak into each other by memory: what grows from one to the next is kept elsewhere, on the disk or in the machine, or is started with."

// grownFigure is a judged figure that grows, and whose it is.
type grownFigure struct {
	at    int // in Run.Groups
	group Group
	Figure
}

func grownFigures(r *Run) (all []grownFigure) {
	for i, g := range r.Groups {
		for _, f := range g.Memory() {
			if f.failed() {
				all = append(all, grownFigure{i, g, f})
			}
		}
	}
	return all
}

func (f Figure) failed() bool { return f.Judged && f.Fitted && f.Growth.Grows }

// growths tell of the judged figures that grow, which no repetition shows alone.
func growths(r *Run) []Block {
	all := grownFigures(r)
	if len(all) == 0 {
		return nil
	}
	t := &Table{
		Caption: "What grows, by the line of Theil and Sen, with its bounds at 95 %",
		Columns: []Column{{"key", false}, {"figure", false}, {"slope, B a repetition", true}, {"over all", true}, {"chance", true}},
	}
	for _, f := range all {
		g := f.Growth
		t.Rows = append(t.Rows, Row{fmt.Sprintf("growth-%d-%s", f.at+1, f.Unit), []Cell{
			{Text: f.group.Key.String()}, {Text: f.Unit}, between(g.Slope, g.Low, g.High), {bytesText(g.Grown), g.Grown}, chanceCell(g.Rise),
		}})
	}
	first, what := all[0], "a figure of memory grows"
	if len(all) > 1 {
		what = humanize.Comma(int64(len(all))) + " figures of memory grow"
	}
	return []Block{
		Text(fmt.Sprintf("%s (%s): %s with the repetitions. The first is %s of %s: %s a repetition (at 95 %%: %s to %s). %s",
			record.Failed, record.Memory, what, first.Unit, first.group.Key,
			bytesText(first.Growth.Slope), bytesText(first.Growth.Low), bytesText(first.Growth.High), growthLaw)),
		t,
	}
}

// memory is what each figure does over the repetitions: a chart a figure with a
// panel a key, and a table of all slopes.
func memory(r *Run) []Block {
	t := &Table{
		Caption: "Over the clean repetitions. Slopes are those of Theil and Sen with their bounds at 95 %; the chance is that of such a rise without a trend, by Mann and Kendall",
		Columns: []Column{
			{"key", false}, {"figure", false}, {"n", true}, {"median", true}, {"slope, B a repetition", true}, {"slope, B a task", true}, {"chance", true}, {"it", false},
		},
	}
	names, shared := labels(r.Groups)
	of := make([][]Figure, len(r.Groups))
	for i, g := range r.Groups {
		of[i] = g.Memory()
		for _, f := range of[i] {
			t.Rows = append(t.Rows, Row{fmt.Sprintf("memory-%d-%s", i+1, f.Unit), append([]Cell{{Text: names[i]}, {Text: f.Unit}}, figureCells(f)...)})
		}
		if row, ok := withinRow(i, g, names[i]); ok {
			t.Rows = append(t.Rows, row)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	about := "left-B and live-B do not depend on the load of the machine: one of them that grows for sure, and by more than " + bytesText(figureMost) + " over all repetitions, fails its key. " + growthLaw
	blocks := []Block{Text(about)}
	for _, row := range figures {
		if c := figureChart(of, row.unit, row.about, names, shared); c != nil {
			blocks = append(blocks, c)
		}
	}
	return append(blocks, t)
}

func figureCells(f Figure) []Cell {
	cells := []Cell{number(float64(len(f.Values))), bytesCell(middle(f.Values))}
	if !f.Fitted {
		return append(cells, noCell, noCell, noCell, Cell{Text: "has too few repetitions"})
	}
	g, word := f.Growth, "does not grow"
	switch {
	case f.failed():
		word = "grows: FAILED"
	case g.Grows:
		word = "grows, which is not judged"
	}
	perTask := noCell
	if f.PerTask != 0 || f.PerTaskLow != 0 || f.PerTaskHigh != 0 {
		perTask = between(f.PerTask, f.PerTaskLow, f.PerTaskHigh)
	}
	return append(cells, between(g.Slope, g.Low, g.High), perTask, chanceCell(g.Rise), Cell{Text: word})
}

// noCell is for what is not known.
var noCell = Cell{"none", math.NaN()}

// between is v with its bounds.
func between(v, low, high float64) Cell {
	short := func(v float64) string {
		if math.Abs(v) < 1000 {
			return fmt.Sprintf("%.3g", v)
		}
		return number(v).Text
	}
	return Cell{fmt.Sprintf("%s (%s to %s)", short(v), short(low), short(high)), v}
}

// growthUnit is the slope that a drill measured between its batches.
const growthUnit = "growth-B/task"

// withinRow is the growth within a repetition, which the drill has judged itself.
func withinRow(i int, g Group, name string) (Row, bool) {
	s := g.Of(growthUnit)
	if len(s.Values) == 0 {
		return Row{}, false
	}
	return Row{fmt.Sprintf("memory-%d-within", i+1), []Cell{
		{Text: name}, {Text: "live, within one"}, number(float64(len(s.Values))), noCell, noCell,
		between(middle(s.Values), slices.Min(s.Values), slices.Max(s.Values)), noCell, {Text: "was judged in each: median, least, most"},
	}}, true
}

// figureChart shows one figure of those of each key, named by names.
func figureChart(of [][]Figure, unit, about string, names []string, shared string) *Chart {
	c := &Chart{
		Title: "Memory over the repetitions: " + unit,
		About: "Bytes " + about + ". A panel a key, all with the same axes: every clean repetition in order, the line of Theil and Sen, and the band of its slope at 95 %." + allOf(shared),
		Kind:  Panels, X: Axis{Label: "repetition"}, Y: Axis{Label: "bytes, " + about, Unit: "B"},
	}
	var kept []Series
	for i, figures := range of {
		for _, f := range figures {
			if f.Unit != unit {
				continue
			}
			one := Series2D{Name: names[i], X: f.Reps, Y: f.Values}
			if f.Fitted {
				one.Line = &FittedLine{f.Growth.Offset, f.Growth.Slope, f.Growth.Low, f.Growth.High}
			}
			c.Series, kept = append(c.Series, one), append(kept, f.Series)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	c.Table = wideTable(unit+", in bytes", c.Series, kept)
	return c
}

// wideMost bounds the cells of a table with a column a key.
const wideMost = 4000

// wideTable has a row a repetition and a column a key; where that is too much, a
// row a key with its extremes.
func wideTable(caption string, keys []Series2D, of []Series) *Table {
	at := map[float64][]Cell{}
	for i, s := range of {
		for j, rep := range s.Reps {
			if at[rep] == nil {
				at[rep] = make([]Cell, len(keys))
				for k := range at[rep] {
					at[rep][k] = noCell
				}
			}
			at[rep][i] = Cell{humanize.Commaf(s.Values[j]), s.Values[j]}
		}
	}
	if len(at)*len(keys) > wideMost {
		return extremesTable(caption+"; each repetition is in the raw data", keys)
	}
	t := &Table{Caption: caption, Columns: []Column{{"repetition", true}}}
	for _, k := range keys {
		t.Columns = append(t.Columns, Column{k.Name, true})
	}
	for _, rep := range sortedKeys(at) {
		t.Rows = append(t.Rows, Row{Cells: append([]Cell{number(rep)}, at[rep]...)})
	}
	return t
}

func extremesTable(caption string, keys []Series2D) *Table {
	t := &Table{Caption: caption, Columns: []Column{{"key", false}, {"repetitions", true}, {"least", true}, {"median", true}, {"most", true}}}
	for _, k := range keys {
		t.Rows = append(t.Rows, Row{Cells: []Cell{
			{Text: k.Name}, number(float64(len(k.Y))), number(slices.Min(k.Y)), number(middle(k.Y)), number(slices.Max(k.Y)),
		}})
	}
	return t
}

func chanceCell(p float64) Cell { return Cell{fmt.Sprintf("%.2g", p), p} }
