package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/reports/rundir"
	"github.com/exactlyonce/certify/soak/campaign"
	"github.com/exactlyonce/certify/soak/machine"
)

func runCommand() *cobra.Command {
	return planCommand(100, &cobra.Command{
		Use:   "run",
		Short: "The certificate: 100 repetitions of 1,000,000 tasks, exactly once, under -race",
		Example: `  certify run                              # the card's job: some minutes
  certify run --reps 5 --tasks 100000      # a taste of it: a minute
  certify run --injector all --deque all   # every pair of back ends`,
	})
}

func soakCommand() *cobra.Command {
	return planCommand(1, &cobra.Command{
		Use:   "soak",
		Short: "Only the soak: any drill, on any subject",
		Example: `  certify soak --reps 20 --injector all --deque all
  certify soak --executor goroutines       # the baseline for time and memory
  certify soak --workers 1,2,3,8 --tasks 1,63,64,65,4095,4097`,
	})
}

func planCommand(reps int, c *cobra.Command) *cobra.Command {
	var f planFlags
	f.define(c, reps)
	c.Args = noArgs
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := applySettings(c); err != nil {
			return err
		}
		plan, err := f.plan(c.Context())
		if err != nil {
			return err
		}
		return begin(c, plan, f.out)
	}
	return c
}

// runnerFile is the repetitions' binary in the run directory. It stays, so
// that a resumed run goes on with the very same one.
const runnerFile = "runner.bin"

// What a run is pinned to beside its plan.
const (
	pinRunner  = "runner"
	pinMachine = "machine"
)

// begin makes the run directory and carries out the plan.
func begin(c *cobra.Command, plan campaign.Plan, out string) error {
	ctx, ui := c.Context(), newUI(c)
	now := time.Now()
	if out == "" {
		out = filepath.Join("certify-runs", now.Format("20060102-150405"))
	}
	// Before anything is written: a machine that cannot do it leaves no trace.
	if plan.Race {
		if err := campaign.CheckRace(ctx); err != nil {
			return err
		}
	}
	facts := machine.Read(ctx)
	dir, err := create(out, now, plan, facts)
	if err != nil {
		return err
	}
	defer dir.Close()
	ui.plan(plan, facts, out)
	ui.building(plan)
	runner := dir.Path(runnerFile)
	sha, err := campaign.Build(ctx, runner, plan.Race)
	if err != nil {
		return err
	}
	if err := pins(dir, sha, facts); err != nil {
		return err
	}
	return carryOut(ctx, ui, dir, plan, runner, facts)
}

func create(out string, now time.Time, plan campaign.Plan, facts machine.Facts) (*rundir.Dir, error) {
	planJSON, err := plan.Encode()
	if err != nil {
		return nil, err
	}
	env, err := json.MarshalIndent(facts, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode environment: %w", err)
	}
	id := fmt.Sprintf("%s-%04x", now.UTC().Format("20060102-150405"), plan.Seed&0xffff)
	dir, err := rundir.Create(out, id, planJSON, append(env, '\n'))
	if errors.Is(err, rundir.ErrExists) || errors.As(err, new(*rundir.LockedError)) {
		return nil, usageError{err}
	}
	return dir, err
}

func pins(dir *rundir.Dir, runnerSHA string, facts machine.Facts) error {
	if err := dir.Pin(pinRunner, runnerSHA); err != nil {
		return err
	}
	return dir.Pin(pinMachine, hash(facts.Class()))
}

// carryOut runs what is missing, remakes what is derived and prints the
// verdict. It does the middle one for an interrupted run too.
func carryOut(ctx context.Context, ui *ui, dir *rundir.Dir, plan campaign.Plan, runner string, facts machine.Facts) error {
	run := campaign.Campaign{Plan: plan, Dir: dir, Runner: absolute(runner), Observer: ui}
	records, err := run.Run(ctx)
	ui.finish()
	if werr := writeBench(dir, facts); err == nil {
		err = werr
	}
	if errors.Is(err, campaign.ErrInterrupted) {
		ui.interrupted(dir, len(records), plan.Total())
	}
	if err != nil {
		return err
	}
	s := summarize(plan, records, dir.Path(""))
	if err := ui.result(s); err != nil {
		return err
	}
	if s.Exit != 0 {
		return verdictError{s.Exit}
	}
	return nil
}
