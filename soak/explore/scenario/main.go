package scenario

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/soak/explore"
)

// Driver is the source of a main package that explores the back ends of a
// package, which exports func Backends[E any]() []queues.Backend[*E].
func Driver(importPath string) string {
	return fmt.Sprintf(`package main

import (
	"os"

	subject %q
	"github.com/exactlyonce/certify/soak/explore/scenario"
)

func main() {
	os.Exit(scenario.Main(subject.Backends[scenario.Item](), os.Args[1:], os.Stdout, os.Stderr))
}
`, importPath)
}

// job is what the flags of a driver say.
type job struct {
	backend, scenario, replay string
	length, each              int
	first                     bool
	budget                    time.Duration
	config                    Config
}

// Main is the main function of a [Driver]. It prints one [Result] a line, as
// JSON, and returns 0 if all passed, 1 if something failed, 2 if the arguments
// make no sense.
func Main(backends []queues.Backend[*Item], args []string, out, complaints io.Writer) int {
	j := job{}
	flags := flag.NewFlagSet("explore", flag.ContinueOnError)
	flags.SetOutput(complaints)
	flags.StringVar(&j.backend, "backend", "", "only this back end")
	flags.StringVar(&j.scenario, "scenario", "", "only this scenario, such as PPpp|1|1 or ED|ED")
	flags.StringVar(&j.replay, "replay", "", "only this schedule of the scenario")
	flags.IntVar(&j.length, "length", 6, "deques: most operations of the owner")
	flags.IntVar(&j.each, "each", 2, "injectors: most operations of a thread")
	flags.BoolVar(&j.first, "first", false, "stop at a back end's first failure")
	flags.IntVar(&j.config.Capacity, "capacity", 2, "of the queues")
	flags.Uint64Var(&j.config.Start, "start", 0, "of the queues' counters")
	flags.IntVar(&j.config.Options.Executions, "executions", 200_000, "most of one scenario; past them only orders with few preemptions, as many again; 0: no limit")
	flags.DurationVar(&j.budget, "time", 0, "most for one scenario; 0: no limit")
	flags.BoolVar(&j.config.Options.RealTime, "realtime", false, "tell orders apart by which call ended before which began")
	flags.IntVar(&j.config.Options.Solo, "solo", 0, "let each thread run alone from everywhere, at most so many steps")
	if flags.Parse(args) != nil {
		return 2
	}
	j.config.Options.Time = j.budget
	if err := j.check(); err != nil {
		fmt.Fprintln(complaints, err)
		return 2
	}
	return j.all(backends, out)
}

func (j *job) check() error {
	if j.scenario != "" {
		if _, err := Parse(j.scenario); err != nil {
			return err
		}
	} else if j.replay != "" {
		return fmt.Errorf("scenario: -replay needs -scenario")
	}
	return nil
}

func (j *job) all(backends []queues.Backend[*Item], out io.Writer) (code int) {
	print := json.NewEncoder(out)
	j.config = j.config.withDefaults()
	for _, b := range backends {
		if j.backend != "" && b.Name != j.backend {
			continue
		}
		for _, s := range j.scenarios(b.Kind()) {
			r := j.one(s, b)
			if r.Verdict != explore.Passed.String() {
				code = 1
			}
			if err := print.Encode(r); err != nil {
				return 1
			}
			if j.first && r.Verdict != explore.Passed.String() {
				break
			}
		}
	}
	return code
}

func (j *job) one(s Scenario, b queues.Backend[*Item]) Result {
	if j.replay == "" {
		return Run(s, b, j.config)
	}
	r, err := Replay(s, j.replay, b, j.config)
	if err != nil {
		return Result{Backend: b.Name, Scenario: s.String(), Verdict: explore.Invalid.String(), Invalid: err.Error()}
	}
	return r
}

func (j *job) scenarios(kind queues.Kind) []Scenario {
	if j.scenario != "" {
		s, err := Parse(strings.TrimSpace(j.scenario))
		if err != nil || s.Kind != kind {
			return nil
		}
		return []Scenario{s}
	}
	if kind == queues.KindDeque {
		return Deques(2, j.length)
	}
	return Injectors(j.each)
}
