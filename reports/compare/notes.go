package compare

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchproc"
	"golang.org/x/perf/benchunit"
)

// pair is a row as the base and one other column have it; nil where it is
// missing.
type pair struct {
	table    *Table
	row      *Row
	col      benchproc.Key
	base, to *Cell
}

// pairs yields what each column has or lacks beside the base of all tables. A
// table that the base has no part in compares its own columns, as benchstat
// does; here they are rows that the base lacks.
func (r *Result) pairs() (all []pair) {
	for _, col := range r.cols[1:] {
		for _, t := range r.Tables {
			b, c := slices.Index(t.cols, r.cols[0]), slices.Index(t.cols, col)
			for _, row := range t.Rows {
				p := pair{table: t, row: row, col: col, base: row.at(b), to: row.at(c)}
				if p.base != nil || p.to != nil {
					all = append(all, p)
				}
			}
		}
	}
	return all
}

func (r *Row) at(i int) *Cell {
	if i < 0 {
		return nil
	}
	return r.Cells[i]
}

// notes counts the rows that were compared and says why others were not.
func notes(r *Result) (all []string) {
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if len(r.cols) == 1 {
		say("one column only: nothing to compare")
	}
	pairs, otherwise := r.pairs(), 0
	for _, col := range r.cols[1:] {
		common, gone, extra := 0, map[measure]bool{}, map[measure]bool{}
		for _, p := range pairs {
			switch {
			case p.col != col:
			case p.to == nil:
				gone[measure{p.row.Name, p.table.Unit}] = true
			case p.base == nil:
				extra[measure{p.row.Name, p.table.Unit}] = true
			default:
				common++
				otherwise += p.to.otherwise(p.table.alpha)
			}
		}
		base, name := r.cols[0].StringValues(), col.StringValues()
		say("%s against %s: rows compared: %d; only in %s: %d; only in %s: %d", name, base, common, base, len(gone), name, len(extra))
		if n := sameButForProcs(gone, extra); n > 0 {
			say("%s against %s: rows that differ in the -N of their names (GOMAXPROCS) only, and are not compared: %d; ignore the CPU to compare them", name, base, n)
		}
	}
	all = append(all, r.splits()...)
	for _, t := range r.Tables {
		if _, tidy := benchunit.Tidy(1, t.Unit); tidy != t.Unit {
			say("values of 0 %s stand apart from %s, as in benchstat, and are not compared with it", t.Unit, tidy)
		}
	}
	if otherwise > 0 {
		say("rows with another verdict than in benchstat: %d; its p is wrong for ties between samples of unequal size", otherwise)
	}
	return slices.Compact(all) // tables under several configurations say the same
}

// otherwise is 1 where benchstat comes to another conclusion.
func (c *Cell) otherwise(alpha float64) int {
	if (c.P <= alpha) != (c.comparison.P <= alpha) {
		return 1
	}
	return 0
}

// splits names the keys in whose values columns differ: each value is a table
// of its own, so that nothing is compared across.
func (r *Result) splits() (all []string) {
	for _, field := range r.fields {
		if field.Name == ".unit" {
			continue
		}
		base, hint := r.values(r.cols[0], field), ""
		if field.Name == "cpu" {
			hint = "; ignore the CPU to compare them"
		}
		for _, col := range r.cols[1:] {
			if have := r.values(col, field); !slices.Equal(base, have) {
				all = append(all, fmt.Sprintf("%s differs: %q in %s, %q in %s: what differs is not compared%s",
					field.Name, base, r.cols[0].StringValues(), have, col.StringValues(), hint))
			}
		}
	}
	return all
}

// values are those that a key has in a column, sorted.
func (r *Result) values(col benchproc.Key, field *benchproc.Field) (all []string) {
	for _, t := range r.Tables {
		if slices.Contains(t.cols, col) {
			all = append(all, t.key.Get(field))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// measure is a row, under whatever configuration.
type measure struct{ name, unit string }

// sameButForProcs counts the rows of gone that extra has with another -N.
func sameButForProcs(gone, extra map[measure]bool) (n int) {
	names := map[measure]bool{}
	for row := range extra {
		names[row.withoutProcs()] = true
	}
	for row := range gone {
		if names[row.withoutProcs()] && !extra[row] {
			n++
		}
	}
	return n
}

func (m measure) withoutProcs() measure {
	short := strings.TrimRight(m.name, "0123456789")
	if short != m.name && strings.HasSuffix(short, "-") {
		m.name = short[:len(short)-1]
	}
	return m
}
