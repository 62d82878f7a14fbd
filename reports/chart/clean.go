package chart

import (
	"errors"
	"fmt"
	"math"

	"github.com/dustin/go-humanize"

	"github.com/exactlyonce/certify/reports"
)

// most bounds the points of a figure: 12 keys of 100 repetitions are drawn in
// full, in 15 KB.
const most = 1200

// mostSeries bounds the series: more are no picture.
const mostSeries = 60

// series is what can be drawn of one.
type series struct {
	name string
	// Invariant: len(x) == len(y) > 0, each finite, and its decimal logarithm
	// where the axis is logarithmic.
	x, y  []float64
	total int // points there are, of which x and y may be a part
	line  *reports.FittedLine
}

// clean returns what can be drawn of c, and sentences on what cannot.
func clean(c *reports.Chart) (all []series, notes []string, err error) {
	dropped, empty := 0, 0
	for _, from := range c.Series {
		s, bad := cleanSeries(c, from)
		dropped += bad
		if len(s.y) == 0 {
			empty++
			continue
		}
		all = append(all, s)
	}
	if dropped > 0 {
		notes = append(notes, fmt.Sprintf("%s not drawn: %s.", count(dropped, "value"), undrawable(c)))
	}
	if len(all) == 0 {
		return nil, notes, nothing(c, dropped)
	}
	if empty > 0 {
		notes = append(notes, fmt.Sprintf("%s without values.", count(empty, "series")))
	}
	if more := len(all) - mostSeries; more > 0 {
		all = all[:mostSeries]
		notes = append(notes, fmt.Sprintf("%s not drawn: there are too many.", count(more, "series")))
	}
	return all, notes, nil
}

func nothing(c *reports.Chart, dropped int) error {
	if dropped == 0 {
		return errors.New("there are no values")
	}
	return fmt.Errorf("no value can be drawn: %s", undrawable(c))
}

func undrawable(c *reports.Chart) string {
	if c.X.Log || c.Y.Log {
		return "not finite, or not above zero on a logarithmic axis"
	}
	return "not finite"
}

func count(n int, noun string) string {
	if n != 1 && noun != "series" {
		noun += "s"
	}
	return humanize.Comma(int64(n)) + " " + noun
}

func cleanSeries(c *reports.Chart, from reports.Series2D) (s series, dropped int) {
	s = series{name: visible(from.Name), line: from.Line}
	for i, y := range from.Y {
		x, known := float64(i+1), true
		if c.Kind != reports.Boxes && len(from.X) > 0 {
			if known = i < len(from.X); known {
				x = from.X[i]
			}
		}
		x, okX := onAxis(x, c.X.Log && c.Kind != reports.Boxes)
		y, okY := onAxis(y, c.Y.Log)
		if !known || !okX || !okY {
			dropped++
			continue
		}
		s.x, s.y = append(s.x, x), append(s.y, y)
	}
	s.total = len(s.y)
	return s, dropped
}

// tiny is taken for zero: a step between values below it is no number.
const tiny = 1e-290

// huge bounds values: a sum of a few must still be a number.
const huge = 1e300

// onAxis is where v is on its axis, if it can be.
func onAxis(v float64, log bool) (at float64, ok bool) {
	switch {
	case math.IsNaN(v) || math.Abs(v) > huge:
		return 0, false
	case log && v < tiny:
		return 0, false
	case log:
		return math.Log10(v), true
	case math.Abs(v) < tiny:
		return 0, true
	}
	return v, true
}

// thin keeps at most limit points of each series, evenly spread over their order,
// the first and the last, the least and the greatest among them.
func thin(all []series, limit int) (notes []string) {
	total, kept := 0, 0
	each := max(limit/len(all), 4)
	for i := range all {
		s := &all[i]
		total += len(s.y)
		if len(s.y) > each {
			keep := spread(s.y, each)
			s.x, s.y = pick(s.x, keep), pick(s.y, keep)
		}
		kept += len(s.y)
	}
	if kept < total {
		notes = append(notes, fmt.Sprintf("%s of %s points drawn, evenly spread, extremes kept.", humanize.Comma(int64(kept)), humanize.Comma(int64(total))))
	}
	return notes
}

// spread returns n indices into v, rising: n >= 4.
func spread(v []float64, n int) []int {
	least, most := 0, 0
	for i := range v {
		if v[i] < v[least] {
			least = i
		}
		if v[i] > v[most] {
			most = i
		}
	}
	keep := map[int]bool{least: true, most: true}
	for i := range n - 2 {
		keep[i*(len(v)-1)/(n-3)] = true
	}
	var at []int
	for i := range v {
		if keep[i] {
			at = append(at, i)
		}
	}
	return at
}

func pick(v []float64, at []int) []float64 {
	out := make([]float64, len(at))
	for i, j := range at {
		out[i] = v[j]
	}
	return out
}
