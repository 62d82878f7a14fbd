package reports

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/exactlyonce/certify/reports/compare"
)

// Compared shows a comparison in benchstat's numbers, a table a unit, with how it
// was computed and what it does not say. Columns are what the word says: queue, or
// run.
func Compared(res *compare.Result, columns string) (blocks []Block) {
	others := map[string]bool{}
	for _, t := range res.Tables {
		for _, name := range t.Cols[1:] {
			others[name] = true
		}
	}
	for _, t := range res.Tables {
		if shown := comparedTable(res, t, columns, len(others) > 1); t.Cols[0] == res.Base() && len(shown.Rows) > 0 {
			blocks = append(blocks, shown)
		}
	}
	if len(blocks) == 0 {
		return []Block{Text("Nothing could be compared. " + strings.Join(res.Notes, ". ") + ".")}
	}
	notes := slices.DeleteFunc(slices.Clone(res.Notes), whole.MatchString)
	notes = append(notes,
		"Medians with their intervals at 95 %. A delta is shown where p of a Mann-Whitney U test is at most 0.05, else there is a ~: no difference was shown, or with fewer than six samples none could have been. "+
			"p is not corrected for the number of rows: of a hundred without any change some five show one. Nothing here is a gate and no verdict rests on it; certify compare --gate corrects (Holm)")
	return append(blocks, Text(strings.Join(notes, ". ")+"."))
}

// whole is the note of columns of which nothing was left out.
var whole = regexp.MustCompile(`only in [^;]*: 0; only in [^;]*: 0$`)

// comparedTable has a row for each benchmark in each column beside the base. Where
// there are several columns it names them, and leaves out what only one side has,
// which is much where kinds of back ends differ in what they can do.
func comparedTable(res *compare.Result, t *compare.Table, columns string, several bool) *Table {
	caption := t.Unit + ", against " + plain(t.Cols[0])
	if word := map[int]string{1: "more", -1: "less"}[t.Better]; word != "" {
		caption = fmt.Sprintf("%s: %s is better", caption, word)
	}
	if config := ownConfig(res, t); len(config) > 0 {
		caption += " (" + strings.Join(config, ", ") + ")"
	}
	shown := &Table{Caption: caption, Columns: []Column{{"benchmark", false}}}
	if several {
		shown.Columns = append(shown.Columns, Column{columns, false})
	}
	shown.Columns = append(shown.Columns, Column{plain(t.Cols[0]), true}, Column{"median", true}, Column{"delta", true}, Column{"within", true}, Column{"p", true}, Column{"n", true}, Column{"shown", false})
	if !several && len(t.Cols) == 2 {
		shown.Columns[2].Name = plain(t.Cols[1])
	}
	shared := sharedParts(t)
	if len(shared) > 0 {
		shown.Caption += ". All of them: " + strings.Join(shared, "/")
	}
	for i := 1; i < len(t.Cols); i++ {
		for _, l := range t.Lines(i) {
			cells := []Cell{{Text: own(l.Name, shared)}}
			if several && l.Delta == "" {
				continue
			}
			if several {
				cells = append(cells, Cell{Text: plain(t.Cols[i])})
			}
			shown.Rows = append(shown.Rows, Row{Cells: append(cells, lineCells(l)...)})
		}
	}
	return shown
}

// parts are those of the name of a benchmark, or of a key.
func parts(name string) []string { return strings.Split(strings.TrimPrefix(name, "Soak/drill="), "/") }

// sharedParts are those that all rows have, while something is left of each.
func sharedParts(t *compare.Table) []string {
	if len(t.Rows) < 2 {
		return nil
	}
	shared := parts(t.Rows[0].Name)
	for _, row := range t.Rows[1:] {
		have := parts(row.Name)
		shared = slices.DeleteFunc(shared, func(p string) bool { return !slices.Contains(have, p) })
	}
	return shared
}

// own is a name without the shared parts, unless that is nothing.
func own(name string, shared []string) string {
	left := slices.DeleteFunc(parts(name), func(p string) bool { return slices.Contains(shared, p) })
	if len(left) == 0 {
		left = parts(name)
	}
	return strings.Join(left, "/")
}

// ownConfig is the configuration of t that not all tables have.
func ownConfig(res *compare.Result, t *compare.Table) (own []string) {
	for _, line := range t.Config {
		if slices.ContainsFunc(res.Tables, func(other *compare.Table) bool { return !slices.Contains(other.Config, line) }) {
			own = append(own, line)
		}
	}
	return own
}

func lineCells(l compare.Line) []Cell {
	value := func(text string, c *compare.Cell, of func(*compare.Cell) float64) Cell {
		if c == nil || text == "" {
			return Cell{text, math.NaN()}
		}
		return Cell{text, of(c)}
	}
	center := func(c *compare.Cell) float64 { return c.Center }
	within, words := "", l.Words
	if head, bounds, ok := strings.Cut(l.Words, " (within "); ok {
		words, within = head, strings.ReplaceAll(strings.TrimSuffix(bounds, ")"), "..", " to ")
	}
	return []Cell{
		value(l.Base, l.BaseCell, center), value(l.Value, l.Cell, center),
		value(l.Delta, l.Cell, func(c *compare.Cell) float64 { return c.Delta }), value(within, l.Cell, func(c *compare.Cell) float64 { return c.Within[0] }), value(l.P, l.Cell, func(c *compare.Cell) float64 { return c.P }),
		value(l.N, l.Cell, func(c *compare.Cell) float64 { return float64(c.N) }), {Text: words},
	}
}

// plain names a column whose name is the values of several keys.
func plain(col string) string { return strings.ReplaceAll(col, " ", "/") }
