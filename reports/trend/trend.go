// Package trend tells whether a series of measurements grows: by how much, how
// surely, and whether that is a leak.
//
//	line, err := trend.TheilSen(x, y)      // Theil and Sen: median of all slopes
//	test, err := trend.MannKendall(y)        // Mann and Kendall: more rises than falls
//	growth, err := trend.Judge(x, y, limit)
//
// Both are rank methods: no assumption on the noise, and up to 29 % of the
// values may be outliers without moving the slope far. They assume that the
// values are independent but for the trend.
//
// Sources: P. K. Sen, Estimates of the regression coefficient based on
// Kendall's tau, JASA 63 (1968), sections 2 and 3; M. G. Kendall, Rank
// Correlation Methods (4th ed. 1975), chapters 4 and 5 for the distribution of
// S, exact and with ties.
package trend

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/montanaflynn/stats"
)

// The errors that callers branch on, through errors.Is.
var (
	// ErrSamples: too few values, or, for a fit, all at one x.
	ErrSamples = errors.New("too few samples")
	// ErrFinite: a value is NaN or infinite.
	ErrFinite = errors.New("not a finite number")
)

// Line is a fitted line: y = Offset + Slope*x.
type Line struct {
	Slope, Offset float64
	// Low and High bound the slope at 95 % confidence. With few values they are
	// infinite.
	Low, High float64
}

// confidence is of the interval of a slope, as the number of standard deviations
// of a normal distribution.
const confidence = 1.959963984540054 // two-sided 95 %

// TheilSen returns the line of Theil and Sen through the points: at least two, at
// two values of x.
func TheilSen(x, y []float64) (Line, error) {
	if len(x) != len(y) {
		return Line{}, fmt.Errorf("trend: fit: %d values of x and %d of y", len(x), len(y))
	}
	if err := finite(x, y); err != nil {
		return Line{}, fmt.Errorf("trend: fit: %w", err)
	}
	slopes := pairSlopes(x, y)
	if len(slopes) == 0 {
		return Line{}, fmt.Errorf("trend: fit of %d points: %w", len(x), ErrSamples)
	}
	l := Line{Slope: median(slopes)}
	l.Low, l.High = senBounds(slopes, variance(y))
	rest := make([]float64, len(x))
	for i := range x {
		rest[i] = y[i] - l.Slope*x[i]
	}
	l.Offset = median(rest)
	return l, nil
}

// pairSlopes are the slopes between all pairs of points at different x, sorted.
func pairSlopes(x, y []float64) (slopes []float64) {
	for i := range x {
		for j := range i {
			if x[i] != x[j] {
				slopes = append(slopes, (y[i]-y[j])/(x[i]-x[j]))
			}
		}
	}
	slices.Sort(slopes)
	return slopes
}

// senBounds are Sen's ranks among the sorted slopes.
func senBounds(slopes []float64, variance float64) (low, high float64) {
	c := confidence * math.Sqrt(variance)
	n := float64(len(slopes))
	first, last := int(math.Floor((n-c)/2)), int(math.Ceil((n+c)/2))
	low, high = math.Inf(-1), math.Inf(1)
	if first >= 1 {
		low = slopes[first-1]
	}
	if last < len(slopes) {
		high = slopes[last]
	}
	return low, high
}

// Kendall is the test of a series for a trend.
type Kendall struct {
	S    int     // pairs that rise minus pairs that fall
	Tau  float64 // S over the number of pairs: -1 to 1
	Rise float64 // probability of an S at least as large if there is no trend
}

// exactMost is up to where Rise is the exact probability, without ties.
const exactMost = 40

// MannKendall returns the statistic of Mann and Kendall for at least three values.
func MannKendall(y []float64) (Kendall, error) {
	if err := finite(y); err != nil {
		return Kendall{}, fmt.Errorf("trend: test: %w", err)
	}
	if len(y) < 3 {
		return Kendall{}, fmt.Errorf("trend: test of %d values: %w", len(y), ErrSamples)
	}
	k := Kendall{S: rises(y)}
	pairs := len(y) * (len(y) - 1) / 2
	k.Tau = float64(k.S) / float64(pairs)
	switch v := variance(y); {
	case v == 0: // all are equal
		k.Rise = 1
	case len(y) <= exactMost && len(ties(y)) == 0:
		k.Rise = exactRise(len(y), k.S)
	default:
		k.Rise = 0.5 * math.Erfc((float64(k.S)-1)/math.Sqrt(2*v)) // with the correction for continuity
	}
	return k, nil
}

func rises(y []float64) (s int) {
	for i := range y {
		for _, before := range y[:i] {
			switch {
			case y[i] > before:
				s++
			case y[i] < before:
				s--
			}
		}
	}
	return s
}

// variance is that of S without a trend, with ties.
func variance(y []float64) float64 {
	v := spread(len(y))
	for _, t := range ties(y) {
		v -= spread(t)
	}
	return v / 18
}

func spread(n int) float64 { f := float64(n); return f * (f - 1) * (2*f + 5) }

// ties are the sizes of the groups of equal values, if more than one is in it.
func ties(y []float64) (sizes []int) {
	sorted := slices.Sorted(slices.Values(y))
	for i := 0; i < len(sorted); {
		n := 1
		for i+n < len(sorted) && sorted[i+n] == sorted[i] {
			n++
		}
		if n > 1 {
			sizes = append(sizes, n)
		}
		i += n
	}
	return sizes
}

// exactRise counts the orders of n values by their inversions: S is the number
// of pairs minus twice those.
func exactRise(n, s int) float64 {
	dist := []float64{1} // of the inversions of 1 value, as probabilities
	for k := 2; k <= n; k++ {
		next := make([]float64, len(dist)+k-1)
		for i, p := range dist {
			for j := range k {
				next[i+j] += p / float64(k)
			}
		}
		dist = next
	}
	inversions := (n*(n-1)/2 - s) / 2
	sum := 0.0
	for _, p := range dist[:inversions+1] {
		sum += p
	}
	return min(sum, 1)
}

func finite(series ...[]float64) error {
	for _, s := range series {
		for i, v := range s {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("value %d is %v: %w", i, v, ErrFinite)
			}
		}
	}
	return nil
}

// median of at least one value.
func median(v []float64) float64 {
	m, _ := stats.Median(v) // errs on no values only
	return m
}
