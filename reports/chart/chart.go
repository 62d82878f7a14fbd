package chart

import (
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/exactlyonce/certify/reports"
)

// SVG returns c as an <svg> element. Its ids begin with id, which must be a word
// that no other chart of the page has.
func SVG(c *reports.Chart, id string) string {
	f, err := newFigure(c)
	if err != nil {
		f = newPlaceholder(err)
	}
	out := newCanvas(f.width, f.height)
	if err := f.draw(draw.NewCanvas(out, f.width, f.height)); err != nil {
		f = newPlaceholder(err)
		out = newCanvas(f.width, f.height)
		_ = f.draw(draw.NewCanvas(out, f.width, f.height)) // only lines of text
	}
	return out.element(id, c.Title, description(c, f))
}

// pngDPI makes a figure 870 or 1690 pixels wide.
const pngDPI = 160

// PNG writes c as an image on white, its title on top. The image of a chart that
// cannot be drawn says so; errors are those of w.
func PNG(w io.Writer, c *reports.Chart) error {
	f, err := newFigure(c)
	if err != nil {
		f = newPlaceholder(err)
	}
	f.title = c.Title
	f.height += titleHeight
	img, err := f.image()
	if err != nil {
		f = newPlaceholder(err)
		if img, err = f.image(); err != nil {
			return fmt.Errorf("chart: png %q: %w", c.Title, err)
		}
	}
	if _, err := (vgimg.PngCanvas{Canvas: img}).WriteTo(w); err != nil {
		return fmt.Errorf("chart: png %q: %w", c.Title, err)
	}
	return nil
}

func (f *figure) image() (*vgimg.Canvas, error) {
	img := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(pngDPI), vgimg.UseBackgroundColor(color.White))
	return img, f.draw(draw.New(img))
}

// titleHeight is the room for a title, which a page writes itself.
const titleHeight = vg.Length(24)

// description is for those who cannot see the figure.
func description(c *reports.Chart, f *figure) string {
	text := c.About
	for _, n := range f.notes {
		if text != "" {
			text += " "
		}
		text += n
	}
	return text
}
