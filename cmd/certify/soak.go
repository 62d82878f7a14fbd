package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/blob"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
	"github.com/exactlyonce/certify/soak/campaign"
	"github.com/exactlyonce/certify/soak/machine"
)

func runCommand() *cobra.Command {
	return campaignCommand(planFlags{canaries: true}, cardReps, &cobra.Command{
		Use:   "run",
		Short: "The certificate: 100 repetitions of 1,000,000 tasks, exactly once, under -race",
		Example: `  certify run                              # the card's job: some minutes
  certify run --reps 5 --tasks 100000      # a taste of it: a minute
  certify run --injector all --deque all   # every pair of back ends`,
	})
}

func soakCommand() *cobra.Command {
	return campaignCommand(planFlags{}, 1, &cobra.Command{
		Use:   "soak",
		Short: "Only the soak: any drill, on any subject",
		Example: `  certify soak --reps 20 --injector all --deque all
  certify soak --executor goroutines       # the baseline for time and memory
  certify soak --workers 1,2,3,8 --tasks 1,63,64,65,4095,4097`,
	})
}

const settingsHelp = `.

Each repetition is a process of its own, and is on the disk before it counts: a
run that was interrupted or killed goes on with certify resume DIR.

A flag that is not given is taken from the environment, CERTIFY_LOW_WATER for
--low-water, else from the file certify.toml of the working directory, whose
keys are named like the flags: low-water = "1GiB".`

func campaignCommand(f planFlags, reps int, c *cobra.Command) *cobra.Command {
	f.define(c, reps)
	c.Long = c.Short + settingsHelp
	c.Args = noArgs
	c.RunE = func(c *cobra.Command, _ []string) error {
		defer f.imports.discard()
		plan, err := f.resolve(c)
		if err != nil {
			return err
		}
		return begin(c, plan, &f)
	}
	return c
}

// runnerFile is the repetitions' binary in the run directory. It stays, so
// that a resumed run goes on with the very same one.
const runnerFile = "runner.bin"

// pinMachine is what a run is pinned to beside its plan and its runner.
const pinMachine = "machine"

// begin makes the run directory and carries out the plan. What cannot be done
// here leaves no trace.
func begin(c *cobra.Command, plan campaign.Plan, f *planFlags) error {
	ctx, ui := c.Context(), newUI(c)
	if err := campaign.Check(ctx, plan.Race); err != nil {
		return err
	}
	facts := machine.Read(ctx)
	if ctx.Err() != nil {
		return campaign.ErrInterrupted // before facts that were not read are kept
	}
	dir, err := create(f.out, plan, f.shard, facts)
	if err != nil {
		return outError(f.given("out"), err)
	}
	defer dir.Close()
	if err := f.imports.move(dir.Path("")); err != nil {
		return err
	}
	part, err := plan.Part(f.shard)
	if err != nil {
		return usageError{err}
	}
	ui.plan(part, facts, dir.Path(""))
	return proceed(ctx, ui, dir, part, facts)
}

// create makes the directory out, or one that is named after the time.
func create(out string, plan campaign.Plan, shard record.Shard, facts machine.Facts) (*rundir.Dir, error) {
	planJSON, err := plan.Encode()
	if err != nil {
		return nil, err
	}
	env, err := json.MarshalIndent(facts, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode environment: %w", err)
	}
	env = append(env, '\n')
	now := time.Now()
	id := fmt.Sprintf("%s-%04x", now.UTC().Format("20060102-150405"), plan.Seed&0xffff)
	origin := rundir.Origin{Run: id, Shard: shard, Plan: planJSON, Env: env}
	if out != "" {
		return rundir.Create(out, origin)
	}
	out = filepath.Join("certify-runs", now.Format("20060102-150405"))
	dir, err := rundir.Create(out, origin)
	for n := 2; taken(err) && n < 100; n++ { // several in one second
		dir, err = rundir.Create(fmt.Sprintf("%s-%d", out, n), origin)
	}
	return dir, err
}

func taken(err error) bool {
	return errors.Is(err, rundir.ErrExists) || errors.As(err, new(*rundir.LockedError))
}

// outError tells a directory that cannot be one of a run, which is for the
// caller to choose, from a disk that is full.
func outError(flag string, err error) error {
	for _, choice := range []error{fs.ErrExist, fs.ErrNotExist, fs.ErrPermission, syscall.ENOTDIR, syscall.EROFS, syscall.ENAMETOOLONG} {
		if errors.Is(err, choice) {
			return usage("%s: %w", flag, err)
		}
	}
	if taken(err) {
		return usage("%s: %w", flag, err)
	}
	return err
}

// proceed brings a run, or the part of it that is for this machine, to its end
// from wherever it is.
func proceed(ctx context.Context, ui *ui, dir *rundir.Dir, plan campaign.Plan, facts machine.Facts) error {
	runner := dir.Path(runnerFile)
	var loaded *reports.Run
	err := prepare(ctx, ui, dir, plan, facts)
	if err == nil {
		run := campaign.Campaign{Plan: plan, Dir: dir, Runner: absolute(runner), Observer: ui}
		_, err = run.Run(ctx)
		ui.finish()
		var derivedErr error // of an interrupted run too
		if loaded, derivedErr = reports.Load(dir.Path("")); derivedErr == nil {
			derivedErr = writeDerived(dir, loaded)
		}
		err = errors.Join(err, derivedErr)
	}
	records := dir.Contents().Records
	if errors.As(err, new(*rundir.ChangedError)) {
		return changed(err)
	}
	if err != nil {
		return haltError{err, len(records), plan.Total(), dir.Path("")}
	}
	return conclude(ui, dir, loaded, plan)
}

// conclude says what the plan came to, which was carried out.
func conclude(ui *ui, dir *rundir.Dir, run *reports.Run, plan campaign.Plan) (err error) {
	s := summarize(run, groupsOf(run, plan))
	if run.Shard.Part() {
		if s.Blob, err = writeBlob(dir); err != nil {
			return err
		}
	}
	return ui.conclude(s)
}

// groupsOf are those of the run that the plan has.
func groupsOf(run *reports.Run, plan campaign.Plan) (groups []reports.Group) {
	planned := map[string]bool{}
	for _, c := range append(slices.Clone(plan.Cells), plan.Explorations...) {
		planned[plan.Key(c).String()] = true
	}
	for _, g := range run.Groups {
		if planned[g.Key.String()] {
			groups = append(groups, g)
		}
	}
	return groups
}

// writeBlob packs a part for the machine that merges.
func writeBlob(dir *rundir.Dir) (path string, err error) {
	name := blob.Name(dir.Contents())
	data, err := written(func(w io.Writer) error { return blob.Pack(w, dir.Path("")) })
	if err != nil {
		return "", err
	}
	return dir.Path(name), dir.WriteFile(name, data)
}

// prepare sees to it that the runner is there, and that it and the machine are
// those that the run began with. A run that has all its records needs neither.
func prepare(ctx context.Context, ui *ui, dir *rundir.Dir, plan campaign.Plan, facts machine.Facts) error {
	if plan.Finished(dir.Contents().Records) {
		return nil
	}
	runner := dir.Path(runnerFile)
	sha, err := campaign.SHA256(runner)
	if errors.Is(err, fs.ErrNotExist) { // a new run, one that was killed here, or it was removed
		ui.building(plan)
		sha, err = campaign.Build(ctx, runner, plan.Race, plan.Import)
	}
	if err != nil {
		return err
	}
	if err := dir.Pin(reports.RunnerPin, sha); err != nil {
		return err
	}
	if err := pinExplorer(ctx, ui, dir, plan); err != nil {
		return err
	}
	if err := pinModules(dir, runner); err != nil {
		return err
	}
	return dir.Pin(pinMachine, hash(facts.Class()))
}

// pinExplorer builds what explores the plan's back ends, if it has any.
func pinExplorer(ctx context.Context, ui *ui, dir *rundir.Dir, plan campaign.Plan) error {
	if n := len(plan.Explorations); n > 0 {
		ui.say("certify: building the explorer of %s", plural(n, "subject"))
	}
	sha, err := campaign.BuildExplorer(ctx, plan, dir.Path(""))
	if err != nil || sha == "" {
		return err
	}
	return dir.Pin(reports.ExplorerPin, sha)
}

// pinModules writes down of which published modules the runner was built.
func pinModules(dir *rundir.Dir, runner string) error {
	modules, err := campaign.Modules(runner)
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		if err == nil {
			err = dir.Pin(reports.ModulePin+name, modules[name])
		}
	}
	return err
}
