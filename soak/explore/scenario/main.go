package scenario

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/soak/explore/trial"
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
	trial.Job
	backend      string
	length, each int
	config       Config
}

// Main is the main function of a [Driver]. It prints one [Result] a line, as
// JSON, and returns 0 if all passed, 1 if something failed, 2 if the arguments
// make no sense.
func Main(backends []queues.Backend[*Item], args []string, out, complaints io.Writer) int {
	j := job{}
	flags := flag.NewFlagSet("explore", flag.ContinueOnError)
	flags.SetOutput(complaints)
	j.Flags(flags)
	flags.StringVar(&j.backend, "backend", "", "only this back end")
	flags.IntVar(&j.length, "length", 6, "deques: most operations of the owner")
	flags.IntVar(&j.each, "each", 2, "injectors: most operations of a thread")
	flags.IntVar(&j.config.Capacity, "capacity", 2, "of the queues")
	flags.Uint64Var(&j.config.Start, "start", 0, "of the queues' counters")
	flags.BoolVar(&j.Options.RealTime, "realtime", false, "tell orders apart by which call ended before which began")
	if flags.Parse(args) != nil {
		return 2
	}
	if err := j.check(); err != nil {
		fmt.Fprintln(complaints, err)
		return 2
	}
	return j.all(backends, out)
}

func (j *job) check() error {
	if j.Program != "" {
		if _, err := Parse(j.Program); err != nil {
			return err
		}
	}
	return j.Check()
}

func (j *job) all(backends []queues.Backend[*Item], out io.Writer) (code int) {
	for _, b := range backends {
		if j.backend != "" && b.Name != j.backend {
			continue
		}
		var programs []trial.Program
		for _, s := range j.scenarios(b.Kind()) {
			if p, err := j.config.play(s, b); err == nil {
				programs = append(programs, p)
			}
		}
		code = max(code, j.Each(b.Name, programs, out))
	}
	return code
}

func (j *job) scenarios(kind queues.Kind) []Scenario {
	if j.Program != "" {
		s, err := Parse(strings.TrimSpace(j.Program))
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
