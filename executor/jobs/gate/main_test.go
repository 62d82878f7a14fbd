package gate

import (
	"flag"
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var seedFlag = flag.Uint64("seed", 0, "repeat a test with this seed; 0 means one of its own")

// seed is the seed of one test, which a failure prints. It fixes the choices
// of the test, and of a sampled interleaving everything.
func seed(t *testing.T) *rand.Rand {
	t.Helper()
	n := *seedFlag
	if n == 0 {
		n = rand.Uint64() | 1
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("repeat: go test -race -run '^%s$' ./executor/jobs/gate -seed %d", t.Name(), n)
		}
	})
	return rand.New(rand.NewPCG(n, 0))
}

// watchdog makes a hang a verdict, with all stacks.
func watchdog(t *testing.T) {
	t.Helper()
	timer := time.AfterFunc(2*time.Minute, func() {
		debug.SetTraceback("all")
		panic("a test hangs: " + t.Name())
	})
	t.Cleanup(func() { timer.Stop() })
}

// rounds is n, and a tenth of it in a short run.
func rounds(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}
