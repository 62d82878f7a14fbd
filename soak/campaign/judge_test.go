package campaign

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/child"
	"github.com/exactlyonce/certify/soak/guard"
)

// The three things that a repetition may say of itself, and nothing.
var (
	saysNothing *soak.Result
	saysClean   = &soak.Result{Verdict: record.Certified, PeakB: 100}
	saysLost    = &soak.Result{Verdict: record.Failed, Reason: record.Lost, Detail: "lost: 1"}
	saysSamples = &soak.Result{Verdict: record.Inconclusive, Reason: record.Floor, Detail: "too few steals"}
)

func exited(code int) child.Exit { return child.Exit{Cause: child.Exited, Code: code} }

func ended(cause child.Cause) child.Exit { return child.Exit{Cause: cause, Code: -1} }

// TestJudgeExit: each result with each exit code. Exactly one code belongs to
// a result, beside that of the race detector under it; others are crashes.
func TestJudgeExit(t *testing.T) {
	results := map[*soak.Result]record.Reason{saysNothing: "", saysClean: "", saysLost: record.Lost, saysSamples: record.Floor}
	for result, reason := range results {
		for _, code := range []int{0, 1, 2, 3, 4, raceExit, 130, 137} {
			for _, race := range []bool{false, true} {
				p := plan(1, goroutines(1, 1))
				p.Race = race
				want := record.Crash
				switch {
				case result == nil:
				case code == result.Verdict.ExitCode():
					want = reason
				case race && code == raceExit && result.Verdict == record.Certified:
					want = record.Race
				case race && code == raceExit:
					want = reason
				}
				got := evidence{exit: exited(code), result: result}.judge(p)
				if got.reason != want || want != "" && got.verdict != want.Verdict() || want == "" && got.verdict != record.Certified {
					t.Errorf("says %v, code %d, race %t: got %v (%s) %q, want (%s)", result, code, race, got.verdict, got.reason, got.detail, want)
				}
			}
		}
	}
}

// TestJudge: what we did to the process comes before what it said, and what
// comes beside a clean result spoils it.
func TestJudge(t *testing.T) {
	memory := guard.Report{Trip: guard.Memory}
	signalled := child.Exit{Cause: child.Signalled, Code: -1, Signal: syscall.SIGKILL}
	left := child.Exit{Cause: child.Exited, Survivors: 2}
	for _, row := range []struct {
		name   string
		e      evidence
		reason record.Reason
		detail string
	}{
		{"clean", evidence{exit: exited(0), result: saysClean}, "", ""},
		{"deadline", evidence{exit: ended(child.Deadline)}, record.Stall, "not finished after 1m0s"},
		{"deadline, with a result", evidence{exit: ended(child.Deadline), result: saysClean}, record.Stall, "goroutines"},
		{"memory", evidence{exit: child.Exit{Cause: child.Memory, Memory: memory}}, record.Memory, "ceiling"},
		{"memory, with a result", evidence{exit: child.Exit{Cause: child.Memory, Memory: memory}, result: saysClean}, record.Memory, ""},
		{"low water", evidence{exit: ended(child.LowWater)}, record.Guard, ""},
		{"low water, with a failure", evidence{exit: ended(child.LowWater), result: saysLost}, record.Guard, ""},
		{"blind", evidence{exit: ended(child.Blind)}, record.Guard, ""},
		{"signal", evidence{exit: signalled}, record.Crash, "signal 9 (killed)"},
		{"signal, with a result", evidence{exit: signalled, result: saysClean}, record.Crash, "not ours"},
		{"printed for ever", evidence{exit: ended(child.Cancelled), logB: maxLogB + 1}, record.Contract, "wrote more than 64 MiB"},
		{"printed too much", evidence{exit: exited(0), result: saysClean, logB: maxLogB + 1}, record.Contract, "64 MiB"},
		{"printed enough", evidence{exit: exited(0), result: saysClean, logB: maxLogB}, "", ""},
		{"panic", evidence{exit: exited(2), panic_: "panic: oh"}, record.Crash, "code 2: panic: oh"},
		{"no result", evidence{exit: exited(0)}, record.Crash, "code 0 and without a result"},
		{"one race", evidence{exit: exited(raceExit), result: saysClean, races: 1}, record.Race, "1 data race,"},
		{"races", evidence{exit: exited(raceExit), result: saysClean, races: 7}, record.Race, "7 data races"},
		{"a race that did not reach the code", evidence{exit: exited(0), result: saysClean, races: 1}, record.Race, "1 data race,"},
		{"a race that did not reach the log", evidence{exit: exited(raceExit), result: saysClean}, record.Race, "no report"},
		{"lost, and a race", evidence{exit: exited(raceExit), result: saysLost, races: 1}, record.Lost, "lost: 1\nthe race detector reported 1 data race,"},
		{"crash after a race", evidence{exit: exited(2), panic_: "panic: oh", races: 1}, record.Crash, "data race"},
		{"survivors", evidence{exit: left, result: saysClean}, record.Leak, "2 processes"},
		{"peak", evidence{exit: exited(0), result: &soak.Result{Verdict: record.Certified, PeakB: 1<<30 + 1}}, record.Memory, "peak of 1073741825 B"},
		{"peak at the ceiling", evidence{exit: exited(0), result: &soak.Result{Verdict: record.Certified, PeakB: 1 << 30}}, "", ""},
		{"lost, and a peak", evidence{exit: exited(1), result: &soak.Result{Verdict: record.Failed, Reason: record.Lost, PeakB: 1 << 40}}, record.Lost, ""},
	} {
		p := plan(1, goroutines(1, 1))
		p.Race = true
		got := row.e.judge(p)
		if got.reason != row.reason || !strings.Contains(got.detail, row.detail) || (got.verdict == record.Certified) != (row.reason == "") {
			t.Errorf("%s: got %v (%s) %q, want (%s) %q", row.name, got.verdict, got.reason, got.detail, row.reason, row.detail)
		}
	}
}

// TestJudgeEveryCause: no way to end goes unjudged, and none certifies but
// an exit.
func TestJudgeEveryCause(t *testing.T) {
	for cause := child.Exited; cause <= child.Cancelled; cause++ {
		got := evidence{exit: ended(cause), result: saysClean}.judge(plan(1, goroutines(1, 1)))
		if got.reason == "" || got.reason.Verdict() != got.verdict || got.detail == "" {
			t.Errorf("%v: got %+v", cause, got)
		}
	}
}

// TestFill: what was measured reaches the record; the exact peak before the
// sampled one.
func TestFill(t *testing.T) {
	exit := child.Exit{Cause: child.Exited, Elapsed: time.Second, UserCPU: 2, SysCPU: 3, Memory: guard.Report{PeakTreeB: 50}}
	var r record.Record
	evidence{exit: exit, result: saysClean}.fill(&r, plan(1, goroutines(1, 1)))
	if r.Verdict != record.Certified || r.PeakB != 100 || r.ElapsedNs != 1e9 || r.CPUNs != 5 {
		t.Errorf("got %+v", r)
	}
	evidence{exit: exit}.fill(&r, plan(1, goroutines(1, 1)))
	if r.Verdict != record.Failed || r.PeakB != 50 {
		t.Errorf("without a result: got %+v", r)
	}
}
