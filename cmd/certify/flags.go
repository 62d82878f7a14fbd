package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/catalog"
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/campaign"
	"github.com/exactlyonce/certify/soak/guard"
)

// planFlags are the flags of run and soak. What is a list is crossed with
// what else is one.
type planFlags struct {
	drill                string
	executor             string
	injectors, deques    []string
	workers, tasks       []int
	batch, reps, onlyRep int
	seed                 uint64
	race, keepGoing      bool
	stall, deadline      time.Duration
	memory, lowWater     string
	out                  string
	fault                string
}

func (f *planFlags) define(c *cobra.Command, reps int) {
	fs := c.Flags()
	fs.StringVar(&f.drill, "drill", soak.ExactlyOnce, "what to run: see certify list")
	fs.StringVar(&f.executor, "executor", soak.WorkStealingName, "what to run it on: workstealing, or goroutines as the baseline")
	fs.StringSliceVar(&f.injectors, "injector", []string{"msqueue"}, "injectors of the executor, or all")
	fs.StringSliceVar(&f.deques, "deque", []string{"chaselev"}, "deques of the executor, or all")
	fs.IntSliceVar(&f.workers, "workers", []int{0}, "workers; 0 is one a processor")
	fs.IntSliceVar(&f.tasks, "tasks", []int{soak.CardTasks}, "tasks a repetition")
	fs.IntVar(&f.batch, "batch", soak.DefaultBatch, "tasks in flight at once")
	fs.IntVar(&f.reps, "reps", reps, "repetitions of each combination, in a process each")
	fs.IntVar(&f.onlyRep, "rep", 0, "run only the repetition of this number")
	fs.Uint64Var(&f.seed, "seed", 0, "what the repetitions' seeds are derived from; 0 is a new one")
	fs.BoolVar(&f.race, "race", true, "under the race detector")
	fs.BoolVar(&f.keepGoing, "keep-going", false, "go on after a failed repetition")
	fs.DurationVar(&f.stall, "stall", time.Minute, "no progress for so long is a failure")
	fs.DurationVar(&f.deadline, "deadline", 15*time.Minute, "a repetition that takes longer is a failure; 0 is none")
	fs.StringVar(&f.memory, "memory", "1GiB", "a repetition that takes more is a failure; 0 is none")
	fs.StringVar(&f.lowWater, "low-water", "256MiB", "stop when the host has less memory left; 0 is never")
	fs.StringVar(&f.out, "out", "", "directory of the run, which must not exist or be empty (default certify-runs/DATE-TIME)")
	fs.StringVar(&f.fault, "fault", "", "make a repetition misbehave: NAME@REPETITION")
	_ = fs.MarkHidden("fault") // it exists: defined above
	_ = fs.MarkHidden("rep")
}

// plan makes the plan, or a usage error that names the flag.
func (f *planFlags) plan(ctx context.Context) (campaign.Plan, error) {
	p := campaign.Plan{
		Schema: campaign.PlanSchema, First: 1, Reps: f.reps, Seed: f.seed,
		Race: f.race, KeepGoing: f.keepGoing, Stall: f.stall, Deadline: f.deadline,
	}
	if err := f.positive(); err != nil {
		return p, err
	}
	if f.onlyRep > 0 {
		p.First, p.Reps = f.onlyRep, 1
	}
	if p.Seed == 0 {
		p.Seed = newSeed()
	}
	var err error
	if p.CeilingB, err = parseBytes("memory", f.memory); err != nil {
		return p, err
	}
	if p.LowWaterB, err = parseBytes("low-water", f.lowWater); err != nil {
		return p, err
	}
	if f.fault != "" {
		if p.Fault, err = campaign.ParseFault(f.fault); err != nil {
			return p, usageError{err}
		}
	}
	if p.Cells, err = f.cells(); err != nil {
		return p, err
	}
	if err := p.Validate(); err != nil {
		return p, usageError{err}
	}
	return p, fits(p)
}

// positive refuses numbers that make no sense, by the flag's name.
func (f *planFlags) positive() error {
	check := func(name string, least int, values ...int) error {
		for _, v := range values {
			if v < least {
				return usage("--%s %d: want at least %d", name, v, least)
			}
		}
		return nil
	}
	for _, err := range []error{
		check("tasks", 1, f.tasks...), check("batch", 1, f.batch), check("reps", 1, f.reps),
		check("workers", 0, f.workers...), check("rep", 0, f.onlyRep),
	} {
		if err != nil {
			return err
		}
	}
	switch {
	case f.stall <= 0:
		return usage("--stall %v: want a positive duration", f.stall)
	case f.deadline < 0:
		return usage("--deadline %v: want a duration, or 0 for none", f.deadline)
	case len(f.tasks) == 0 || len(f.workers) == 0:
		return usage("--tasks and --workers: want at least one number")
	}
	return nil
}

func (f *planFlags) cells() ([]campaign.Cell, error) {
	subjects, err := f.subjects()
	if err != nil {
		return nil, err
	}
	var cells []campaign.Cell
	for _, s := range subjects {
		for _, workers := range f.workers {
			if workers == 0 {
				workers = runtime.GOMAXPROCS(0)
			}
			for _, tasks := range f.tasks {
				cells = append(cells, campaign.Cell{
					Drill: f.drill, Subject: s, Workers: workers, Tasks: tasks, Batch: min(f.batch, tasks),
				})
			}
		}
	}
	return cells, nil
}

func (f *planFlags) subjects() ([]soak.SubjectName, error) {
	if f.executor != soak.WorkStealingName {
		return []soak.SubjectName{{Kind: f.executor}}, nil
	}
	var subjects []soak.SubjectName
	for _, in := range names(f.injectors, queues.KindInjector) {
		for _, de := range names(f.deques, queues.KindDeque) {
			subjects = append(subjects, soak.SubjectName{Kind: f.executor, Injector: in, Deque: de})
		}
	}
	return subjects, nil
}

// names replaces "all" by all names of a kind.
func names(given []string, kind queues.Kind) []string {
	if len(given) != 1 || given[0] != "all" {
		return given
	}
	var all []string
	for _, b := range catalog.Backends[executor.Task]() {
		if b.Kind() == kind {
			all = append(all, b.Name)
		}
	}
	return all
}

// fits refuses a repetition that this machine cannot hold. The race detector
// keeps a shadow of a few times what the program has.
func fits(p campaign.Plan) error {
	available, err := guard.HostAvailable()
	if err != nil {
		return fmt.Errorf("certify: %w", err)
	}
	room := float64(available - p.LowWaterB)
	for _, c := range p.Cells {
		need := soak.Spec{Tasks: c.Tasks, Batch: c.Batch, Workers: c.Workers}.FootprintB()
		if p.Race {
			need *= 5
		}
		if need > room {
			return usage("--tasks %d with --batch %d and --workers %d: a repetition would hold about %s, and this machine has %s to give",
				c.Tasks, c.Batch, c.Workers, bytesText(need), bytesText(room))
		}
	}
	return nil
}

func bytesText(b float64) string {
	return humanize.IBytes(uint64(math.Max(0, math.Min(b, math.MaxInt64))))
}

func parseBytes(flag, text string) (int64, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "-") {
		return 0, usage("--%s %s: want a size such as 512MiB, or 0 for none", flag, text)
	}
	n, err := humanize.ParseBytes(text)
	if err != nil || n > math.MaxInt64 {
		return 0, usage("--%s %s: want a size such as 512MiB, or 0 for none", flag, text)
	}
	return int64(n), nil
}

// newSeed is printed with the plan, so that the run can be repeated.
func newSeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: it would end the program
	return binary.BigEndian.Uint64(b[:]) | 1
}
