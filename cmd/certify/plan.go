package main

import (
	"crypto/rand"
	"encoding/binary"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/campaign"
	"github.com/exactlyonce/certify/soak/explore/survey"
	"github.com/exactlyonce/certify/soak/guard"
)

// resolve makes the plan of what the command line and the settings say.
func (f *planFlags) resolve(c *cobra.Command) (p campaign.Plan, err error) {
	if err := f.fitExecutor(c); err != nil {
		return p, err
	}
	if f.sources, err = applySettings(c); err != nil {
		return p, err
	}
	if err := f.usePreset(); err != nil {
		return p, err
	}
	if err := f.useShard(); err != nil {
		return p, err
	}
	if err := f.imports.read(c, f); err != nil {
		return p, err
	}
	if p, err = f.plan(); err != nil {
		return p, err
	}
	if f.shard.Part() {
		if _, err := p.Shards(f.shard.Of); err != nil {
			return p, usage("%s %s: %w; more --drill, --workers or --tasks make more groups", f.given("shard"), f.shard, err)
		}
	}
	return p, nil
}

// plan makes the plan, or a usage error that names the flag.
func (f *planFlags) plan() (campaign.Plan, error) {
	p := campaign.Plan{
		Schema: campaign.PlanSchema, First: 1, Reps: f.reps, Seed: f.seed,
		Race: f.race, KeepGoing: f.keepGoing, Stall: f.stall, Deadline: f.deadline,
	}
	if err := f.check(); err != nil {
		return p, err
	}
	if f.onlyRep > 0 {
		p.First, p.Reps = f.onlyRep, 1
	}
	if p.Seed == 0 {
		p.Seed = newSeed()
	}
	var err error
	if p.CeilingB, err = f.parseBytes("memory", f.memory); err != nil {
		return p, err
	}
	if p.LowWaterB, err = f.parseBytes("low-water", f.lowWater); err != nil {
		return p, err
	}
	if p.Fault, err = f.parseFault(p.First, p.First+p.Reps-1); err != nil {
		return p, err
	}
	if p.Cells, err = f.cells(); err != nil {
		return p, err
	}
	p.Import, p.Skipped = f.imports.path, f.skipped()
	if f.canaries {
		p.Explorations = f.imports.explorable(campaign.Explorations(p.Cells, f.surveySize()))
	}
	if f.withStrata() {
		if p.Fault == nil { // which is of a ledger, and histories have none
			p.Cells = campaign.WithHistories(p.Cells)
		}
		p.Cells = campaign.WithStrata(p.Cells)
	}
	p.Laws = f.laws(p.Cells)
	if f.canaries {
		p.Canaries, p.CanaryReps, p.WithFloors = campaign.Canaries(canaryWorkers), canaryReps(p.Reps), true
	}
	if err := p.Validate(); err != nil {
		return p, usageError{err}
	}
	return p, f.fits(p)
}

// laws are those that the cells' histories are held against.
func (f *planFlags) laws(cells []campaign.Cell) (all []campaign.Laws) {
	for _, c := range cells {
		if !slices.Contains(soak.HistoryDrills(), c.Drill) {
			continue
		}
		for _, l := range f.imports.laws(c.Subject) {
			laws := campaign.Laws{Subject: c.Subject, Laws: l}
			same := func(o campaign.Laws) bool { return o.Subject == c.Subject && o.Drill == l.Drill }
			if l.Drill == c.Drill && !slices.ContainsFunc(all, same) {
				all = append(all, laws)
			}
		}
	}
	return all
}

// surveySize is how far the back ends are explored.
func (f *planFlags) surveySize() survey.Size {
	switch f.preset {
	case "quick":
		return survey.Quick
	case "standard":
		return survey.Standard
	}
	return survey.Long
}

// canaryWorkers are enough for each fault to show.
const canaryWorkers = 2

// canaryReps: a long run has time to tell how surely each canary is caught.
func canaryReps(reps int) int {
	if reps >= cardReps {
		return 3
	}
	return 1
}

// check refuses what makes no sense, by the flag's name.
func (f *planFlags) check() error {
	for _, n := range []struct {
		flag        string
		least, most int
		values      []int
	}{
		{"tasks", 1, math.MaxInt, f.tasks}, {"batch", 1, math.MaxInt, []int{f.batch}}, {"workers", 0, math.MaxInt, f.workers},
		{"procs", 0, 1 << 16, f.procs}, {"reps", 1, campaign.MaxReps, []int{f.reps}}, {"rep", 0, campaign.MaxReps, []int{f.onlyRep}},
	} {
		if len(n.values) == 0 {
			return usage("%s: want at least one number", f.given(n.flag))
		}
		if least := slices.Min(n.values); least < n.least {
			return usage("%s %d: want at least %d", f.given(n.flag), least, n.least)
		}
		if most := slices.Max(n.values); most > n.most {
			return usage("%s %d: want at most %d", f.given(n.flag), most, n.most)
		}
	}
	switch {
	case f.stall <= 0:
		return usage("%s %v: want a positive duration, such as 1m", f.given("stall"), f.stall)
	case f.deadline < 0:
		return usage("%s %v: want a duration, or 0 for none", f.given("deadline"), f.deadline)
	}
	return nil
}

func (f *planFlags) parseFault(first, last int) (*campaign.Fault, error) {
	if f.fault == "" {
		return nil, nil
	}
	fault, err := campaign.ParseFault(f.fault)
	for _, drill := range f.drills {
		if err == nil {
			_, err = soak.Spec{Drill: drill, Fault: fault.Name}.Resolve()
		}
	}
	if err != nil {
		return nil, usage("%s: %w", f.given("fault"), err)
	}
	if fault.Rep < first || fault.Rep > last {
		return nil, usage("%s %s: the repetitions are %d to %d", f.given("fault"), f.fault, first, last)
	}
	return fault, nil
}

// cells crosses what is a list. Workers of 0 and their number may both be
// given: the same cell is there once.
func (f *planFlags) cells() ([]campaign.Cell, error) {
	subjects, err := f.subjects()
	if err != nil {
		return nil, err
	}
	drills, err := f.chosenDrills(subjects)
	if err != nil {
		return nil, err
	}
	var cells []campaign.Cell
	for _, d := range drills {
		sizes, batch := f.sizes(d)
		for _, s := range subjects {
			if f.imports.lacks(s, d) {
				continue
			}
			for _, workers := range f.workers {
				if workers == 0 {
					workers = runtime.GOMAXPROCS(0)
				}
				for _, tasks := range sizes {
					cell := campaign.Cell{Drill: d.Name, Subject: s, Workers: workers, Tasks: tasks, Batch: min(batch, tasks)}
					for _, cell := range f.disturbed(cell) {
						if !slices.Contains(cells, cell) {
							cells = append(cells, cell)
						}
					}
				}
			}
		}
	}
	return cells, nil
}

// disturbed crosses a cell with --procs and --perturb.
func (f *planFlags) disturbed(c campaign.Cell) (cells []campaign.Cell) {
	for _, procs := range f.procs {
		for _, perturb := range f.perturb {
			c.Procs, c.Perturb = procs, strings.TrimPrefix(perturb, "none")
			cells = append(cells, c)
		}
	}
	return cells
}

// withStrata: a certificate is of more than one kind of load, unless somebody has
// said of which.
func (f *planFlags) withStrata() bool {
	if !f.canaries || f.preset == "quick" || f.onlyRep > 0 {
		return false
	}
	return !slices.ContainsFunc([]string{"workers", "batch", "procs", "perturb"}, f.set.Changed)
}

// sizes are the numbers of tasks and the batch for a drill: its own, unless
// somebody said otherwise.
func (f *planFlags) sizes(d soak.Drill) (tasks []int, batch int) {
	tasks, batch = f.tasks, f.batch
	if d.Name != soak.ExactlyOnce && !f.set.Changed("tasks") {
		tasks = []int{d.Tasks}
	}
	if !f.set.Changed("batch") {
		batch = d.Batch
	}
	if f.share > 1 && !f.set.Changed("tasks") {
		tasks = []int{max(1, tasks[0]/f.share)}
	}
	return tasks, batch
}

// chosenDrills are those that the flag names. All are those that a subject can do,
// as they are for subjects of others unless somebody said otherwise; what is named
// and none can do is an error.
func (f *planFlags) chosenDrills(subjects []soak.SubjectName) (chosen []soak.Drill, err error) {
	all := slices.Equal(f.drills, []string{"all"}) || f.imports.path != "" && !f.set.Changed("drill")
	named := f.drills
	if all {
		named = nil
		for _, d := range soak.Drills() {
			named = append(named, d.Name)
		}
	}
	for _, name := range named {
		d, err := soak.FindDrill(name)
		if err == nil {
			err = f.fit(d, subjects)
		}
		switch {
		case err == nil:
			chosen = append(chosen, d)
		case !all:
			return nil, usage("%s: %w", f.given("drill"), err)
		}
	}
	if len(chosen) == 0 {
		return nil, usage("%s: want a name, or all", f.given("drill"))
	}
	return chosen, nil
}

// fit returns an error when no subject can do the drill.
func (f *planFlags) fit(d soak.Drill, subjects []soak.SubjectName) (why error) {
	for _, s := range subjects {
		var e soak.Executor
		err := f.imports.fits(s, d)
		if !s.Given() {
			if e, err = s.Make(nil); err == nil {
				err = d.Fits(e)
			}
		}
		if err == nil {
			return nil
		}
		why = err
	}
	return why
}

// fits refuses a repetition that this machine cannot hold. The race detector
// keeps a shadow of a few times what the program has. A host below its
// low-water mark already is for the guard to tell.
func (f *planFlags) fits(p campaign.Plan) error {
	available, err := guard.HostAvailable()
	if err != nil {
		return err
	}
	room := available
	if available > p.LowWaterB {
		room -= p.LowWaterB
	}
	for _, c := range p.Cells {
		need := soak.Spec{Drill: c.Drill, Tasks: c.Tasks, Batch: c.Batch, Workers: c.Workers}.FootprintB()
		if p.Race {
			need *= 5
		}
		if need > float64(room) {
			return usage("%s %d with a batch of %d and %d workers: a repetition would hold about %s, and this machine has %s to give, with %s left alone for --low-water",
				f.given("tasks"), c.Tasks, c.Batch, c.Workers, bytesText(need), bytesText(float64(room)), bytesText(float64(p.LowWaterB)))
		}
	}
	return nil
}

func bytesText(b float64) string {
	return humanize.IBytes(uint64(math.Max(0, math.Min(b, math.MaxInt64))))
}

func (f *planFlags) parseBytes(flag, text string) (int64, error) {
	n, err := humanize.ParseBytes(text)
	if err != nil || n > math.MaxInt64 || strings.Contains(text, "-") {
		return 0, usage("%s %q: want a size such as 512MiB, or 0 for none", f.given(flag), text)
	}
	return int64(n), nil
}

// newSeed is printed with the plan, so that the run can be repeated.
func newSeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: it would end the program
	return binary.BigEndian.Uint64(b[:]) | 1
}
