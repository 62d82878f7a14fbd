package compare

import (
	"math"
	"math/rand/v2"

	"github.com/montanaflynn/stats"
)

const (
	splits    = 200
	splitsPct = 95
)

// Noise measures how much each arm of r differs from itself, and returns it in
// the form of GateOptions.Floor: 0.03 where two halves of the samples of one
// arm differ by up to 3 %.
//
// Method: samples are taken in pairs, in the order in which they were
// measured, and of each pair one goes to either half, by chance, so that the
// halves are interleaved whatever drifted meanwhile. The relative difference
// of their medians, the greater over the lesser, is computed for 200 such
// splits; the noise of an arm is the 95th percentile of them, which a single
// unlucky split does not move. The floor of a row is that of its noisier arm.
//
// Halves have half the samples, so the bound is some 1.4 times what whole arms
// differ by: a gate with this floor errs to silence. It does not see what
// differs between arms that ran one after the other. It is 0 for exact units
// and for fewer than four samples, and +Inf where half of an arm is zeros.
func Noise(r *Result) (floor func(unit, name string) float64) {
	floors := map[measure]float64{}
	for _, t := range r.Tables {
		if t.Exact {
			continue
		}
		for _, row := range t.Rows {
			k := measure{row.Name, t.Unit}
			for _, c := range row.Cells {
				if c != nil {
					floors[k] = max(floors[k], split(c.values))
				}
			}
		}
	}
	return func(unit, name string) float64 { return floors[measure{name, unit}] }
}

// split is the noise of one arm.
func split(values []float64) float64 {
	if len(values) < 4 {
		return 0
	}
	random := rand.New(rand.NewPCG(1, uint64(len(values)))) // the same report each time
	half := len(values) / 2
	a, b := make([]float64, half), make([]float64, half)
	deltas := make([]float64, splits)
	for i := range deltas {
		for j := range half {
			side := random.IntN(2)
			a[j], b[j] = values[2*j+side], values[2*j+1-side]
		}
		deltas[i] = apart(median(a), median(b))
	}
	// No error: the list is not empty, and the percentile within bounds.
	noise, _ := stats.Percentile(deltas, splitsPct)
	if math.IsNaN(noise) { // between a finite and an infinite one
		return math.Inf(1)
	}
	return noise
}

func median(values []float64) float64 {
	m, _ := stats.Median(values) // of a copy; no error, since there are some
	return m
}

func apart(a, b float64) float64 {
	return max(math.Abs(change(a, b)), math.Abs(change(b, a)))
}
