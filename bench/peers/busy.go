package peers

import (
	"sync"
	"time"

	"github.com/exactlyonce/certify/executor"
)

// busySteps is how many steps take ten microseconds here and now: the least of some
// runs, measured once, so that all arms do the same.
var busySteps = sync.OnceValue(func() int {
	const probe = 100_000
	best := time.Hour
	for range 50 {
		began := time.Now()
		if steps(probe) == 0 {
			break // never; but a result that nobody wants would not be computed
		}
		best = min(best, time.Since(began))
	}
	return int(probe * 10_000 / max(1, best.Nanoseconds()))
})

// steps needs each step for the next one. What it returns is never 0.
func steps(n int) uint64 {
	x := uint64(1)
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// busy is a task of ten microseconds.
func busy() Body {
	n := busySteps()
	return func(*executor.Worker) {
		if steps(n) == 0 {
			panic("peers: xorshift reached zero, which it cannot")
		}
	}
}
