package trial_test

import (
	"bytes"
	"errors"
	"flag"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/atomic"
	"github.com/exactlyonce/certify/soak/explore/trial"
)

// adders is a program: so many threads add one to a number by a load and a store.
type adders struct {
	threads int
	large   bool
	fault   bool
	runs    *int
}

func (a adders) String() string         { return strings.Repeat("+", a.threads) }
func (a adders) Threads() int           { return a.threads }
func (a adders) Large() bool            { return a.large }
func (a adders) Counts() map[string]int { return map[string]int{"runs": *a.runs} }

func (a adders) Smaller() (all []trial.Program) {
	if a.threads > 1 {
		all = append(all, adders{a.threads - 1, a.large, a.fault, a.runs})
	}
	return all
}

func (a adders) Body(t *explore.T) {
	var n atomic.Int64
	for range a.threads {
		t.Go(func() { n.Store(n.Load() + 1) })
	}
	t.Check(func() error {
		*a.runs++
		if a.fault && n.Load() != int64(a.threads) {
			return errors.New("lost")
		}
		return nil
	})
}

// TestRun: what is claimed of orders that were tried is so, whatever the limit.
func TestRun(t *testing.T) {
	for _, row := range []struct {
		name       string
		program    adders
		executions int
		exhausted  bool
		within     int
	}{
		{"all", adders{threads: 2}, 0, true, 0},
		{"too many", adders{threads: 4}, 50, false, 0},
		{"more than a few", adders{threads: 4}, 500, false, 1},
		{"fewer than there are without a preemption", adders{threads: 4}, 1, false, 0},
		{"large", adders{threads: 3, large: true}, 100_000, false, 3},
	} {
		row.program.runs = new(int)
		r := trial.Run("s", row.program, explore.Options{Executions: row.executions})
		if !r.Passed() || r.Exhausted != row.exhausted || !row.exhausted && r.Within < row.within || r.Executions < 1 || r.Counts["runs"] < r.Executions {
			t.Errorf("%s: %+v", row.name, r)
		}
	}
}

// TestFailure: the smallest program that fails is told, with what replays it.
func TestFailure(t *testing.T) {
	p := adders{threads: 3, fault: true, runs: new(int)}
	r := trial.Run("s", p, explore.Options{})
	if r.Verdict != "wrong" || r.Smallest != "++" || !strings.Contains(r.Trace, "program ++, schedule "+r.Schedule) || !strings.Contains(r.Trace, "thread b") {
		t.Fatalf("%+v", r)
	}
	again, err := trial.Replay("s", adders{threads: 2, fault: true, runs: new(int)}, r.Schedule, explore.Options{})
	if err != nil || again.Failure != r.Failure || again.Trace != r.Trace {
		t.Errorf("%+v, %v", again, err)
	}
	if other, err := trial.Replay("s", adders{threads: 1, fault: true, runs: new(int)}, r.Schedule, explore.Options{}); err == nil && other.Invalid == "" {
		t.Errorf("a schedule of another program: %+v", other)
	}
}

// TestJob: each program a line, up to the first failure if that is asked for.
func TestJob(t *testing.T) {
	all := []trial.Program{
		adders{threads: 1, fault: true, runs: new(int)}, adders{threads: 2, fault: true, runs: new(int)}, adders{threads: 1, fault: true, runs: new(int)},
	}
	for _, row := range []struct {
		args        string
		lines, code int
	}{{"", 3, 1}, {"-first", 2, 1}, {"-scenario + -replay a2", 3, 0}} {
		var j trial.Job
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		j.Flags(flags)
		if err := flags.Parse(strings.Fields(row.args)); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := j.Each("s", all, &out); code != row.code && row.args != "-scenario + -replay a2" || strings.Count(out.String(), "\n") != row.lines {
			t.Errorf("%s: code %d: %s", row.args, code, &out)
		}
	}
	if err := (&trial.Job{Replay: "a"}).Check(); !errors.Is(err, trial.ErrReplay) {
		t.Errorf("a schedule of nothing: %v", err)
	}
}
