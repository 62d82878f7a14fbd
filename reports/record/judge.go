package record

import (
	"fmt"
	"math"
)

// Judge is the verdict on a whole run of which total repetitions were planned: a
// failure decides, then whatever was not seen, then a repetition that is
// missing.
func Judge(records []Record, total int) (Verdict, Reason) {
	verdict, reason := Certified, Reason("")
	for _, r := range records {
		switch {
		case r.Verdict == Failed:
			return r.Verdict, r.Reason
		case r.Verdict == Inconclusive && verdict == Certified:
			verdict, reason = r.Verdict, r.Reason
		}
	}
	if verdict == Certified && len(records) < total {
		return Inconclusive, Samples
	}
	return verdict, reason
}

// Bound is what n clean repetitions say: the rate of failing repetitions is
// below it, at 95 % confidence, for this binary on this machine. It is 1 for
// none.
func Bound(n int) float64 {
	if n < 1 {
		return 1
	}
	return 1 - math.Pow(0.05, 1/float64(n))
}

// Fault is the rate that Power is told for: of a fault that shows in 3 of 100
// repetitions.
const Fault = 0.03

// Power is the probability that n repetitions show a fault which breaks that share of
// them, if each does so independently of the others.
func Power(n int, rate float64) float64 { return 1 - math.Pow(1-rate, float64(max(0, n))) }

// BoundText is Bound in words.
func BoundText(n int) string {
	return fmt.Sprintf("a repetition fails with a probability below %.2f%% (95%% confidence)", 100*Bound(n))
}
