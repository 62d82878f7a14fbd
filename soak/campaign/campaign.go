package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/child"
)

// ErrInterrupted is returned when the context ended a campaign: what was
// recorded stays, and the campaign can be resumed.
var ErrInterrupted = errors.New("interrupted")

// Observer is told what happens, between the repetitions.
type Observer interface {
	Begin(n, total int, key record.Key, rep int) // the n-th of total starts
	End(n, total int, r record.Record)           // and is recorded
}

// Campaign is a plan with the directory that its records go to.
type Campaign struct {
	Plan     Plan
	Dir      *rundir.Dir
	Runner   string // path of the binary that Build made
	Observer Observer

	hunted map[soak.SubjectName]bool // what the explorer has looked at since a failure
}

// Run carries out what the directory does not have yet and returns all its
// records. An error is not a verdict: ErrInterrupted, or what kept the
// campaign from going on.
func (c *Campaign) Run(ctx context.Context) ([]record.Record, error) {
	records := c.Dir.Contents().Records
	if c.Plan.Finished(records) {
		return records, nil
	}
	done := map[string]bool{}
	for _, r := range records {
		done[recordID(r.Key, r.Rep)] = true
	}
	n, shown := 0, false // that the canaries are caught
	for s := range c.Plan.steps {
		n++
		if done[recordID(c.Plan.Key(s.cell), s.rep)] {
			continue
		}
		if s.cell.Subject.Kind != soak.CanaryName && !shown {
			if c.Plan.powerless(c.Dir.Contents().Records) {
				break
			}
			shown = true
		}
		r, err := c.repetition(ctx, n, s.cell, s.rep)
		if err != nil || c.Plan.stopsAfter(r) {
			return c.Dir.Contents().Records, err
		}
	}
	return c.Dir.Contents().Records, nil
}

func recordID(key record.Key, rep int) string { return fmt.Sprint(key, " ", rep) }

// repetition runs one and records it. A context that ends meanwhile leaves no
// trace of it.
func (c *Campaign) repetition(ctx context.Context, n int, cell Cell, rep int) (record.Record, error) {
	key := c.Plan.Key(cell)
	c.Observer.Begin(n, c.Plan.Total(), key, rep)
	r := record.Record{
		Key: key, Rep: rep, Seed: c.Plan.spec(cell, rep).Seed,
		Repeat: c.Plan.repeat(cell, rep), Start: time.Now(),
	}
	var logPath string
	r.Log, logPath = c.Dir.LogPath(fmt.Sprintf("%s/rep=%d", key, rep))
	if cell.Drill == ExploreDrill {
		if err := c.explore(ctx, cell, &r, logPath); err != nil {
			return r, err
		}
	} else if e, err := c.runChild(ctx, cell, rep, logPath); err != nil {
		return r, err
	} else {
		e.fill(&r, c.Plan)
		c.hunt(ctx, cell, &r)
	}
	if r.Verdict == record.Certified && cell.Drill != ExploreDrill {
		r.Log = keepIfWritten(r.Log, logPath)
	}
	if err := c.Dir.Append(r); err != nil {
		return r, err
	}
	c.Observer.End(n, c.Plan.Total(), r)
	return r, nil
}

// fill puts what the process left into the record.
func (e evidence) fill(r *record.Record, p Plan) {
	ruling := e.judge(p)
	r.Verdict, r.Reason, r.Detail = ruling.verdict, ruling.reason, ruling.detail
	r.ElapsedNs = e.exit.Elapsed.Nanoseconds()
	r.CPUNs = (e.exit.UserCPU + e.exit.SysCPU).Nanoseconds()
	r.PeakB = e.exit.Memory.PeakTreeB
	if e.result != nil {
		r.Values = e.result.Values
		if e.result.PeakB > 0 { // exact, where the guard only samples
			r.PeakB = e.result.PeakB
		}
	}
}

func keepIfWritten(rel, abs string) string {
	if info, err := os.Stat(abs); err == nil && info.Size() > 0 {
		return rel
	}
	_ = os.Remove(abs)
	return ""
}

func (c *Campaign) runChild(ctx context.Context, cell Cell, rep int, logPath string) (evidence, error) {
	result, err := c.clearResult(logPath)
	if err != nil {
		return evidence{}, err
	}
	job, err := json.Marshal(soak.Job{Spec: c.Plan.spec(cell, rep), Subject: cell.Subject, Result: result})
	if err != nil {
		return evidence{}, fmt.Errorf("campaign: encode job: %w", err)
	}
	logged, stop := watchLog(ctx, logPath)
	exit, err := child.Run(logged, child.Spec{
		Path: c.Runner, Args: []string{string(job)}, Env: childEnv(),
		LogPath: logPath, Deadline: c.Plan.Deadline,
		Limits: c.Plan.limits(),
	})
	stop()
	switch {
	case ctx.Err() != nil:
		_ = os.Remove(logPath) // as if it had never begun
		return evidence{}, ErrInterrupted
	case err != nil:
		return evidence{}, err
	}
	e, err := gather(exit, result, logPath)
	if err == nil {
		err = e.notBegun(c.Dir)
	}
	return e, err
}

// resultFile is where a repetition leaves its result, for us to take.
const resultFile = "result.tmp.json"

// clearResult takes away what a repetition left that was killed with its
// campaign, and returns where the next one puts its result: absolute, since
// the child is told and need not share our directory.
func (c *Campaign) clearResult(logPath string) (string, error) {
	dir, err := filepath.Abs(c.Dir.Path(""))
	if err != nil {
		return "", fmt.Errorf("campaign: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("campaign: %w", err)
	}
	for _, e := range entries {
		if name := e.Name(); name == resultFile || strings.HasPrefix(name, "."+resultFile+".") {
			_ = os.Remove(filepath.Join(dir, name)) // one that stays is overwritten
		}
	}
	_ = os.Remove(logPath) // an older one is not what the new one wrote
	return filepath.Join(dir, resultFile), nil
}

// childEnv takes the settings of the race detector out of the user's hands:
// with others a report might not reach the exit code or the log. The second
// that it sleeps at exit, for races of goroutines that are left, is not needed
// after a check that none is.
func childEnv() []string {
	return append(os.Environ(), fmt.Sprintf("GORACE=halt_on_error=0 atexit_sleep_ms=0 exitcode=%d", raceExit), "GOTRACEBACK=all")
}
