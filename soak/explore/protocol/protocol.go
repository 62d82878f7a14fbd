// Package protocol explores our own protocols in small programs, written by hand:
//
//	parking    the executor: submit, run, steal, park and wake, with one worker or
//	           two, against a shutdown that drains, a stop that abandons, a cancel
//	lifecycle  the word of a task: claim, wake, end, cancel and the next task
//	gate       revisions of a key: admit, start, publish, cancel and forget
//
// Their sources are as they are, with the shims underneath; the executor's queues are
// the plain ones, each call of which is one step, for its protocol does not depend on
// how a queue works inside.
//
// The laws: what is accepted runs exactly once or was cancelled, nobody stays parked
// (an execution that does not come to its end is a failure of its own), a state moves
// along the arrows that are drawn, and answers are those of some order of the calls.
package protocol

import (
	"flag"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/trial"
)

// program is one of a protocol, by its name.
type program struct {
	protocol, name string
	threads        int
	large          bool // it has too many orders to try them all
	body           func(*explore.T)
	counts         map[string]int
}

func (p *program) String() string           { return p.name }
func (p *program) Threads() int             { return p.threads }
func (p *program) Large() bool              { return p.large }
func (p *program) Body(t *explore.T)        { p.body(t) }
func (p *program) Smaller() []trial.Program { return nil }
func (p *program) Counts() map[string]int   { return p.counts }

// Names are the protocols.
func Names() []string { return []string{"parking", "lifecycle", "gate"} }

// programs are those of a protocol, the smallest first.
func programs(protocol string) []*program {
	switch protocol {
	case "parking":
		return parking()
	case "lifecycle":
		return lifecycles()
	case "gate":
		return gates()
	}
	return nil
}

// Main is the main function of an explorer of protocols. It prints a line of JSON a
// program and returns 0 if all passed, 1 if something failed, 2 if the arguments
// make no sense.
func Main(args []string, out, complaints io.Writer) (code int) {
	var j trial.Job
	flags := flag.NewFlagSet("explore", flag.ContinueOnError)
	flags.SetOutput(complaints)
	j.Flags(flags)
	name := flags.String("protocol", "", "only this protocol: "+strings.Join(Names(), ", "))
	if flags.Parse(args) != nil {
		return 2
	}
	if err := j.Check(); err != nil {
		fmt.Fprintln(complaints, err)
		return 2
	}
	runtime.GOMAXPROCS(1) // workers then look once before they sleep, whatever the machine has
	found := false
	for _, protocol := range Names() {
		if *name != "" && protocol != *name {
			continue
		}
		var all []trial.Program
		for _, p := range programs(protocol) {
			if j.Program == "" || p.name == j.Program {
				all = append(all, p)
			}
		}
		found = found || len(all) > 0
		code = max(code, j.Each(protocol, all, out))
	}
	if !found {
		fmt.Fprintf(complaints, "protocol: %q has no program %q\n", *name, j.Program)
		return 2
	}
	return code
}

// tally counts the executions that met something.
type tally map[string]int

func (t tally) meet(what string, met bool) {
	if met {
		t[what]++
	}
}
