// Package stress is what tests of concurrent code have in common: a watchdog
// that makes a hang a failure, with the stacks of all; a seed, and the command
// that repeats with it; how often to try; and a wait that no clock ends.
//
// A seed fixes what a test chooses, not when goroutines or other processes run:
// a repeated test makes the same choices, and may still pass.
//
// Only tests import it, because it adds the flag -seed to their command line.
package stress

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

var seedFlag = flag.Uint64("seed", 0, "repeat a test with this seed; 0 means one of its own")

// Seed is the seed of one test: that of the flag -seed, or one of its own, and
// never 0. If t fails it logs the command that repeats t with this seed.
func Seed(t testing.TB) uint64 {
	t.Helper()
	n := *seedFlag
	if n == 0 {
		n = rand.Uint64() | 1
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log("repeat: " + repeat(t.Name(), n))
		}
	})
	return n
}

// Random is a generator from Seed(t). One goroutine at a time may use it.
func Random(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Seed(t), 0))
}

// repeat is the command, for the root of the module, that runs the named test
// of this binary again: under the race detector if this one is.
func repeat(test string, seed uint64) string {
	pkg, race := "", ""
	if b, ok := debug.ReadBuildInfo(); ok {
		pkg = strings.TrimPrefix(strings.TrimSuffix(b.Path, ".test"), b.Main.Path+"/")
		for _, s := range b.Settings {
			if s.Key == "-race" && s.Value == "true" {
				race = "-race "
			}
		}
	}
	// The parts of a subtest's name are patterns of their own.
	test = strings.ReplaceAll(regexp.QuoteMeta(test), "/", "$/^")
	return fmt.Sprintf("go test %s-run '^%s$' ./%s -seed %d", race, test, pkg, seed)
}

// Rounds is n, and in a short run a tenth of it, but at least 1.
func Rounds(n int) int {
	if testing.Short() {
		return max(1, n/10)
	}
	return n
}

// Until lets others run until cond holds. No test may depend on how long that
// takes; a Watchdog ends a wait for what never comes.
func Until(cond func() bool) {
	for !cond() {
		runtime.Gosched()
	}
}

// Watchdog panics with the stacks of all goroutines if t has not ended after
// two minutes. It belongs outside of a bubble of synctest, whose time runs
// ahead.
func Watchdog(t testing.TB) {
	t.Helper()
	WatchdogAfter(t, 2*time.Minute)
}

// WatchdogAfter is a Watchdog of a test that may take longer, up to limit.
func WatchdogAfter(t testing.TB, limit time.Duration) {
	t.Helper()
	timer := time.AfterFunc(limit, func() { hangs(t.Name()) })
	t.Cleanup(func() { timer.Stop() })
}

// hangs is a variable so that a test can see it called and live.
var hangs = func(test string) {
	debug.SetTraceback("all")
	panic("a test hangs: " + test)
}
