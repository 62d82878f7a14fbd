package trial

import (
	"encoding/json"
	"errors"
	"flag"
	"io"

	"github.com/exactlyonce/certify/soak/explore"
)

// Job is what an explorer is told: which program, or all, and how far.
type Job struct {
	Program string // only this one; empty: all that there are
	Replay  string // only this schedule of it
	First   bool   // stop at a subject's first failure
	Options explore.Options
}

// ErrReplay: a schedule without the program that it is of.
var ErrReplay = errors.New("trial: -replay needs -scenario")

// Flags adds the job's flags to those of an explorer. Check is for after parsing.
func (j *Job) Flags(flags *flag.FlagSet) {
	flags.StringVar(&j.Program, "scenario", "", "only this program, such as PPpp|1|1 or ED|ED")
	flags.StringVar(&j.Replay, "replay", "", "only this schedule of the program")
	flags.BoolVar(&j.First, "first", false, "stop at a subject's first failure")
	flags.IntVar(&j.Options.Executions, "executions", 200_000, "most of one program; past them only orders with few preemptions, as many again; 0: no limit")
	flags.DurationVar(&j.Options.Time, "time", 0, "most for one program; 0: no limit")
	flags.IntVar(&j.Options.Solo, "solo", 0, "let each thread run alone from everywhere, at most so many steps")
}

// Check returns an error for flags that make no sense together.
func (j *Job) Check() error {
	if j.Replay != "" && j.Program == "" {
		return ErrReplay
	}
	return nil
}

// Each runs the programs of a subject and prints a [Result] of each, a line of JSON.
// It returns the exit code: 1 if something failed.
func (j *Job) Each(subject string, programs []Program, out io.Writer) (code int) {
	print := json.NewEncoder(out)
	for _, p := range programs {
		r := j.one(subject, p)
		if !r.Passed() {
			code = 1
		}
		if err := print.Encode(r); err != nil {
			return 1
		}
		if j.First && !r.Passed() {
			break
		}
	}
	return code
}

func (j *Job) one(subject string, p Program) Result {
	if j.Replay == "" {
		return Run(subject, p, j.Options)
	}
	r, err := Replay(subject, p, j.Replay, j.Options)
	if err != nil {
		return Result{Backend: subject, Scenario: p.String()}.invalid(err)
	}
	return r
}
