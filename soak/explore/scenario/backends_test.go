package scenario_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/exactlyonce/certify/soak/explore/rewrite"
	"github.com/exactlyonce/certify/soak/explore/scenario"
)

const module = "github.com/exactlyonce/certify/"

// build makes the driver of a package of back ends, with shims under it.
func build(t *testing.T, pkg string, coarse ...rewrite.Coarse) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "driver.exe")
	r, err := rewrite.Build(rewrite.Subject{
		Dir: ".", Patterns: []string{pkg, module + "soak/explore/scenario"}, Work: t.TempDir(), Coarse: coarse,
	}, scenario.Driver(pkg), bin)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r.Packages, r.Sites)
	return bin
}

// explore runs a driver and adds up its results.
func explore(t *testing.T, bin string, args ...string) (results []scenario.Result, executions int) {
	t.Helper()
	start := time.Now()
	out, err := exec.Command(bin, args...).Output()
	for line := range bytes.Lines(out) {
		var r scenario.Result
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if r.Verdict != "passed" || !r.Exhausted {
			t.Errorf("%s %s: %s, exhausted: %v: %s%s\n%s", r.Backend, r.Scenario, r.Verdict, r.Exhausted, r.Failure, r.Invalid, r.Trace)
		}
		results = append(results, r)
		executions += r.Executions
	}
	if err != nil || len(results) == 0 {
		t.Errorf("%v, %d results", err, len(results))
	}
	took := time.Since(start)
	t.Logf("%v: %d scenarios, %d executions in %v, %.0f/s", args, len(results), executions, took, float64(executions)/took.Seconds())
	return results, executions
}

// coarseEpochs: pins commute, and retiring is what they do not commute with.
var coarseEpochs = rewrite.Coarse{Package: module + "queues/epoch", Reads: []string{"Pin", "Unpin", "Home", "Stats"}}

// TestChaseLev: our deque, its source as it is, in all scenarios.
func TestChaseLev(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	explore(t, build(t, module+"queues/chaselev", coarseEpochs), "-length", "6")
}

// TestMSQueue: likewise our queue.
func TestMSQueue(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	explore(t, build(t, module+"queues/msqueue", coarseEpochs), "-each", "2")
}

// TestMutex: likewise the baseline.
func TestMutex(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	explore(t, build(t, module+"queues/mutex"), "-length", "5", "-each", "2")
}
