package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
	"github.com/exactlyonce/certify/soak/campaign"
	"github.com/exactlyonce/certify/soak/machine"
)

func resumeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "resume DIR",
		Short: "Go on with a run that was interrupted or killed, at the next repetition",
		Args:  dirArg,
		RunE:  func(c *cobra.Command, args []string) error { return resume(c, args[0]) },
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
	facts := machine.Read(ctx)
	runner := dir.Path(runnerFile)
	sha, err := campaign.SHA256(runner)
	if errors.Is(err, fs.ErrNotExist) { // killed while it was built, or removed since
		ui.building(plan)
		sha, err = campaign.Build(ctx, runner, plan.Race)
	}
	if err != nil {
		return err
	}
	if err := pins(dir, sha, facts); err != nil {
		return changed(err)
	}
	ui.plan(plan, facts, path)
	ui.resuming(contents, plan)
	return carryOut(ctx, ui, dir, plan, runner, facts)
}

func open(path string) (*rundir.Dir, error) {
	dir, err := rundir.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
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

// writeBench derives bench.txt from the records.
func writeBench(dir *rundir.Dir, facts machine.Facts) error {
	cfg := []record.ConfigLine{
		{Key: "goos", Value: facts.GOOS}, {Key: "goarch", Value: facts.GOARCH}, {Key: "cpu", Value: facts.CPU},
		{Key: "go", Value: facts.Go}, {Key: "commit", Value: facts.Commit},
	}
	var b bytes.Buffer
	if err := record.WriteBench(&b, cfg, dir.Contents().Records); err != nil {
		return err
	}
	return dir.WriteFile("bench.txt", b.Bytes())
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
