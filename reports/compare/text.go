package compare

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/perf/benchunit"
)

// WriteText writes the tables for people, one for each column that is compared
// with the base, the notes, and how it was computed.
func (r *Result) WriteText(w io.Writer) error {
	var b strings.Builder
	var config []string
	for _, t := range r.Tables {
		if b.Len() == 0 || !slices.Equal(config, t.Config) {
			config = t.Config
			for _, c := range config {
				fmt.Fprintln(&b, printable(c))
			}
			if len(config) > 0 {
				fmt.Fprintln(&b)
			}
		}
		for i := range t.Cols {
			if i > 0 || len(t.Cols) == 1 {
				fmt.Fprintln(&b, t.grid(i))
			}
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintln(&b, printable(n))
	}
	fmt.Fprintf(&b, "median ± interval at %v %%; p: Mann-Whitney U, not corrected for the number of rows; shown where p <= %v.\n"+
		"p is exact to n=50, with ties to n=25, and approximated above.\n", 100*r.opts.Confidence, r.opts.Alpha)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("compare: write: %w", err)
	}
	return nil
}

// grid is the table of column i beside the first; of the first alone where
// there is no other.
func (t *Table) grid(i int) grid {
	g := grid{{t.Unit + t.direction(), t.Cols[0], t.Cols[i], "delta", "p", "n", "verdict"}}
	if i == 0 {
		g = grid{{t.Unit + t.direction(), t.Cols[0], "n"}}
	}
	for _, l := range t.Lines(i) {
		line := []string{l.Name, l.Base, l.Value, l.Delta, l.P, l.N, l.Words}
		if i == 0 {
			line = []string{l.Name, l.Value, l.N}
		}
		g = append(g, line)
	}
	if len(g) > 2 {
		g = append(g, t.means(i, benchunit.ClassOf(t.Unit)))
	}
	return g
}

func (t *Table) means(i int, class benchunit.Class) []string {
	mean := func(g geomean) string {
		if !g.isMean {
			return ""
		}
		return benchunit.Scale(g.center, class)
	}
	line := []string{"geomean", mean(t.geomeans[0])}
	if i > 0 {
		line = append(line, mean(t.geomeans[i]), percent(t.geomeans[i]))
	}
	return line
}

func (t *Table) direction() string {
	switch {
	case t.Better > 0:
		return " (more is better)"
	case t.Better < 0:
		return " (less is better)"
	}
	return ""
}

func (r *Row) centers() (all []float64) {
	for _, c := range r.Cells {
		if c != nil {
			all = append(all, c.Center)
		}
	}
	return all
}

func (c *Cell) value(scale benchunit.Scaler) string {
	if c == nil {
		return "-"
	}
	return scale.Format(c.Center) + " ± " + c.summary.PctRangeString()
}

// words is the verdict with what it rests on.
func (t *Table) words(c *Cell) string {
	switch {
	case c.Verdict == Same && t.Exact:
		return "no difference"
	case c.Verdict == Same && c.Within != [2]float64{}:
		return fmt.Sprintf("%s (within %s..%s)", Same, formatChange(c.Within[0]), formatChange(c.Within[1]))
	}
	return string(c.Verdict) + c.need()
}

// need is what benchmath says of samples that are too few.
func (c *Cell) need() string {
	if c.Verdict == TooFew {
		for _, w := range slices.Concat(c.comparison.Warnings, c.base.summary.Warnings, c.summary.Warnings) {
			return ": " + w.Error()
		}
	}
	return ""
}

func formatChange(d float64) string {
	switch {
	case math.IsInf(d, 0):
		return "from 0"
	case d == 0:
		return "0.00%"
	}
	return fmt.Sprintf("%+.2f%%", 100*d)
}

// grid is lines of cells, in columns two blanks apart: the first and the last
// on the left, the others on the right.
type grid [][]string

func (g grid) String() string {
	var widths []int
	for _, line := range g {
		for i, cell := range line {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			line[i] = printable(cell)
			widths[i] = max(widths[i], utf8.RuneCountInString(line[i]))
		}
	}
	var b strings.Builder
	for _, line := range g {
		text := ""
		for i, cell := range line {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			switch {
			case i == 0:
				text = cell + pad
			case i == len(g[0])-1:
				text += "  " + cell
			default:
				text += "  " + pad + cell
			}
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	return b.String()
}

// printable keeps a name from moving somebody's cursor.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}
