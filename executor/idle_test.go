//go:build unix

package executor_test

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/exactlyonce/certify/executor"
)

// cpu is what the process has used so far.
func cpu(tb testing.TB) time.Duration {
	tb.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// X11, E39: 5 s with nothing to do, and 5 s with one task that sleeps, cost
// less than 50 ms of CPU. A measurement, which other load can spoil: it runs
// when CERTIFY_IDLE is set.
func TestIdleCostsNothingX11(t *testing.T) {
	if os.Getenv("CERTIFY_IDLE") == "" {
		t.Skip("a measurement: set CERTIFY_IDLE")
	}
	watchdog(t)
	e := start(t, executor.Config{Workers: 8})
	check := func(what string, asleepNow int) {
		t.Helper()
		asleep(e, asleepNow)
		before := cpu(t)
		time.Sleep(5 * time.Second)
		used := cpu(t) - before
		if t.Logf("%s: %v of CPU in 5 s", what, used); used >= 50*time.Millisecond {
			t.Errorf("%s: %v of CPU in 5 s, want less than 50 ms", what, used)
		}
	}
	check("idle", 8)
	release := gated(t, e)
	check("one task", 7)
	release()
}

// BenchmarkIdle reports what an executor with nothing to do costs: op is a
// quarter of a second of idling, since a short sleep costs more than that.
func BenchmarkIdle(b *testing.B) {
	e := plain(b, 8)
	asleep(e, 8)
	before, began := cpu(b), time.Now()
	for b.Loop() {
		time.Sleep(time.Second / 4)
	}
	b.ReportMetric(float64(cpu(b)-before)/time.Since(began).Seconds(), "cpu-ns/s")
}
