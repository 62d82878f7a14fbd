package main

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
)

// planFlags are the flags of run and soak. What is a list is crossed with
// what else is one.
type planFlags struct {
	drills               []string
	executor             string
	injectors, deques    []string
	workers, tasks       []int
	procs                []int
	perturb              []string
	batch, reps, onlyRep int
	seed                 uint64
	race, keepGoing      bool
	stall, deadline      time.Duration
	memory, lowWater     string
	out                  string
	fault                string
	imports              imports
	shardText, preset    string
	share                int // of a drill's own tasks: one in so many; 0 is all

	shard    record.Shard
	canaries bool // run first what must be caught
	set      *pflag.FlagSet
	sources  map[string]string // where a flag's value is from, unless the command line
}

// given names a flag by where its value is from, for error messages.
func (f *planFlags) given(flag string) string {
	if source := f.sources[flag]; source != "" {
		return source
	}
	return "--" + flag
}

// perturbations are the names for --perturb.
func perturbations() string {
	names := "none"
	for _, p := range soak.Perturbations() {
		names += ", " + p[0]
	}
	return names
}

// cardReps are the repetitions of the card's job.
const cardReps = 100

func (f *planFlags) define(c *cobra.Command, reps int) {
	fs := c.Flags()
	f.set = fs
	fs.StringSliceVar(&f.drills, "drill", []string{soak.ExactlyOnce}, "what to run: see certify list; or all")
	fs.StringVar(&f.executor, "executor", soak.WorkStealingName, "what to run it on: workstealing, or goroutines as the baseline")
	fs.StringVar(&f.imports.path, "import", "", "package of yours that exports Executors() or Backends(), whose code is built in and run")
	fs.StringSliceVar(&f.injectors, "injector", []string{"sharded"}, "injectors of the executor, or all")
	fs.StringSliceVar(&f.deques, "deque", []string{"claim"}, "deques of the executor, or all")
	fs.IntSliceVar(&f.workers, "workers", []int{0}, "workers; 0 is one a processor")
	fs.IntSliceVar(&f.tasks, "tasks", []int{soak.CardTasks}, "tasks, or rounds, a repetition; other drills than exactly-once have defaults of their own")
	fs.IntVar(&f.batch, "batch", soak.DefaultBatch, "tasks in flight at once; as --tasks")
	fs.IntSliceVar(&f.procs, "procs", []int{0}, "GOMAXPROCS of a repetition; 0 is what it would be")
	fs.StringSliceVar(&f.perturb, "perturb", []string{"none"}, "ways to disturb the schedule: "+perturbations())
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
	fs.StringVar(&f.preset, "preset", "", "defaults by the time they take: "+presetNames())
	fs.StringVar(&f.shardText, "shard", "", "only this part of the plan, such as 2/4; certify merge joins the parts")
	fs.StringVar(&f.fault, "fault", "", "make a repetition misbehave: NAME@REPETITION")
	_ = fs.MarkHidden("fault") // it exists: defined above
	_ = fs.MarkHidden("rep")
}
