package measured

import (
	"fmt"
	"slices"

	"github.com/exactlyonce/certify/reports"
)

// Short are the sections that a summary has room for: charts, and of comparisons
// the rows that show a difference, without the tables of all that was measured.
func Short(all []reports.Section) (short []reports.Section) {
	for _, s := range all {
		switch s.ID {
		case "bench":
			continue
		case "bench-mutex", "bench-before":
			s.Blocks = differences(s.Blocks)
		}
		short = append(short, s)
	}
	return short
}

func differences(blocks []reports.Block) (short []reports.Block) {
	for _, b := range blocks {
		t, ok := b.(*reports.Table)
		if !ok {
			short = append(short, b)
			continue
		}
		delta := slices.IndexFunc(t.Columns, func(c reports.Column) bool { return c.Name == "delta" })
		shown := &reports.Table{Columns: t.Columns}
		for _, r := range t.Rows {
			if text := r.Cells[delta].Text; text != "" && text != "~" {
				shown.Rows = append(shown.Rows, r)
			}
		}
		if shown.Caption = fmt.Sprintf("%s. %d of %d rows show a difference", t.Caption, len(shown.Rows), len(t.Rows)); len(shown.Rows) == 0 {
			short = append(short, reports.Text(shown.Caption+"."))
			continue
		}
		short = append(short, shown)
	}
	return short
}
