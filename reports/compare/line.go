package compare

import (
	"fmt"

	"golang.org/x/perf/benchunit"
)

// Line is a row of a table as people read it: one column beside the base.
type Line struct {
	Name        string
	Base, Value string // median and interval, in the scale of the row; "-" where there is none
	// Delta is ~ where no difference is shown. It is empty, like P, where there is
	// nothing to compare with.
	Delta, P, N string
	Words       string // the verdict with what it rests on
	// Cell is that of the column, and BaseCell of the base; nil where nothing was
	// measured.
	Cell, BaseCell *Cell
}

// Lines are the rows of which column i or the base has something. Column 0 is the
// base alone. It panics where there is no such column.
func (t *Table) Lines(i int) (all []Line) {
	for _, row := range t.Rows {
		old, now := row.Cells[0], row.Cells[i]
		if old == nil && now == nil {
			continue
		}
		scale := benchunit.CommonScale(row.centers(), benchunit.ClassOf(t.Unit))
		l := Line{Name: row.Name, Base: old.value(scale), Value: now.value(scale), Cell: now, BaseCell: old}
		switch {
		case now == nil:
			l.N, l.Words = fmt.Sprint(old.N), "only in "+t.Cols[0]
		case i == 0:
			l.N = fmt.Sprint(now.N)
		case old == nil:
			l.N, l.Words = fmt.Sprint(now.N), "only in "+t.Cols[i]
		default:
			t.compared(&l, now)
		}
		all = append(all, l)
	}
	return all
}

func (t *Table) compared(l *Line, c *Cell) {
	if l.N = fmt.Sprint(c.N); c.N != c.base.N {
		l.N = fmt.Sprintf("%d+%d", c.base.N, c.N)
	}
	if l.Delta = "~"; c.shown(t.alpha) {
		l.Delta = formatChange(c.Delta)
	}
	if l.P = fmt.Sprintf("%.3f", c.P); t.Exact {
		l.P = "exact"
	}
	l.Words = t.words(c)
}

// Text is the median with its interval, as WriteText shows it in a scale.
func (c *Cell) Text(scale benchunit.Scaler) string { return c.value(scale) }
