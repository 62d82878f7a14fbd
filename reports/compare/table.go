package compare

import (
	"errors"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"
)

// Result is a comparison, as tables in the order of their first results.
type Result struct {
	Tables []*Table
	// Notes say what was compared, and what was not and why.
	Notes []string

	opts   Options
	fields []*benchproc.Field // of the keys of tables, .unit being the last
	cols   []benchproc.Key    // of all tables; the first is the base
}

// Table is the results of one unit under one configuration.
type Table struct {
	Config []string // "goos: linux"
	Unit   string   // in base units: sec/op, B/s
	Better int      // +1: more is better; -1: less is; 0: not known
	Exact  bool     // values are counts without noise (Unit ... assume=exact)
	Cols   []string // those that have something in this table
	Rows   []*Row

	alpha    float64
	assume   benchmath.Assumption
	key      benchproc.Key
	cols     []benchproc.Key // as Cols
	rows     []benchproc.Key // as Rows
	geomeans []geomean       // as Cols
}

// Row is one benchmark.
type Row struct {
	Name  string
	Cells []*Cell // as Table.Cols; nil where nothing was measured
}

// Cell is what one column measured of one benchmark.
type Cell struct {
	N              int
	Center, Lo, Hi float64 // the median and its interval; of exact values the mode and the range

	// The rest compares with the first cell of the row, where there is one.

	Verdict Verdict
	// P is of a Mann-Whitney U test, not corrected for the number of rows; 0
	// for exact values. It is benchstat's, but for ties between samples of
	// unequal size, where benchstat's is wrong.
	P float64
	// Delta is the change relative to the base: 0.1 is a tenth more, +Inf
	// anything where nothing was. Exact values that vary are compared by
	// their worst.
	Delta float64
	// Within bounds Delta by the intervals of both cells. Both are zero where
	// there is no such bound.
	Within [2]float64

	values     []float64 // in the order of the input
	sample     *benchmath.Sample
	summary    benchmath.Summary
	comparison benchmath.Comparison
	base       *Cell
}

// Verdict says what a comparison showed, as a word that can be printed.
type Verdict string

const (
	Better  Verdict = "better"
	Worse   Verdict = "worse"
	Differs Verdict = "differs" // which is better is not known of this unit
	Same    Verdict = "no difference shown"
	TooFew  Verdict = "too few samples" // no difference was shown, and none could have been
)

// fill makes rows, cells and geomeans out of values.
func (t *Table) fill(from *cells, thresholds *benchmath.Thresholds, confidence float64) {
	t.rows = sorted(from.rows)
	for _, key := range t.rows {
		row := &Row{Name: key.StringValues(), Cells: make([]*Cell, len(t.cols))}
		for i, col := range t.cols {
			if values := from.values[place{key, col}]; len(values) > 0 {
				row.Cells[i] = t.cell(values, thresholds, confidence)
				row.Cells[i].vary(from.residues[place{key, col}])
			}
		}
		for _, c := range row.Cells[1:] {
			if c != nil && row.Cells[0] != nil {
				t.compare(row.Cells[0], c)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	for i := range t.cols {
		t.geomeans = append(t.geomeans, t.geomean(i))
	}
}

func (t *Table) cell(values []float64, thresholds *benchmath.Thresholds, confidence float64) *Cell {
	c := &Cell{N: len(values), values: values}
	c.sample = benchmath.NewSample(slices.Clone(values), thresholds) // it sorts
	c.summary = t.assume.Summary(c.sample, confidence)
	c.Center, c.Lo, c.Hi = c.summary.Center, c.summary.Lo, c.summary.Hi
	return c
}

// vary warns where results of one cell are of different things.
func (c *Cell) vary(residues map[benchproc.Key]bool) {
	var names []string
	for _, field := range benchproc.NonSingularFields(sorted(residues)) {
		names = append(names, field.Name)
	}
	if len(names) > 0 {
		c.sample.Warnings = append(c.sample.Warnings, errors.New("benchmarks vary in "+strings.Join(names, ", ")))
	}
}

func (t *Table) compare(base, c *Cell) {
	c.base = base
	c.comparison = t.assume.Compare(base.sample, c.sample)
	if c.P = c.comparison.P; !t.Exact {
		c.P = c.p()
	}
	c.Delta = change(t.worst(base), t.worst(c))
	if !t.Exact && base.Lo > 0 && c.Lo > 0 && !math.IsInf(base.Hi, 1) && !math.IsInf(c.Hi, 1) {
		c.Within = [2]float64{change(base.Hi, c.Lo), change(base.Lo, c.Hi)}
	}
	c.Verdict = t.verdict(c)
}

// worst is what a cell is judged by. A mode would hide one lost task among
// twenty repetitions.
func (t *Table) worst(c *Cell) float64 {
	switch {
	case t.Exact && t.Better < 0:
		return c.Hi
	case t.Exact && t.Better > 0:
		return c.Lo
	}
	return c.Center
}

// change is relative to |old|, so that its sign is that of now - old.
func change(old, now float64) float64 {
	switch {
	case old == now:
		return 0
	case old == 0:
		return math.Inf(int(math.Copysign(1, now)))
	}
	return math.Copysign(now/old-1, now-old)
}

func (t *Table) verdict(c *Cell) Verdict {
	switch direction := c.Delta * float64(t.Better); {
	case c.Delta != 0 && c.shown(t.alpha) && t.Better == 0:
		return Differs
	case c.Delta != 0 && c.shown(t.alpha) && direction > 0:
		return Better
	case c.Delta != 0 && c.shown(t.alpha):
		return Worse
	case t.Exact || c.smallestP() <= t.alpha && c.bounded():
		return Same
	}
	return TooFew
}

func (c *Cell) shown(alpha float64) bool { return c.P <= alpha }

// bounded reports whether both intervals are finite: from six samples, at 0.95.
func (c *Cell) bounded() bool {
	infinite := func(c *Cell) bool { return math.IsInf(c.Lo, 0) || math.IsInf(c.Hi, 0) }
	return !infinite(c) && !infinite(c.base)
}

// smallestP is the p of samples of these sizes that do not overlap at all: of
// all ways to divide the values, two are as extreme. Beyond 25 samples, where
// the test approximates (with ties; beyond 50 always), the greater of both.
func (c *Cell) smallestP() float64 {
	n, m := float64(c.N), float64(c.base.N)
	p := 2.0
	for i := 1.0; i <= n; i++ {
		p *= i / (m + i)
	}
	if max(n, m) <= exactN {
		return min(p, 1)
	}
	z := (n*m/2 - 0.5) / math.Sqrt(n*m*(n+m+1)/12)
	return max(p, math.Erfc(z/math.Sqrt2))
}

const exactN = 25

// geomean is the last row of a column, each part with whether there is one.
type geomean struct {
	center, ratio   float64
	isMean, isRatio bool
	warnings        []error
}

// geomean is of the ratios, not the ratio of geomeans: where a row is missing
// in one column, the latter would compare different benchmarks.
func (t *Table) geomean(i int) (g geomean) {
	var centers, ratios []float64
	bases, zero := 0, false
	for _, row := range t.Rows {
		c := row.Cells[i]
		if row.Cells[0] != nil {
			bases++
		}
		if c == nil {
			continue
		}
		centers = append(centers, c.Center)
		switch {
		case c.base == nil:
		case c.Center == c.base.Center: // 0/0 too
			ratios = append(ratios, 1)
		case c.base.Center == 0:
			zero, ratios = true, append(ratios, 0)
		default:
			ratios = append(ratios, c.Center/c.base.Center)
		}
	}
	if i > 0 && bases != len(ratios) {
		g.warnings = append(g.warnings, errors.New("benchmark set differs from baseline; geomeans may not be comparable"))
	}
	if g.center, g.isMean = meanOfLogs(centers); !g.isMean {
		g.warnings = append(g.warnings, errors.New("summaries must be >0 to compute geomean"))
	}
	if i > 0 && !zero {
		if g.ratio, g.isRatio = meanOfLogs(ratios); !g.isRatio {
			g.warnings = append(g.warnings, errors.New("ratios must be >0 to compute geomean"))
		}
	}
	return g
}

// meanOfLogs is the geometric mean by a running mean: a sum divided by n
// differs from benchstat in the last digits.
func meanOfLogs(xs []float64) (float64, bool) {
	mean := 0.0
	for i, x := range xs {
		if x <= 0 {
			return 0, false
		}
		mean += (math.Log(x) - mean) / float64(i+1)
	}
	return math.Exp(mean), len(xs) > 0 && !math.IsNaN(mean) // two infinite ratios
}
