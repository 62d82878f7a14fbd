package compare

import (
	"encoding/csv"
	"fmt"
	"io"

	"golang.org/x/perf/benchproc"
)

// WriteCSV writes what `benchstat -format csv` writes, and its warnings, each
// with its cell as in a spreadsheet, to the second writer.
func (r *Result) WriteCSV(w, warnings io.Writer) error {
	out := &sheet{csv: csv.NewWriter(w), warnings: warnings}
	for i, t := range r.Tables {
		if i > 0 {
			out.end()
		}
		for _, field := range r.fields {
			if field.Name != ".unit" && (i == 0 || t.key.Get(field) != r.Tables[i-1].key.Get(field)) {
				out.add(fmt.Sprintf("%s: %s", field.Name, t.key.Get(field)))
				out.end()
			}
		}
		out.table(t)
	}
	out.csv.Flush()
	if err := out.csv.Error(); err != nil {
		return fmt.Errorf("compare: write: %w", err)
	}
	return nil
}

// sheet is the file as it grows.
type sheet struct {
	csv      *csv.Writer
	warnings io.Writer
	row      []string
	ended    int // rows
}

func (s *sheet) add(fields ...string) { s.row = append(s.row, fields...) }

// to goes on at a column, which is never before the present one.
func (s *sheet) to(col int) {
	for len(s.row) < col {
		s.row = append(s.row, "")
	}
}

func (s *sheet) end() {
	if len(s.row) == 0 {
		s.row = append(s.row, "")
	}
	s.csv.Write(s.row) // an error stays, for Error
	s.row = s.row[:0]
	s.ended++
}

// warn names the next cell as benchstat does, which after Z goes on with BA.
func (s *sheet) warn(warnings []error) {
	name := ""
	for x := len(s.row); x > 0; x /= 26 {
		name = string(rune('A'+x%26)) + name
	}
	if name == "" {
		name = "A"
	}
	for _, w := range warnings {
		fmt.Fprintf(s.warnings, "%s%d: %s\n", name, s.ended+1, w)
	}
}

// start is the first of a column's cells: center and interval, and from the
// second column on change and p.
func start(col int) int { return max(1, 4*col-1) }

func (s *sheet) table(t *Table) {
	for _, field := range t.cols[0].Projection().FlattenedFields() {
		s.keys(t, field)
	}
	for i := range t.Cols {
		s.to(start(i))
		s.add(t.Unit, "CI")
		if i > 0 {
			s.add("vs base", "P")
		}
	}
	s.end()
	for _, row := range t.Rows {
		s.add(row.Name)
		for i, c := range row.Cells {
			if c != nil {
				s.to(start(i))
				s.cell(c)
			}
		}
		s.end()
	}
	s.geomeans(t)
}

func (s *sheet) keys(t *Table, field *benchproc.Field) {
	for i, col := range t.cols {
		s.to(start(i))
		s.add(col.Get(field))
	}
	s.to(start(len(t.cols)))
	s.end()
}

func (s *sheet) cell(c *Cell) {
	s.warn(c.sample.Warnings)
	s.warn(c.summary.Warnings)
	s.add(fmt.Sprint(c.Center), c.summary.PctRangeString())
	if c.base != nil {
		s.warn(c.comparison.Warnings)
		s.add(c.comparison.FormatDelta(c.base.Center, c.Center), c.comparison.String())
	}
}

func (s *sheet) geomeans(t *Table) {
	s.add("geomean")
	for i, g := range t.geomeans {
		s.to(start(i))
		s.warn(g.warnings)
		if g.isMean {
			s.add(fmt.Sprint(g.center))
		}
		if i > 0 {
			s.to(start(i) + 2)
			s.add(percent(g))
		}
	}
	s.to(start(len(t.cols)))
	s.end()
}

func percent(g geomean) string {
	if !g.isRatio {
		return "?"
	}
	return fmt.Sprintf("%+.2f%%", (g.ratio-1)*100)
}
