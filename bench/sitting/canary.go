package sitting

import (
	"slices"
	"time"
)

// canary is a loop of always the same work, so that what it takes more is the
// machine's doing.
type canary struct {
	limit time.Duration
	sink  uint64
}

// The rule of a disturbed window: one of the canaries beside it took more than
// disturbedFactor times what the median one of canaryRuns took before the first
// window. It knows nothing of what was measured, so it cannot choose results.
const (
	canaryRuns      = 101
	canarySteps     = 200_000 // some 100 microseconds
	disturbedFactor = 1.25
)

// off is the limit of a canary that says nothing.
const off = -1

func (c *canary) calibrate() {
	runs := make([]time.Duration, canaryRuns)
	for i := range runs {
		runs[i] = c.run()
	}
	slices.Sort(runs)
	c.limit = time.Duration(disturbedFactor * float64(runs[canaryRuns/2]))
}

// run is a chain of steps of which each needs the one before.
func (c *canary) run() time.Duration {
	began := time.Now()
	x := c.sink | 1
	for range canarySteps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	c.sink = x
	return time.Since(began)
}

// disturbed takes the best of three: a single one meets the end of a collection
// or of whatever the window started. Without calibration it is false.
func (c *canary) disturbed() bool {
	if c.limit < 0 {
		return false
	}
	best := c.run()
	for range 2 {
		best = min(best, c.run())
	}
	return best > c.limit
}
