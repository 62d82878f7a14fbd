package scenario_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
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
		if r.Verdict != "passed" || !r.Exhausted && r.Within < 2 {
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
	bin := build(t, module+"queues/chaselev", coarseEpochs)
	explore(t, bin, "-length", "6")
	explore(t, bin, "-length", "5", "-start", "18446744073709551613") // and past the end of the counters
	explore(t, build(t, module+"queues/chaselev"), "-length", "4")    // and into the epochs
}

// TestMSQueue: likewise our queue.
func TestMSQueue(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	quiet := coarseEpochs // so few nodes retire that no epoch ends: that commutes too
	quiet.Reads = append([]string{"Alloc", "Retire"}, quiet.Reads...)
	explore(t, build(t, module+"queues/msqueue", quiet), "-each", "2", "-executions", "20000")
}

// TestMutex: likewise the baseline.
func TestMutex(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	explore(t, build(t, module+"queues/mutex"), "-length", "5", "-each", "2", "-executions", "20000")
}

// TestCanaries: each faulty back end fails in some scenario, the two without a
// fault in none.
func TestCanaries(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	bin := build(t, module+"soak/faulty/flawed")
	out, err := exec.Command(bin, "-length", "5", "-first", "-executions", "5000").Output()
	if err == nil {
		t.Error("all passed")
	}
	failed, seconds := map[string]*scenario.Result{}, map[string]float64{}
	for line := range bytes.Lines(out) {
		r := new(scenario.Result)
		if err := json.Unmarshal(line, r); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		seconds[r.Backend] += r.Seconds
		if failed[r.Backend] == nil || r.Verdict != "passed" {
			failed[r.Backend] = r
		}
	}
	if len(failed) < 20 {
		t.Errorf("%d back ends only", len(failed))
	}
	pass := []string{"textbook", "linked", "stored-tail", "unhelped", // controls
		"modulo", "reset-tag", "late-count"} // whose faults small programs do not reach, or look at: the soak kills them
	for name, r := range failed {
		t.Logf("%s: %s in %s, smallest %s, schedule %s, %.2f s", name, r.Verdict, r.Scenario, r.Smallest, r.Schedule, seconds[name])
		if good := slices.Contains(pass, name); good != (r.Verdict == "passed") {
			t.Errorf("%s: %s\n%s", name, r.Verdict, r.Trace)
		}
	}
}
