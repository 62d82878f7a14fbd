package chart

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/exactlyonce/certify/reports"
)

// scatter draws points, and the lines through or between them.
type scatter struct {
	kind   reports.ChartKind
	series []series
	labels []label
}

// label stands at the right of the plot.
type label struct {
	text string
	at   float64 // on Y, of the rightmost point of its series
}

// labelSize is that of labels, and labelLine the least distance of two.
const (
	labelSize = vg.Length(10)
	labelLine = vg.Length(12)
	labelMost = vg.Length(220)
)

func points(c *reports.Chart, all []series, notes []string) *figure {
	xLo, xHi, yLo, yHi := limits(all)
	x, y := newScale(c.X, xLo, xHi, 6, false, whole(all)), newScale(c.Y, yLo, yHi, 5, true, false)
	notes = append(notes, thin(all, most)...)
	s := scatter{kind: c.Kind, series: all}
	notes = append(notes, s.fitted(c)...)
	f := &figure{width: narrow, height: 195, yLabel: c.Y.Label, notes: notes}
	if len(all) > 1 {
		f.right = s.label()
		f.width = width
		f.height = max(f.height, labelLine*vg.Length(len(all))+80)
	}
	f.height += noteLine * vg.Length(len(notes))
	f.plot = newPlot(x, y, c.X.Label, false)
	f.plot.Add(s)
	return f
}

// whole tells whether each x is a whole number, as those of repetitions are.
func whole(all []series) bool {
	return !slices.ContainsFunc(all, func(s series) bool {
		return slices.ContainsFunc(s.x, func(x float64) bool { return x != math.Trunc(x) })
	})
}

// limits are those of all points.
func limits(all []series) (xLo, xHi, yLo, yHi float64) {
	xLo, xHi, yLo, yHi = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, s := range all {
		xLo, xHi = min(xLo, slices.Min(s.x)), max(xHi, slices.Max(s.x))
		yLo, yHi = min(yLo, slices.Min(s.y)), max(yHi, slices.Max(s.y))
	}
	return xLo, xHi, yLo, yHi
}

// fitted takes away the lines that cannot be drawn.
func (s scatter) fitted(c *reports.Chart) (notes []string) {
	lines, bands := 0, 0
	for i := range s.series {
		l := s.series[i].line
		if l == nil {
			continue
		}
		if c.X.Log || c.Y.Log || !small(l.Offset, l.Slope) {
			s.series[i].line, lines = nil, lines+1
		} else if !small(l.Low, l.High) {
			bands++
		}
	}
	if lines > 0 {
		notes = append(notes, count(lines, "fitted line")+" not drawn: not finite, or not straight on these axes.")
	}
	if bands > 0 {
		notes = append(notes, "Line without its band: too few points to bound the slope.")
	}
	return notes
}

// small tells numbers that can be multiplied by a coordinate.
func small(all ...float64) bool {
	return !slices.ContainsFunc(all, func(v float64) bool { return math.IsNaN(v) || math.Abs(v) > 1e150 })
}

// label names the series and returns the room for that.
func (s *scatter) label() (room vg.Length) {
	sty := write(ink, labelSize, false)
	for _, one := range s.series {
		last := slices.Index(one.x, slices.Max(one.x))
		l := label{fit(sty, one.name, labelMost), one.y[last]}
		s.labels = append(s.labels, l)
		room = max(room, sty.Width(l.text))
	}
	return room + 14
}

// Plot is called by the plot that s was added to.
func (s scatter) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for i, one := range s.series {
		at := make([]vg.Point, len(one.x))
		for j := range one.x {
			at[j] = vg.Point{X: toX(one.x[j]), Y: toY(one.y[j])}
		}
		if s.kind == reports.Lines {
			joined(c, i, at)
			continue
		}
		col, _ := look(i)
		for _, pt := range at {
			c.DrawGlyphNoClip(glyph(i, col.alpha(170)), pt)
		}
		if one.line != nil {
			trendLine(c, p, one)
		}
	}
	s.name(c, toY)
}

// joined draws one series of kind Lines, with its points while they are few.
func joined(c draw.Canvas, i int, at []vg.Point) {
	slices.SortStableFunc(at, func(a, b vg.Point) int { return cmp.Compare(a.X, b.X) })
	col, dash := look(i)
	c.StrokeLines(stroke(col.solid(), 1.6, dash), at)
	if len(at) > 40 {
		return
	}
	for _, pt := range at {
		c.DrawGlyphNoClip(glyph(i, col.solid()), pt)
	}
}

// trendLine draws the fitted line of s, and the band of its slopes, which turn
// about the middle of the points.
func trendLine(c draw.Canvas, p *plot.Plot, s series) {
	toX, toY := p.Transforms(&c)
	l, from, to := s.line, slices.Min(s.x), slices.Max(s.x)
	middle := quantile(slices.Sorted(slices.Values(s.x)), 0.5)
	on := func(slope, x float64) vg.Point {
		return vg.Point{X: toX(x), Y: toY(l.Offset + l.Slope*middle + slope*(x-middle))}
	}
	if small(l.Low, l.High) && from < to {
		pivot := on(0, middle)
		for _, end := range []float64{from, to} {
			c.FillPolygon(colour[1].alpha(45), c.ClipPolygonXY([]vg.Point{pivot, on(l.Low, end), on(l.High, end)}))
		}
	}
	c.StrokeLines(stroke(colour[1].solid(), 1.6, nil), c.ClipLinesXY([]vg.Point{on(l.Slope, from), on(l.Slope, to)})...)
}

// name writes the labels beside the ends of their series, pushed apart where they
// would overlap.
func (s scatter) name(c draw.Canvas, toY func(float64) vg.Length) {
	order := make([]int, len(s.labels))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.labels[b].at, s.labels[a].at) })
	next := c.Max.Y
	for n, i := range order {
		last := c.Min.Y + labelLine*vg.Length(len(order)-1-n) // room for those below
		y := max(min(toY(s.labels[i].at), next), last)
		next = y - labelLine
		col, _ := look(i)
		c.DrawGlyphNoClip(glyph(i, col.solid()), vg.Point{X: c.Max.X + 7, Y: y})
		c.FillText(write(ink, labelSize, false), vg.Point{X: c.Max.X + 13, Y: y - 3.3}, s.labels[i].text)
	}
}
