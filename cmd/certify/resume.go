package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/reports/rundir"
	"github.com/exactlyonce/certify/soak/campaign"
	"github.com/exactlyonce/certify/soak/machine"
)

func resumeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "resume DIR",
		Short: "Go on with a run that was interrupted or killed, at the next repetition",
		Long: `Resume goes on with a run, by the same plan and the same programs, which are in
the run directory: it runs code of whoever made that, and of the package that the
run imports, if it does.`,
		Args: dirArg,
		RunE: func(c *cobra.Command, args []string) error { return resume(c, args[0]) },
	}
}

func resume(c *cobra.Command, path string) error {
	ctx, ui := c.Context(), newUI(c)
	dir, err := open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	contents := dir.Contents()
	plan, err := campaign.DecodePlan(contents.Plan)
	if err != nil {
		return usageError{err}
	}
	if contents.Shard.Merged() && !plan.Finished(contents.Records) {
		return usage("resume %s: a run that was merged does not go on: run the shard that is missing, and merge again", path)
	}
	if plan, err = plan.Part(contents.Shard); err != nil {
		return usageError{err}
	}
	facts := machine.Read(ctx)
	if ctx.Err() != nil {
		return campaign.ErrInterrupted // facts that were not read say nothing of the machine
	}
	if plan.Import != "" && !plan.Finished(contents.Records) {
		ui.say("certify: the run imports %s: its code runs on this machine, as go test would run it", plan.Import)
	}
	ui.plan(plan, facts, dir.Path(""))
	ui.resuming(contents, plan)
	if !plan.Finished(contents.Records) && !exists(dir.Path(runnerFile)) {
		if err := campaign.Check(ctx, plan.Race); err != nil {
			return err
		}
	}
	return proceed(ctx, ui, dir, plan, facts)
}

func open(path string) (*rundir.Dir, error) {
	dir, err := rundir.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, usage("resume %s: not the directory of a run: %w", path, err)
	case errors.As(err, new(*rundir.LockedError)):
		return nil, usageError{err}
	}
	return dir, changed(err)
}

// changed makes a usage error of a run that cannot go on as it began.
func changed(err error) error {
	if errors.As(err, new(*rundir.ChangedError)) {
		return usage("%w; begin a new run", err)
	}
	return err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func hash(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }

// absolute keeps a program that is named without a directory from being
// looked for in PATH.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
