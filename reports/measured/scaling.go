package measured

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/exactlyonce/certify/reports"
)

// axes are the keys over whose numbers lines are drawn. An axis of several is
// where all of them have one value.
var axes = [][]string{{"p"}, {"c"}, {"p", "c"}, {"workers"}, {"thieves"}, {"producers"}, {"consumers"}, {"threads"}, {maxprocs}}

// timeUnit is what lines are drawn of, as a rate.
const timeUnit = "sec/op"

// scaling has a chart for each axis along which cases differ in nothing else but
// their back end.
func scaling(_ Input, families []*family) (blocks []reports.Block, err error) {
	for _, f := range families {
		for _, axis := range axes {
			for _, l := range f.along(axis) {
				if c := l.chart(f, axis); len(c.Series) > 0 {
					blocks = append(blocks, c)
				}
			}
		}
	}
	return blocks, nil
}

// lines are those of one chart, by back end in the order of the file.
type lines struct {
	rest     string
	backends []string
	points   map[string][]point
}

type point struct {
	x    float64
	of   *oneCase
	rate float64 // operations a second
}

func (f *family) along(axis []string) (all []*lines) {
	at := map[string]*lines{}
	for _, c := range f.cases {
		x, ok := c.at(axis)
		cell := c.cells[timeUnit]
		if !ok || cell == nil || !(cell.Center > 0) {
			continue
		}
		rest := c.joined(func(p param) bool { return !isBackend(p) && !slices.Contains(axis, p.name) })
		l := at[rest]
		if l == nil {
			l = &lines{rest: rest, points: map[string][]point{}}
			at[rest], all = l, append(all, l)
		}
		name := c.backend()
		if l.points[name] == nil {
			l.backends = append(l.backends, name)
		}
		l.points[name] = append(l.points[name], point{x, c, 1 / cell.Center})
	}
	return all
}

// at is where c is on an axis. A name without GOMAXPROCS at its end is of one.
func (c *oneCase) at(axis []string) (x float64, ok bool) {
	for i, key := range axis {
		at := slices.IndexFunc(c.params, func(p param) bool { return p.name == key })
		v := 1.0
		if at >= 0 {
			var err error
			if v, err = strconv.ParseFloat(c.params[at].value, 64); err != nil {
				return 0, false
			}
		} else if key != maxprocs {
			return 0, false
		}
		if i > 0 && v != x {
			return 0, false
		}
		x = v
	}
	return x, true
}

func (l *lines) chart(f *family, axis []string) *reports.Chart {
	by := strings.Join(axis, "=")
	c := &reports.Chart{
		Title: "By " + by + ": " + f.title(l.rest), About: "Operations a second by the median time of one; a line a back end. More is better.",
		Kind: reports.Lines, X: reports.Axis{Label: by}, Y: reports.Axis{Label: "operations a second", Unit: "ops/s"},
		Table: &reports.Table{
			Caption: "Operations a second by " + by,
			Columns: []reports.Column{{Name: "back end"}, {Name: by, Numeric: true}, {Name: "operations a second", Numeric: true}, {Name: "time of one", Numeric: true}, {Name: "samples", Numeric: true}},
		},
	}
	for _, name := range l.backends {
		points := l.points[name]
		slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(a.x, b.x) })
		if points[0].x == points[len(points)-1].x {
			continue // nothing to join
		}
		one := reports.Series2D{Name: name}
		for _, p := range points {
			one.X, one.Y = append(one.X, p.x), append(one.Y, p.rate)
			cell := p.of.cells[timeUnit]
			c.Table.Rows = append(c.Table.Rows, reports.Row{Cells: []reports.Cell{
				{Text: name}, {Text: fmt.Sprint(p.x), Value: p.x}, {Text: fmt.Sprintf("%.4g", p.rate), Value: p.rate},
				{Text: p.of.texts[timeUnit], Value: cell.Center}, {Text: fmt.Sprint(cell.N), Value: float64(cell.N)},
			}})
		}
		c.Series = append(c.Series, one)
	}
	return c
}
