package trend

import (
	"errors"
	"fmt"
)

// Growth is a judged series.
type Growth struct {
	Line
	Kendall
	// Grown is what the slope makes of the whole range of x.
	Grown float64
	// Grows: a rise that is no chance and more than the limit.
	Grows bool
}

// chance is how improbable a rise must be without a trend. It is strict, for a
// run is judged in many series.
const chance = 0.001

// Judge tells whether y grows along x. A growth is one that would be seen by
// chance less than once in a thousand series, whose slope is above 0 with all of
// its interval, and that makes more than limit over the range of x: a tiny but
// certain slope is none. Fewer than three values do not grow.
func Judge(x, y []float64, limit float64) (Growth, error) {
	line, err := TheilSen(x, y)
	if err != nil && !errors.Is(err, ErrSamples) {
		return Growth{}, err
	}
	test, testErr := MannKendall(y)
	if err != nil || testErr != nil {
		return Growth{Line: line, Kendall: Kendall{Rise: 1}}, nil
	}
	g := Growth{Line: line, Kendall: test, Grown: line.Slope * width(x)}
	g.Grows = g.Rise < chance && g.Low > 0 && g.Grown > limit
	return g, nil
}

func (g Growth) String() string {
	word := "does not grow"
	if g.Grows {
		word = "grows"
	}
	return fmt.Sprintf("%s: slope %.4g (%.4g to %.4g), %.4g over all, chance %.2g", word, g.Slope, g.Low, g.High, g.Grown, g.Rise)
}

// width is the range of at least one value.
func width(x []float64) float64 {
	low, high := x[0], x[0]
	for _, v := range x {
		low, high = min(low, v), max(high, v)
	}
	return high - low
}
