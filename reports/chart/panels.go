package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/exactlyonce/certify/reports"
)

// panel is a small picture of one series, with its name above it.
type panel struct {
	name string
	plot *plot.Plot
}

const (
	panelColumns = 3
	panelHeight  = vg.Length(132)
	panelGap     = vg.Length(14)
)

// panels draws each series on its own, and all on the axes of all: what is higher
// is more.
func panels(c *reports.Chart, all []series, notes []string) *figure {
	xLo, xHi, yLo, yHi := limits(all)
	x, y := newScale(c.X, xLo, xHi, 4, false, whole(all)), newScale(c.Y, yLo, yHi, 4, true, false)
	notes = append(notes, thin(all, most)...)
	notes = append(notes, scatter{series: all}.fitted(c)...)
	f := &figure{width: width, yLabel: c.Y.Label, notes: notes}
	for i := range all {
		p := newPlot(x, y, c.X.Label, false)
		p.Add(scatter{kind: reports.Points, series: all[i : i+1]})
		f.panels = append(f.panels, panel{all[i].name, p})
	}
	if len(all) == 1 {
		f.width = narrow
	}
	rows := (len(all) + panelColumns - 1) / panelColumns
	f.height = 2*crop + 18 + panelHeight*vg.Length(rows) + noteLine*vg.Length(len(notes))
	return f
}

// drawPanels fills c with them, from left to right and down.
func drawPanels(c draw.Canvas, all []panel) {
	columns := min(panelColumns, len(all))
	for i, p := range all {
		wide := (c.Max.X - c.Min.X + panelGap) / vg.Length(columns)
		left := c.Min.X + wide*vg.Length(i%columns)
		top := c.Max.Y - panelHeight*vg.Length(i/columns)
		sty := write(ink, 10, false)
		c.FillText(sty, vg.Point{X: left, Y: top - 11}, fit(sty, p.name, wide-panelGap))
		at := c
		at.Rectangle = vg.Rectangle{Min: vg.Point{X: left, Y: top - panelHeight + 6}, Max: vg.Point{X: left + wide - panelGap, Y: top - 18}}
		p.plot.Draw(draw.Crop(at, 0, -8, 0, 0))
	}
}
