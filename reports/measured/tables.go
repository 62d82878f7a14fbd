package measured

import (
	"fmt"
	"math"

	"github.com/exactlyonce/certify/reports"
)

// tables has a table a family: a row a case, a column a unit.
func tables(_ Input, families []*family) (blocks []reports.Block, err error) {
	for _, f := range families {
		t := &reports.Table{
			Caption: f.title("") + ": medians, with their intervals at 95 %",
			Columns: []reports.Column{{Name: "case"}, {Name: "samples", Numeric: true}},
		}
		for _, u := range f.units {
			t.Columns = append(t.Columns, reports.Column{Name: u, Numeric: true})
		}
		for _, c := range f.cases {
			t.Rows = append(t.Rows, reports.Row{Cells: append(caseHead(c), unitCells(c, f.units)...)})
		}
		blocks = append(blocks, t)
	}
	if len(blocks) > 0 {
		blocks = append([]reports.Block{reports.Text("A benchmark measures one case under artificial load. Medians of the samples, in benchstat's numbers; \u00b1 is the interval at 95 %, which needs six samples.")}, blocks...)
	}
	return blocks, nil
}

func caseHead(c *oneCase) []reports.Cell {
	most := 0
	for _, cell := range c.cells {
		most = max(most, cell.N)
	}
	name := c.joined(func(param) bool { return true })
	if name == "" {
		name = "(the only one)"
	}
	return []reports.Cell{{Text: name}, {Text: fmt.Sprint(most), Value: float64(most)}}
}

func unitCells(c *oneCase, units []string) (cells []reports.Cell) {
	for _, u := range units {
		if cell := c.cells[u]; cell != nil {
			cells = append(cells, reports.Cell{Text: c.texts[u], Value: cell.Center})
		} else {
			cells = append(cells, none())
		}
	}
	return cells
}

func none() reports.Cell { return reports.Cell{Text: "none", Value: math.NaN()} }
