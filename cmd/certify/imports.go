package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/campaign"
	"github.com/exactlyonce/certify/soak/guard"
)

// imports is a package of others that is to be certified, and what is in it.
type imports struct {
	path   string
	temp   string // directory of the runner, until a run has it
	listed []soak.Listed
	// unexplored is why the explorer cannot look at a back end of the package.
	unexplored map[soak.SubjectName]string
}

// read builds a runner with the package, and asks it what it has.
func (i *imports) read(c *cobra.Command, f *planFlags) (err error) {
	if i.path == "" {
		return nil
	}
	ctx, ui := c.Context(), newUI(c)
	if err := f.check(); err != nil {
		return err // before minutes are spent
	}
	if err := campaign.Check(ctx, f.race); err != nil {
		return err
	}
	if i.path, err = campaign.ImportPath(ctx, i.path); err != nil {
		return importError(f, err)
	}
	ui.say("certify: --import runs the code of %s on this machine, as go test would", i.path)
	ui.building(campaign.Plan{Race: f.race})
	if i.temp, err = os.MkdirTemp("", "certify-import-"); err != nil {
		return err
	}
	if _, err := campaign.Build(ctx, i.runner(), f.race, i.path); err != nil {
		return importError(f, err)
	}
	limits, err := f.limits()
	if err != nil {
		return err
	}
	if i.listed, err = campaign.Listed(ctx, i.runner(), f.patience(), limits); err != nil {
		return importError(f, err)
	}
	if len(i.listed) == 0 {
		return usage("%s %s: it exports no executor and no back end", f.given("import"), i.path)
	}
	return i.probe(ctx, ui, f, limits)
}

// probe finds out which back ends the explorer can look at, if it is to.
func (i *imports) probe(ctx context.Context, ui *ui, f *planFlags, limits guard.Limits) (err error) {
	subjects, err := i.subjects(f)
	if err != nil || !f.canaries {
		return err
	}
	var cells []campaign.Cell
	for _, s := range subjects {
		cells = append(cells, campaign.Cell{Subject: s})
	}
	subjects = nil
	for _, c := range campaign.Explorations(cells, f.surveySize()) {
		subjects = append(subjects, c.Subject)
	}
	if len(subjects) == 0 {
		return nil
	}
	ui.say("certify: building %s with the scheduler underneath", i.path)
	i.unexplored, err = campaign.Probe(ctx, i.path, i.temp, subjects, limits)
	return err
}

// explorable leaves out what the explorer cannot look at.
func (i *imports) explorable(cells []campaign.Cell) []campaign.Cell {
	return slices.DeleteFunc(cells, func(c campaign.Cell) bool { return i.unexplored[c.Subject] != "" })
}

// patience is how long a package may take to say what it exports: as long as it may
// stand still later.
func (f *planFlags) patience() time.Duration {
	if f.deadline > 0 {
		return min(f.stall, f.deadline)
	}
	return f.stall
}

// limits are those of a process.
func (f *planFlags) limits() (l guard.Limits, err error) {
	if l.TreeB, err = f.parseBytes("memory", f.memory); err == nil {
		l.LowWaterB, err = f.parseBytes("low-water", f.lowWater)
	}
	return l, err
}

// importError is of the caller's choice if the package is what is wrong.
func importError(f *planFlags, err error) error {
	if errors.Is(err, campaign.ErrImport) {
		return usage("%s: %w", f.given("import"), err)
	}
	return err
}

func (i *imports) runner() string { return filepath.Join(i.temp, runnerFile) }

// move gives the runner, and the explorer if there is one, to a run; other disks are
// no obstacle.
func (i *imports) move(dir string) error {
	if i.temp == "" {
		return nil
	}
	for _, name := range []string{runnerFile, campaign.ExplorerFile, campaign.SitesFile} {
		err := copyFile(filepath.Join(i.temp, name), filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

func (i *imports) discard() {
	if i.temp != "" {
		_ = os.RemoveAll(i.temp)
	}
}

// subjects are those that --executor names, or all.
func (i *imports) subjects(f *planFlags) (all []soak.SubjectName, err error) {
	var known []string
	for _, l := range i.listed {
		known = append(known, l.Name)
		if f.set.Changed("executor") && l.Name != f.executor {
			continue
		}
		if l.Error != "" {
			return nil, usage("%s %s: %s", f.given("import"), i.path, l.Error)
		}
		all = append(all, soak.SubjectName{Kind: soak.ImportName, Name: l.Name, Injector: l.Injector, Deque: l.Deque})
	}
	if len(all) == 0 {
		return nil, usage("%s %q: %s has: %s", f.given("executor"), f.executor, i.path, strings.Join(known, ", "))
	}
	return all, nil
}

func (i *imports) find(s soak.SubjectName) *soak.Listed {
	for n := range i.listed {
		if s.Kind == soak.ImportName && i.listed[n].Name == s.Name {
			return &i.listed[n]
		}
	}
	return nil
}

// laws are those of a subject's bare queues.
func (i *imports) laws(s soak.SubjectName) []soak.Laws {
	if l := i.find(s); l != nil {
		return l.Laws
	}
	e, err := s.Make(nil)
	if err != nil {
		return nil // Validate finds it
	}
	return e.Laws()
}

// fits returns why an imported subject cannot do the drill.
func (i *imports) fits(s soak.SubjectName, d soak.Drill) error {
	if i.lacks(s, d) {
		return errors.New(i.find(s).Skipped[d.Name])
	}
	return nil
}

func (i *imports) lacks(s soak.SubjectName, d soak.Drill) bool {
	l := i.find(s)
	return l != nil && !slices.Contains(l.Drills, d.Name)
}

// skipped are the drills that imported subjects are not put through.
func (f *planFlags) skipped() (all []campaign.Skip) {
	for _, l := range f.imports.listed {
		for _, d := range soak.Drills() {
			if why, ok := l.Skipped[d.Name]; ok && (!f.set.Changed("executor") || l.Name == f.executor) {
				all = append(all, campaign.Skip{Subject: l.Name, Drill: d.Name, Why: why})
			}
		}
	}
	for s, why := range f.imports.unexplored {
		all = append(all, campaign.Skip{Subject: s.Name, Drill: campaign.ExploreDrill, Why: why})
	}
	slices.SortStableFunc(all, func(a, b campaign.Skip) int { return strings.Compare(a.Subject, b.Subject) })
	return all
}

// skips is what is left out, in a line a subject.
func skips(p campaign.Plan) (lines []string) {
	names := map[string][]string{}
	var order []string
	for _, s := range p.Skipped {
		if names[s.Subject] == nil {
			order = append(order, s.Subject)
		}
		names[s.Subject] = append(names[s.Subject], s.Drill)
	}
	for _, subject := range order {
		lines = append(lines, fmt.Sprintf("%s is not put through %s", subject, strings.Join(names[subject], ", ")))
	}
	return lines
}
