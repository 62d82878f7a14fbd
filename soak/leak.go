package soak

import (
	"fmt"
	"runtime"
	"time"

	"go.uber.org/goleak"
)

// leaks compares the goroutines at the end of a run with those before it.
type leaks struct {
	before int
	known  goleak.Option
}

func beforeLeaks() leaks {
	return leaks{before: runtime.NumGoroutine(), known: goleak.IgnoreCurrent()}
}

// manyLeaks is from where on goleak itself takes too long: 10000 goroutines
// take it some ten seconds, 100000 a minute and a half.
const manyLeaks = 2000

const maxLeakText = 64 << 10

// check returns what is left. goleak gives goroutines that are about to end
// some time to do so.
func (l leaks) check() error {
	extra := func() int { return runtime.NumGoroutine() - l.before }
	for wait := time.Millisecond; extra() > manyLeaks && wait < time.Second; wait *= 2 {
		time.Sleep(wait) // polled, not slept through: what ends in time is no leak
	}
	if n := extra(); n > manyLeaks {
		return fmt.Errorf("%d goroutines are left", n)
	}
	err := goleak.Find(l.known)
	if err != nil && len(err.Error()) > maxLeakText {
		return fmt.Errorf("%s (cut)", err.Error()[:maxLeakText])
	}
	return err
}
