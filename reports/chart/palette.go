package chart

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gonum.org/v1/plot"
)

// rgb is a colour of a light page and the name that a page may give another by.
type rgb struct{ r, g, b uint8 }

// The palette is that of Okabe and Ito, which people with any colour vision can
// tell apart; its yellow, unreadable on white, is darkened.
var (
	ink    = rgb{0x1b, 0x25, 0x36}
	muted  = rgb{0x5a, 0x67, 0x78}
	grid   = rgb{0xe2, 0xe6, 0xec}
	colour = []rgb{
		{0x00, 0x72, 0xb2}, {0xd5, 0x5e, 0x00}, {0x00, 0x9e, 0x73}, {0xb3, 0x5a, 0x90},
		{0xc2, 0x85, 0x00}, {0x2f, 0x96, 0xcc}, {0x8a, 0x7d, 0x00}, {0x55, 0x5f, 0x6e},
	}
)

// variables are the names of the colours in CSS.
var variables = func() map[rgb]string {
	names := map[rgb]string{ink: "ink", muted: "muted", grid: "grid"}
	for i, c := range colour {
		names[c] = fmt.Sprintf("s%d", i+1)
	}
	return names
}()

// alpha is c, a part of it transparent: 255 is opaque.
func (c rgb) alpha(a uint8) color.Color { return color.NRGBA{c.r, c.g, c.b, a} }

func (c rgb) solid() color.Color { return c.alpha(255) }

// dashes tell more series apart than there are colours, and any two of them
// without colour.
var dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}}

// look is how series i is drawn.
func look(i int) (rgb, []vg.Length) {
	return colour[i%len(colour)], dashes[(i+i/len(colour))%len(dashes)]
}

// glyphs are the marks of points, by series.
var glyphs = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{}}

func glyph(i int, c color.Color) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: 2.2, Shape: glyphs[i%len(glyphs)]}
}

// write is the style of text of a size in points.
func write(c rgb, size vg.Length, bold bool) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if bold {
		f.Weight = 3 // bold, as golang.org/x/image/font counts
	}
	return text.Style{Color: c.solid(), Font: font.From(f, size), Handler: plot.DefaultTextHandler}
}

func stroke(c color.Color, width vg.Length, dash []vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: width, Dashes: dash}
}
