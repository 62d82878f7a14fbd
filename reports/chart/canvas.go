package chart

import (
	"fmt"
	"html"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// canvas writes SVG for a page: plot's own writes a document, with fixed colours,
// and a point in 170 bytes where this takes 10.
type canvas struct {
	width, height vg.Length
	out           strings.Builder
	pen           pen
	stack         []pen

	// open is the <path> that is not closed yet, for more of the same look.
	open string
}

type pen struct {
	color color.Color
	width vg.Length
	dash  []vg.Length
}

func newCanvas(width, height vg.Length) *canvas {
	return &canvas{width: width, height: height, pen: pen{color: color.Black, width: 1}}
}

// element returns all that was drawn. Its class says whether the figure is broad.
func (c *canvas) element(id, title, desc string) string {
	c.close()
	id = html.EscapeString(id)
	class := "chart"
	if c.width > narrow {
		class += " broad"
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="%s" viewBox="0 0 %s %s" role="img" aria-labelledby="%s-title %s-desc" font-family="&quot;Liberation Sans&quot;,Arial,Helvetica,sans-serif"><title id="%s-title">%s</title><desc id="%s-desc">%s</desc>%s</svg>`,
		class, digits(c.width), digits(c.height), id, id, id, html.EscapeString(shorten(visible(title), titleMost)), id, html.EscapeString(shorten(visible(desc), descMost)), c.out.String())
}

func (c *canvas) SetLineWidth(w vg.Length)                  { c.pen.width = w }
func (c *canvas) SetLineDash(dash []vg.Length, _ vg.Length) { c.pen.dash = dash }
func (c *canvas) SetColor(col color.Color)                  { c.pen.color = col }
func (c *canvas) Push()                                     { c.stack = append(c.stack, c.pen) }

func (c *canvas) Pop() {
	last := len(c.stack) - 1
	c.pen, c.stack = c.stack[last], c.stack[:last]
}

// Figures are drawn without transforms and images; one that is not becomes a
// placeholder.
func (c *canvas) Rotate(float64)                      { panic("chart: rotation is not drawn") }
func (c *canvas) Translate(vg.Point)                  { panic("chart: translation is not drawn") }
func (c *canvas) Scale(float64, float64)              { panic("chart: scaling is not drawn") }
func (c *canvas) DrawImage(vg.Rectangle, image.Image) { panic("chart: an image is not drawn") }

func (c *canvas) Stroke(p vg.Path) {
	if c.pen.width <= 0 {
		return
	}
	look := paint("stroke", c.pen.color) + ` fill="none"` + attribute("stroke-width", c.pen.width)
	if len(c.pen.dash) > 0 {
		var dash []string
		for _, d := range c.pen.dash {
			dash = append(dash, digits(d))
		}
		look += ` stroke-dasharray="` + strings.Join(dash, " ") + `"`
	}
	c.path(look, c.data(p))
}

func (c *canvas) Fill(p vg.Path) {
	if at, radius, ok := circle(p); ok {
		// A round dot is a line without length and with round ends.
		look := paint("stroke", c.pen.color) + attribute("stroke-width", 2*radius) + ` stroke-linecap="round"`
		c.path(look, c.move("M", at)+"h0")
		return
	}
	c.path(paint("fill", c.pen.color), c.data(p))
}

func (c *canvas) FillString(f font.Face, at vg.Point, text string) {
	c.close()
	weight := ""
	if f.Font.Weight > 0 {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(&c.out, `<text x="%s" y="%s"%s%s%s>%s</text>`,
		digits(at.X), digits(c.height-at.Y), attribute("font-size", f.Font.Size), weight, paint("fill", c.pen.color), html.EscapeString(text))
}

// path draws data, in one element with what was drawn before if that looks the
// same.
func (c *canvas) path(look, data string) {
	if look != c.open {
		c.close()
		c.out.WriteString("<path" + look + ` d="`)
		c.open = look
	}
	c.out.WriteString(data)
}

func (c *canvas) close() {
	if c.open != "" {
		c.out.WriteString(`"/>`)
		c.open = ""
	}
}

// data is the path in the language of SVG, whose y grows downwards.
func (c *canvas) data(p vg.Path) string {
	var d strings.Builder
	for _, part := range p {
		switch part.Type {
		case vg.MoveComp:
			d.WriteString(c.move("M", part.Pos))
		case vg.LineComp:
			d.WriteString(c.move("L", part.Pos))
		case vg.CloseComp:
			d.WriteString("Z")
		default:
			panic("chart: a curve is not drawn")
		}
	}
	return d.String()
}

func (c *canvas) move(how string, to vg.Point) string {
	return how + digits(to.X) + " " + digits(c.height-to.Y)
}

// circle tells whether p is a whole circle.
func circle(p vg.Path) (at vg.Point, radius vg.Length, ok bool) {
	for _, part := range p {
		if part.Type == vg.ArcComp && math.Abs(part.Angle) >= 2*math.Pi-1e-9 {
			return part.Pos, part.Radius, true
		}
	}
	return vg.Point{}, 0, false
}

// paint is an attribute for a colour that the page may set.
func paint(what string, col color.Color) string {
	c := color.NRGBAModel.Convert(col).(color.NRGBA)
	hex := fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
	if name := variables[rgb{c.R, c.G, c.B}]; name != "" {
		hex = "var(--" + name + "," + hex + ")"
	}
	text := " " + what + `="` + hex + `"`
	if c.A < 255 {
		text += fmt.Sprintf(` %s-opacity="%.2g"`, what, float64(c.A)/255)
	}
	return text
}

func attribute(name string, v vg.Length) string { return " " + name + `="` + digits(v) + `"` }

// digits writes a length in points, to a tenth. A length that is no number would
// make all of the picture invalid.
func digits(v vg.Length) string {
	if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
		panic("chart: a length is not finite")
	}
	s := strings.TrimSuffix(strconv.FormatFloat(float64(v), 'f', 1, 64), ".0")
	if s == "-0" {
		return "0"
	}
	return s
}
