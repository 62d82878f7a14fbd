package chart

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/exactlyonce/certify/reports"
)

// row is the height of a box with its name above it.
const row = vg.Length(42)

// boxNote states the method, as doc.go does.
const boxNote = "Box: quartiles of type 7 and the median. Whiskers: the last points within 1.5 box lengths. Dots: repetitions."

// box is the summary that a box plot shows.
//
// Invariant: low <= q1 <= median <= q3 <= high.
type box struct{ low, q1, median, q3, high float64 }

// summary returns the box of v, which is not empty.
func summary(v []float64) box {
	v = slices.Sorted(slices.Values(v))
	b := box{q1: quantile(v, 0.25), median: quantile(v, 0.5), q3: quantile(v, 0.75)}
	reach := 1.5 * (b.q3 - b.q1)
	b.low, b.high = b.q1, b.q3
	for _, x := range v {
		if x >= b.q1-reach && x < b.low {
			b.low = x
		}
		if x <= b.q3+reach && x > b.high {
			b.high = x
		}
	}
	return b
}

// quantile is that of type 7, of sorted values.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// boxPlot draws a row a series, the first on top.
type boxPlot struct {
	series []series
	boxes  []box // of all points, not only of those drawn
}

func boxes(c *reports.Chart, all []series, notes []string) *figure {
	b := boxPlot{series: all}
	slices.SortStableFunc(b.series, func(a, b series) int { return cmp.Compare(summary(a.y).median, summary(b.y).median) })
	lo, hi := b.series[0].y[0], b.series[0].y[0]
	for _, s := range b.series {
		b.boxes = append(b.boxes, summary(s.y))
		lo, hi = min(lo, slices.Min(s.y)), max(hi, slices.Max(s.y))
	}
	notes = append(append(notes, thin(b.series, most)...), boxNote)
	x := newScale(c.Y, lo, hi, 6, true, false)
	f := &figure{width: width, left: 12, right: 12, notes: notes}
	f.plot = newPlot(x, scale{min: 0, max: float64(len(all))}, c.Y.Label, true)
	f.plot.HideY()
	f.plot.Add(b)
	f.height = 2*crop + 34 + row*vg.Length(len(all)) + noteLine*vg.Length(len(notes))
	return f
}

// Plot is called by the plot that b was added to.
func (b boxPlot) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for i, s := range b.series {
		y := toY(float64(len(b.series)-i)) - 27
		sty := write(ink, 10.5, false)
		c.FillText(sty, vg.Point{X: c.Min.X + 4, Y: y + 14}, fit(sty, s.name, width-60))
		b.boxes[i].plot(c, toX, y)
		for j, v := range s.y {
			at := vg.Point{X: toX(v), Y: y + vg.Length(jitter(j))*14}
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: colour[0].alpha(150), Radius: 1.7, Shape: draw.CircleGlyph{}}, at)
		}
		c.StrokeLine2(stroke(ink.solid(), 2, nil), toX(b.boxes[i].median), y-10, toX(b.boxes[i].median), y+10)
	}
}

func (b box) plot(c draw.Canvas, toX func(float64) vg.Length, y vg.Length) {
	line := stroke(colour[0].solid(), 1, nil)
	corners := []vg.Point{{X: toX(b.q1), Y: y - 9}, {X: toX(b.q3), Y: y - 9}, {X: toX(b.q3), Y: y + 9}, {X: toX(b.q1), Y: y + 9}}
	c.FillPolygon(colour[0].alpha(40), corners)
	c.StrokeLines(line, append(corners, corners[0]),
		[]vg.Point{{X: toX(b.low), Y: y}, {X: toX(b.q1), Y: y}}, []vg.Point{{X: toX(b.q3), Y: y}, {X: toX(b.high), Y: y}},
		[]vg.Point{{X: toX(b.low), Y: y - 4}, {X: toX(b.low), Y: y + 4}}, []vg.Point{{X: toX(b.high), Y: y - 4}, {X: toX(b.high), Y: y + 4}})
}

// jitter spreads points over -0.5 to 0.5 by van der Corput's sequence: evenly,
// and always alike.
func jitter(i int) float64 {
	v, part := 0.0, 0.5
	for ; i > 0; i /= 2 {
		v += part * float64(i%2)
		part /= 2
	}
	return v - 0.5
}
