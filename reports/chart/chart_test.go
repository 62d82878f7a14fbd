package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/exactlyonce/certify/reports"
)

// kinds are all kinds of chart, by name.
var kinds = map[string]reports.ChartKind{"boxes": reports.Boxes, "points": reports.Points, "lines": reports.Lines, "panels": reports.Panels}

// wave is n values around level, always the same.
func wave(n int, level, spread float64) (v []float64) {
	for i := range n {
		v = append(v, level+spread*math.Sin(float64(i*i)))
	}
	return v
}

func upTo(n int) (v []float64) {
	for i := range n {
		v = append(v, float64(i+1))
	}
	return v
}

func one(kind reports.ChartKind, y ...float64) *reports.Chart {
	return &reports.Chart{Title: "A title", About: "What it shows.", Kind: kind, X: reports.Axis{Label: "repetition"}, Y: reports.Axis{Label: "seconds", Unit: "s"},
		Series: []reports.Series2D{{Name: "one", X: upTo(len(y)), Y: y}}}
}

func many(kind reports.ChartKind, series, n int) *reports.Chart {
	c := one(kind)
	c.Series = nil
	for i := range series {
		c.Series = append(c.Series, reports.Series2D{Name: fmt.Sprintf("exactly-once/deque=back-end-%d", i), X: upTo(n), Y: wave(n, 1+float64(i*7%series)/10, 0.1)})
	}
	return c
}

// sketch returns the SVG of c, which must be well-formed XML made in time.
func sketch(t *testing.T, c *reports.Chart) string {
	t.Helper()
	done := make(chan string, 1)
	go func() { done <- SVG(c, "c1") }()
	select {
	case svg := <-done:
		wellFormed(t, svg)
		return svg
	case <-time.After(time.Minute):
		t.Fatal("drawing does not end")
		return ""
	}
}

func wellFormed(t *testing.T, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	ids := map[string]bool{}
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in %.300s", err, svg)
		}
		start, _ := token.(xml.StartElement)
		for _, a := range start.Attr {
			if a.Name.Local == "id" && (ids[a.Value] || !strings.HasPrefix(a.Value, "c1-")) {
				t.Errorf("id %q: twice, or not of this chart", a.Value)
			}
			ids[a.Value] = ids[a.Value] || a.Name.Local == "id"
			if a.Name.Local == "style" || strings.HasPrefix(a.Name.Local, "on") {
				t.Errorf("attribute %s", a.Name.Local)
			}
		}
	}
	for _, want := range []string{`role="img"`, `aria-labelledby="c1-title c1-desc"`, "viewBox="} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") || strings.Contains(svg, "<?xml") {
		t.Errorf("not for a page: %.300s", svg)
	}
}

// Every kind of chart draws whatever the numbers are.
func TestEveryNumberIsDrawnOrNamed(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, row := range map[string]struct {
		y     []float64
		log   bool
		says  string
		drawn bool
	}{
		"none":             {nil, false, "no values", false},
		"one point":        {[]float64{3}, false, "", true},
		"all equal":        {[]float64{3, 3, 3}, false, "", true},
		"all zero":         {[]float64{0, 0, 0}, false, "", true},
		"negative":         {[]float64{-3, -1, -2}, false, "", true},
		"only NaN":         {[]float64{nan, nan}, false, "not finite", false},
		"NaN among them":   {[]float64{1, nan, 2}, false, "1 value not drawn", true},
		"infinite":         {[]float64{1, inf, -inf}, false, "2 values not drawn", true},
		"the greatest":     {[]float64{math.MaxFloat64, -math.MaxFloat64}, false, "not finite", false},
		"very great":       {[]float64{1e300, -1e300}, false, "", true},
		"the least":        {[]float64{math.SmallestNonzeroFloat64, 0}, false, "", true},
		"small":            {[]float64{1e-280, 2e-280}, false, "", true},
		"1e18 and next":    {[]float64{1e18, 1e18 + 128}, false, "", true},
		"1e18 and 1e18+1":  {[]float64{1e18, 1e18 + 1}, false, "", true},
		"small and great":  {[]float64{1e-280, 1e280}, false, "", true},
		"log":              {[]float64{1, 10, 1e6}, true, "", true},
		"log of one":       {[]float64{10}, true, "", true},
		"log of zeros":     {[]float64{0, 0}, true, "not above zero", false},
		"log with a zero":  {[]float64{0, 5}, true, "1 value not drawn", true},
		"log of negatives": {[]float64{-1, -2, -3}, true, "not above zero", false},
		"log of extremes":  {[]float64{1e-280, 1e280}, true, "", true},
	} {
		for kind, k := range kinds {
			t.Run(name+"/"+kind, func(t *testing.T) {
				c := one(k, row.y...)
				c.Y.Log = row.log
				c.Series[0].Line = &reports.FittedLine{Offset: 1, Slope: inf, Low: nan, High: nan}
				svg := sketch(t, c)
				if !strings.Contains(svg, row.says) || strings.Contains(svg, "could not") {
					t.Errorf("does not say %q: %s", row.says, svg)
				}
				if drawn := strings.Contains(svg, "<path"); drawn != row.drawn || drawn == strings.Contains(svg, "No chart") {
					t.Errorf("drawn: %v: %s", drawn, svg)
				}
				if testing.Short() {
					return // 60 images take 15 s under the race detector
				}
				if err := PNG(io.Discard, c); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// Points without an x, or with one that its axis cannot show, are numbered or
// left out.
func TestOddSeries(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*reports.Chart)
		says   string
	}{
		"no x":        {func(c *reports.Chart) { c.Series[0].X = nil }, ""},
		"too few x":   {func(c *reports.Chart) { c.Series[0].X = []float64{1, 2} }, "1 value not drawn"},
		"zero on log": {func(c *reports.Chart) { c.X.Log, c.Series[0].X = true, []float64{0, 1, 2} }, "1 value not drawn"},
		"x falls":     {func(c *reports.Chart) { c.Series[0].X = []float64{3, 2, 1} }, ""},
		"x stays":     {func(c *reports.Chart) { c.Series[0].X = []float64{2, 2, 2} }, ""},
		"no values":   {func(c *reports.Chart) { c.Series = append(c.Series, reports.Series2D{Name: "none"}) }, "1 series without values"},
		"line":        {func(c *reports.Chart) { c.Series[0].Line = &reports.FittedLine{Offset: 1, Slope: 2, Low: 1, High: 3} }, ""},
		"line, no bound": {func(c *reports.Chart) {
			c.Series[0].Line = &reports.FittedLine{Offset: 1, Slope: 2, Low: math.Inf(-1), High: math.Inf(1)}
		}, "without its band"},
		"line on log": {func(c *reports.Chart) { c.Y.Log, c.Series[0].Line = true, &reports.FittedLine{Slope: 2} }, "1 fitted line not drawn"},
	} {
		for _, k := range []reports.ChartKind{reports.Points, reports.Lines, reports.Panels} {
			c := one(k, 1, 2, 3)
			row.change(c)
			if svg := sketch(t, c); !strings.Contains(svg, "<path") || !strings.Contains(svg, row.says) || strings.Contains(svg, "No chart") {
				t.Errorf("%s: does not say %q: %s", name, row.says, svg)
			}
		}
	}
}

func TestUnitsOfTicks(t *testing.T) {
	for _, row := range []struct {
		axis   reports.Axis
		lo, hi float64
		want   string
		whole  bool
	}{
		{reports.Axis{}, 0, 4.2e6, "0 1M 2M 3M 4M 5M", false},
		{reports.Axis{}, 0, 12000, "0 2.5k 5.0k 7.5k 10.0k 12.5k", false},
		{reports.Axis{Unit: "B"}, 50 << 20, 90 << 20, "0 MiB 20 MiB 40 MiB 60 MiB 80 MiB 100 MiB", false},
		{reports.Axis{Unit: "s"}, 0.0101, 0.0142, "10 ms 11 ms 12 ms 13 ms 14 ms 15 ms", false},
		{reports.Axis{Unit: "ops/s"}, 700, 900, "0 200 400 600 800 1000", false},
		{reports.Axis{Log: true}, 0, 3, "1 10 100 1k", false},
		{reports.Axis{Log: true, Unit: "s"}, -6, -3, "1 µs 10 µs 100 µs 1 ms", false},
		{reports.Axis{}, 1, 3, "1 2 3", true},
		{reports.Axis{}, 2, 2, "1 2 3", true},
		{reports.Axis{}, 1, 12, "0 3 6 9 12", true},
		{reports.Axis{Unit: "s"}, -1, 1, "-1.0 s -0.5 s 0 s 0.5 s 1.0 s", false},
	} {
		var got []string
		for _, tick := range newScale(row.axis, row.lo, row.hi, 5, true, row.whole).ticks {
			got = append(got, tick.Label)
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%+v: got %q, want %q", row.axis, got, row.want)
		}
	}
}

// An axis that names its ticks has these and no others, however they are.
func TestNamedTicks(t *testing.T) {
	c := one(reports.Lines, 1, 2, 3)
	c.X.Ticks = []reports.Tick{{At: 3, Text: "p99"}, {At: 1, Text: "p<50>"}, {At: math.NaN(), Text: "none"}, {At: 4, Text: "max"}}
	svg := sketch(t, c)
	for _, want := range []string{">p99</text>", ">p&lt;50&gt;</text>", ">max</text>"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(svg, ">none<") || strings.Contains(svg, ">2.0<") {
		t.Errorf("other ticks: %s", svg)
	}
	for _, ticks := range [][]reports.Tick{{{At: math.Inf(1), Text: "x"}}, {{At: 1e300, Text: "x"}, {At: -1e300, Text: "y"}}, {{At: 2, Text: strings.Repeat("x", 1000)}}} {
		c.X.Ticks = ticks
		if svg := sketch(t, c); strings.Contains(svg, "No chart") || len(svg) > 10_000 {
			t.Errorf("%+v: %.300s", ticks[0].At, svg)
		}
	}
}

// A legend names what is drawn, in the look in which it is.
func TestLegend(t *testing.T) {
	c := many(reports.Lines, 10, 3)
	c.Series[0].Y = nil
	got := Legend(c)
	if len(got) != 9 || got[0].Name != c.Series[1].Name || got[0].Colour != 1 || got[0].Dash != "" || got[1].Dash != "6 3" || got[8].Colour != 1 || got[8].Dash == "" {
		t.Errorf("got %+v", got)
	}
	if Legend(many(reports.Boxes, 3, 3)) != nil || Legend(many(reports.Panels, 3, 3)) != nil || Legend(one(reports.Lines, 1, 2)) != nil {
		t.Error("a legend of what has its names beside it")
	}
}

// Panels have one scale: what is higher in one is more than what is lower in
// another.
func TestPanelsShareTheirAxes(t *testing.T) {
	c := many(reports.Panels, 2, 3)
	c.Series[0].Y, c.Series[1].Y = []float64{1, 1, 1}, []float64{1000, 1000, 1000}
	svg := sketch(t, c)
	if n := strings.Count(svg, ">1000 s</text>"); n != 2 {
		t.Errorf("the greatest tick is there %d times, want in both: %s", n, svg)
	}
}

// The quartiles are those of type 7, and an outlier is beyond a whisker.
func TestQuartilesAreOfTypeSeven(t *testing.T) {
	if got, want := summary([]float64{4, 1, 3, 2}), (box{1, 1.75, 2.5, 3.25, 4}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := summary([]float64{1, 2, 3, 4, 100}), (box{1, 2, 3, 4, 4}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := summary([]float64{7}), (box{7, 7, 7, 7, 7}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Twelve keys of a hundred repetitions are drawn in full and stay small; more
// points are thinned, and the figure says so.
func TestPointsAreBounded(t *testing.T) {
	for kind, k := range kinds {
		full := sketch(t, many(k, 12, 100))
		if strings.Contains(full, "points drawn") || len(full) > 50_000 {
			t.Errorf("%s: 12 series of 100: %d bytes", kind, len(full))
		}
		thinned := sketch(t, many(k, 12, 10_000))
		if !strings.Contains(thinned, "120,000 points drawn") || len(thinned) > 50_000 {
			t.Errorf("%s: 12 series of 10,000: %d bytes", kind, len(thinned))
		}
		if huge := sketch(t, many(k, 300, 3)); !strings.Contains(huge, "240 series not drawn") {
			t.Errorf("%s: nothing said of the series that are too many", kind)
		}
		t.Logf("%s: %d bytes in full, %d thinned", kind, len(full), len(thinned))
	}
	v := wave(5000, 0, 1)
	v[1234] = 9
	at := spread(v, 10)
	if len(at) > 10 || at[0] != 0 || at[len(at)-1] != 4999 || !strings.Contains(fmt.Sprint(at), " 1234 ") {
		t.Errorf("kept %v: want both ends and the greatest", at)
	}
}

// Nothing of a name becomes markup, and what has no picture is spelled out.
func TestNamesAreHarmless(t *testing.T) {
	for kind, k := range kinds {
		c := many(k, 2, 5)
		evil := "</title><script>alert(1)</script>\x1b[31m\u202eabc\x00\"'&" + strings.Repeat("long ", 50_000)
		c.Title, c.About, c.X.Label, c.Y.Label, c.Series[0].Name = evil, evil, evil, evil, evil
		svg := sketch(t, c)
		if len(svg) > 20_000 {
			t.Errorf("%s: %d bytes: a text was not shortened", kind, len(svg))
		}
		if strings.Contains(svg, "<script") || strings.ContainsAny(svg, "\x1b\u202e\x00") {
			t.Errorf("%s: %.400s", kind, svg)
		}
		if !strings.Contains(svg, "[U+202E]") {
			t.Errorf("%s: the bidi control is not spelled out", kind)
		}
		if testing.Short() && k != reports.Lines {
			continue
		}
		if err := PNG(io.Discard, c); err != nil {
			t.Error(err)
		}
	}
}

// rotated asks for what is not drawn.
type rotated struct{}

func (rotated) Plot(c draw.Canvas, _ *plot.Plot) { c.Rotate(1) }

// What the checks did not foresee is a placeholder, not the end of the report.
func TestPanicIsPlaceholder(t *testing.T) {
	f, err := newFigure(one(reports.Points, 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	f.plot.Add(rotated{})
	out := newCanvas(f.width, f.height)
	if err := f.draw(draw.NewCanvas(out, f.width, f.height)); err == nil || !strings.Contains(err.Error(), "could not be drawn") {
		t.Errorf("got %v", err)
	}
	if svg := sketch(t, &reports.Chart{Kind: 99, Series: []reports.Series2D{{Y: []float64{1}}}}); !strings.Contains(svg, "no chart of kind 99") {
		t.Errorf("got %s", svg)
	}
}

// The same chart gives the same bytes, and an image of a sensible size.
func TestSameBytes(t *testing.T) {
	for kind, k := range kinds {
		c := many(k, 12, 50)
		if first, second := SVG(c, "c1"), SVG(c, "c1"); first != second {
			t.Errorf("%s: two drawings differ", kind)
		}
		if testing.Short() && k != reports.Lines {
			continue
		}
		var a, b bytes.Buffer
		if PNG(&a, c) != nil || PNG(&b, c) != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: two images differ", kind)
		}
		img, err := png.DecodeConfig(&a)
		if err != nil || img.Width < 1000 {
			t.Errorf("%s: %+v, %v", kind, img, err)
		}
	}
}

// TestSave writes the charts that people look at to CERTIFY_SCREENSHOTS.
func TestSave(t *testing.T) {
	dir := os.Getenv("CERTIFY_SCREENSHOTS")
	if dir == "" {
		t.Skip("CERTIFY_SCREENSHOTS names no directory")
	}
	fit := one(reports.Points, wave(100, 60<<20, 4<<20)...)
	fit.Y = reports.Axis{Label: "bytes, resident", Unit: "B"}
	fit.Series[0].Line = &reports.FittedLine{Offset: 55 << 20, Slope: 100_000, Low: 20_000, High: 180_000}
	for name, c := range map[string]*reports.Chart{"boxes": many(reports.Boxes, 6, 100), "lines": many(reports.Lines, 12, 20), "points": fit, "three": many(reports.Points, 3, 30), "panels": many(reports.Panels, 7, 40)} {
		var out bytes.Buffer
		if err := PNG(&out, c); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "chart-"+name+".png"), out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
