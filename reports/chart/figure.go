package chart

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/exactlyonce/certify/reports"
)

// figure is a chart that was checked, with its layout:
//
//	title                       only of an image
//	label of Y
//	plot            | labels of series        or a grid of panels
//	ticks and label of X
//	notes
type figure struct {
	width, height vg.Length
	title, yLabel string
	left, right   vg.Length  // room for half a tick's label, and for labels of series
	plot          *plot.Plot // nil: there are panels, or only notes
	panels        []panel
	notes         []string
}

// The widths of figures, in points: narrow ones stand two abreast, and on a
// telephone.
const (
	width  = vg.Length(760)
	narrow = vg.Length(390)
)

const (
	crop     = vg.Length(8)
	noteSize = vg.Length(9.5)
	noteLine = vg.Length(13)
)

// newFigure checks and lays out c.
func newFigure(c *reports.Chart) (*figure, error) {
	all, notes, err := clean(c)
	if err != nil {
		return nil, err
	}
	switch c.Kind {
	case reports.Boxes:
		return boxes(c, all, notes), nil
	case reports.Points, reports.Lines:
		return points(c, all, notes), nil
	case reports.Panels:
		return panels(c, all, notes), nil
	}
	return nil, fmt.Errorf("there is no chart of kind %d", c.Kind)
}

// newPlaceholder stands for what cannot be drawn.
func newPlaceholder(why error) *figure {
	return &figure{width: width, height: 48, notes: []string{"No chart: " + visible(why.Error()) + "."}}
}

// newPlot returns a plot with the axes of a figure and its grid.
func newPlot(x, y scale, xLabel string, up bool) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	axis(&p.X, x)
	axis(&p.Y, y)
	sty := write(muted, 10.5, false)
	p.X.Label.Text, p.X.Label.TextStyle.Color, p.X.Label.TextStyle.Font = fit(sty, visible(xLabel), narrow/2), sty.Color, sty.Font
	p.X.Label.Padding = 4
	p.Add(grids{x, y, up})
	return p
}

func axis(a *plot.Axis, s scale) {
	a.Min, a.Max = s.min, s.max
	a.Padding = 2
	a.LineStyle.Width, a.Tick.LineStyle.Width, a.Tick.Length = 0, 0, 4
	a.Tick.Marker = plot.ConstantTicks(s.ticks)
	a.Tick.Label.Color = muted.solid()
	a.Tick.Label.Font = write(muted, 10, false).Font
}

// grids are the lines that ticks are read along: those of Y, up those of X.
type grids struct {
	x, y scale
	up   bool
}

func (g grids) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	line := stroke(grid.solid(), 0.7, nil)
	if g.up {
		for _, t := range g.x.ticks {
			c.StrokeLine2(line, toX(t.Value), c.Min.Y, toX(t.Value), c.Max.Y)
		}
		return
	}
	for _, t := range g.y.ticks {
		c.StrokeLine2(line, c.Min.X, toY(t.Value), c.Max.X, toY(t.Value))
	}
}

// draw draws f. The checks before it should leave nothing to recover from; what
// they missed is better a placeholder than the end of a report.
func (f *figure) draw(c draw.Canvas) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it could not be drawn: %v", p)
		}
	}()
	c = draw.Crop(c, crop, -crop, crop, -crop)
	room := c.Max.X - c.Min.X
	if f.title != "" {
		sty := write(ink, 13, true)
		c.FillText(sty, vg.Point{X: c.Min.X, Y: c.Max.Y - 13}, fit(sty, visible(f.title), room))
		c.Max.Y -= titleHeight
	}
	for i := len(f.notes) - 1; i >= 0; i-- {
		sty := write(muted, noteSize, false)
		c.FillText(sty, vg.Point{X: c.Min.X, Y: c.Min.Y + 2}, fit(sty, f.notes[i], room))
		c.Min.Y += noteLine
	}
	if f.plot == nil && len(f.panels) == 0 {
		return nil
	}
	if f.yLabel != "" {
		sty := write(muted, 10.5, false)
		c.FillText(sty, vg.Point{X: c.Min.X, Y: c.Max.Y - 9}, fit(sty, visible(f.yLabel), room))
		c.Max.Y -= 18
	}
	if f.plot != nil {
		f.plot.Draw(draw.Crop(c, f.left, -f.right, 0, 0))
	}
	drawPanels(c, f.panels)
	return nil
}
