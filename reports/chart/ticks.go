package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"

	"github.com/exactlyonce/certify/reports"
)

// scale is an axis with limits and ticks.
//
// Invariant: min < max, both finite; ticks rise and lie between them.
type scale struct {
	min, max float64
	ticks    []plot.Tick
}

// newScale returns the scale of an axis that shows lo to hi with at most about n
// ticks. With snap it begins and ends at ticks; with whole there are no ticks
// between whole numbers.
func newScale(a reports.Axis, lo, hi float64, n int, snap, whole bool) scale {
	if len(a.Ticks) > 0 && !a.Log {
		return namedScale(a, lo, hi)
	}
	if a.Log {
		return logScale(a, lo, hi)
	}
	if lo >= 0 && fromZero(a) {
		lo = 0
	}
	lo, hi = widen(lo, hi, whole)
	unit := prefixOf(a, max(math.Abs(lo), math.Abs(hi)))
	step := stepOf((hi-lo)/unit.factor, n) * unit.factor
	if whole && step != math.Trunc(step) {
		step = math.Ceil(step)
	}
	first, last := math.Floor(lo/step), math.Ceil(hi/step)
	s := scale{min: lo, max: hi}
	if snap {
		s.min, s.max = first*step, last*step
	}
	for i := range int(min(last-first, 100)) + 1 {
		if v := (first + float64(i)) * step; v >= s.min && v <= s.max {
			s.ticks = append(s.ticks, plot.Tick{Value: v, Label: unit.label(v, step)})
		}
	}
	return s
}

// namedScale has the ticks that the axis names, as far as they are numbers, with
// room for half a name at its ends.
func namedScale(a reports.Axis, lo, hi float64) scale {
	var s scale
	for _, t := range a.Ticks {
		if at, ok := onAxis(t.At, false); ok {
			s.ticks = append(s.ticks, plot.Tick{Value: at, Label: visible(shorten(t.Text, 40))})
			lo, hi = min(lo, at), max(hi, at)
		}
	}
	slices.SortStableFunc(s.ticks, func(a, b plot.Tick) int { return cmp.Compare(a.Value, b.Value) })
	lo, hi = widen(lo, hi, false)
	room := hi/25 - lo/25
	s.min, s.max = lo-room, hi+room
	return s
}

// fromZero tells the axes on which a length is an amount: memory and rates.
func fromZero(a reports.Axis) bool { return a.Unit == "B" || strings.HasSuffix(a.Unit, "/s") }

// widen makes room around what is one value, or so nearly one that no tick lies
// between.
func widen(lo, hi float64, whole bool) (float64, float64) {
	size := max(math.Abs(lo), math.Abs(hi))
	switch room := size / 20; {
	case size > 0 && hi-lo > size*1e-9:
		return lo, hi
	case size == 0, whole && room < 1:
		return lo - 1, hi + 1
	default:
		return lo - room, hi + room
	}
}

// stepOf is the least of 1, 2, 2.5 and 5 times a power of ten that cuts span into
// at most n parts.
func stepOf(span float64, n int) float64 {
	raw := span / float64(n)
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*power >= raw*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// prefix is a unit of ticks: what a value is divided by, and what is written
// behind it.
type prefix struct {
	factor float64
	suffix string
}

// prefixes are, by the unit of the axis, falling.
var prefixes = map[string][]prefix{
	"B": {{1 << 60, " EiB"}, {1 << 50, " PiB"}, {1 << 40, " TiB"}, {1 << 30, " GiB"}, {1 << 20, " MiB"}, {1 << 10, " KiB"}, {1, " B"}},
	"s": {{1, " s"}, {1e-3, " ms"}, {1e-6, " µs"}, {1e-9, " ns"}},
	"":  {{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}},
}

func prefixOf(a reports.Axis, size float64) prefix {
	list, ok := prefixes[a.Unit]
	if !ok {
		list = prefixes[""]
	}
	at := slices.IndexFunc(list, func(p prefix) bool { return size >= p.factor })
	if at < 0 {
		at = len(list) - 1
	}
	return list[at]
}

// label writes v with as many decimals as tell it from v plus step.
func (p prefix) label(v, step float64) string {
	if v == 0 {
		return "0" + strings.TrimRight(p.suffix, "kMGTPE")
	}
	v, step = v/p.factor, math.Abs(step/p.factor)
	if math.Abs(v) >= 1e6 || step < 1e-6 {
		return strconv.FormatFloat(v, 'g', 4, 64) + p.suffix
	}
	decimals := 0
	for scaled := step; decimals < 7 && math.Abs(scaled-math.Round(scaled)) > 1e-6*scaled; scaled *= 10 {
		decimals++
	}
	return strconv.FormatFloat(v, 'f', decimals, 64) + p.suffix
}

// logScale has its ticks at powers of ten, at every second or so of them when
// they are many. lo and hi are logarithms.
func logScale(a reports.Axis, lo, hi float64) scale {
	s := scale{min: math.Floor(lo + 1e-9), max: math.Ceil(hi - 1e-9)}
	if s.max <= s.min {
		s.max = s.min + 1
	}
	every := max(1, math.Ceil((s.max-s.min)/6))
	for v := s.min; v <= s.max; v += every {
		value := math.Pow(10, v)
		s.ticks = append(s.ticks, plot.Tick{Value: v, Label: prefixOf(a, value*(1+1e-9)).label(value, value)})
	}
	return s
}
