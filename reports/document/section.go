package document

import (
	"math"

	"github.com/exactlyonce/certify/reports"
)

// Section is a reports.Section.
type Section struct {
	ID     string  `json:"id"`
	Title  string  `json:"title"`
	Blocks []Block `json:"blocks"`
}

// Block is of one kind; what belongs to others is null.
type Block struct {
	Kind  string  `json:"kind"` // text, code, table or chart
	Text  *string `json:"text"` // of text and code
	Table *Table  `json:"table"`
	Chart *Chart  `json:"chart"`
}

// Table is a reports.Table.
type Table struct {
	Caption string   `json:"caption"`
	Columns []Column `json:"columns"`
	Rows    []Row    `json:"rows"`
}

// Column is a reports.Column.
type Column struct {
	Name    string `json:"name"`
	Numeric bool   `json:"numeric"`
}

// Row has a text a column, and a value where the column is numeric and the value
// known.
type Row struct {
	ID     string     `json:"id"`
	Texts  []string   `json:"texts"`
	Values []*float64 `json:"values"`
}

// Chart is a reports.Chart without its picture. Its table is beside it.
type Chart struct {
	Title  string   `json:"title"`
	About  string   `json:"about"`
	Kind   string   `json:"kind"`
	X      Axis     `json:"x"`
	Y      Axis     `json:"y"`
	Series []Series `json:"series"`
}

// Axis is a reports.Axis.
type Axis struct {
	Label string `json:"label"`
	Unit  string `json:"unit"`
	Log   bool   `json:"log"`
	Ticks []Tick `json:"ticks"`
}

// Tick is a reports.Tick.
type Tick struct {
	At   *float64 `json:"at"`
	Text string   `json:"text"`
}

// Series is a reports.Series2D.
type Series struct {
	Name string     `json:"name"`
	X    []*float64 `json:"x"`
	Y    []*float64 `json:"y"`
	Line *Line      `json:"line"`
}

// Line is a reports.FittedLine.
type Line struct {
	Offset *float64 `json:"offset"`
	Slope  *float64 `json:"slope"`
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
}

func sectionOf(from reports.Section) Section {
	s := Section{from.ID, from.Title, []Block{}}
	for _, b := range from.Blocks {
		switch b := b.(type) {
		case reports.Text:
			text := string(b)
			s.Blocks = append(s.Blocks, Block{Kind: "text", Text: &text})
		case reports.Code:
			text := string(b)
			s.Blocks = append(s.Blocks, Block{Kind: "code", Text: &text})
		case *reports.Table:
			if b != nil {
				s.Blocks = append(s.Blocks, Block{Kind: "table", Table: tableOf(b)})
			}
		case *reports.Chart:
			if b != nil {
				s.Blocks = append(s.Blocks, Block{Kind: "chart", Chart: chartOf(b), Table: tableOf(b.Table)})
			}
		}
	}
	return s
}

func tableOf(from *reports.Table) *Table {
	if from == nil {
		return nil
	}
	t := &Table{from.Caption, []Column{}, []Row{}}
	for _, c := range from.Columns {
		t.Columns = append(t.Columns, Column{c.Name, c.Numeric})
	}
	for _, r := range from.Rows {
		row := Row{r.ID, []string{}, []*float64{}}
		for i, c := range r.Cells {
			v := math.NaN()
			if i < len(from.Columns) && from.Columns[i].Numeric && c.Text != "none" {
				v = c.Value
			}
			row.Texts, row.Values = append(row.Texts, c.Text), append(row.Values, number(v))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

var kinds = map[reports.ChartKind]string{reports.Boxes: "boxes", reports.Points: "points", reports.Lines: "lines", reports.Panels: "panels"}

func chartOf(from *reports.Chart) *Chart {
	c := &Chart{from.Title, from.About, kinds[from.Kind], axisOf(from.X), axisOf(from.Y), []Series{}}
	for _, s := range from.Series {
		one := Series{Name: s.Name, X: all(s.X), Y: all(s.Y)}
		if l := s.Line; l != nil {
			one.Line = &Line{number(l.Offset), number(l.Slope), number(l.Low), number(l.High)}
		}
		c.Series = append(c.Series, one)
	}
	return c
}

func axisOf(from reports.Axis) Axis {
	a := Axis{from.Label, from.Unit, from.Log, []Tick{}}
	for _, t := range from.Ticks {
		a.Ticks = append(a.Ticks, Tick{number(t.At), t.Text})
	}
	return a
}

func all(v []float64) []*float64 {
	out := []*float64{}
	for _, x := range v {
		out = append(out, number(x))
	}
	return out
}
