package campaign

import (
	"fmt"
	"math"

	"github.com/exactlyonce/certify/reports/record"
)

// Verdict is the verdict on a whole plan: a failure decides, then whatever
// was not seen, then a repetition that is missing.
func (p Plan) Verdict(records []record.Record) (record.Verdict, record.Reason) {
	verdict, reason := record.Certified, record.Reason("")
	for _, r := range records {
		switch {
		case r.Verdict == record.Failed:
			return r.Verdict, r.Reason
		case r.Verdict == record.Inconclusive && verdict == record.Certified:
			verdict, reason = r.Verdict, r.Reason
		}
	}
	if verdict == record.Certified && len(records) < p.Total() {
		return record.Inconclusive, record.Samples
	}
	return verdict, reason
}

// Bound is what n clean repetitions say: the rate of failing repetitions is
// below it, at 95 % confidence, for this binary on this machine.
func Bound(n int) float64 { return 1 - math.Pow(0.05, 1/float64(n)) }

// BoundText is Bound in words.
func BoundText(n int) string {
	return fmt.Sprintf("a repetition fails with a probability below %.2f%% (95%% confidence)", 100*Bound(n))
}
