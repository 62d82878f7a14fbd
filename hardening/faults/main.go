// Faults is a campaign against the certify command itself: it kills it, starves it and
// lies to it, and looks at what is left each time.
//
//	go run ./hardening/faults [-kills 300] [-only NAME] [-seed N] [-out FILE.json]
//
// It builds cmd/certify once, gives it short plans of a subject that is good, and after
// each fault asks the same of it, with readers of its own and not with the product's:
//
//	verdict   a good subject is not FAILED, and nothing is CERTIFIED with work undone
//	rows      what was recorded stays, byte for byte, and each repetition is there once
//	processes nobody is left of the whole tree
//	end       the exit code is the documented one, and words say what happened
//
// One verdict is not as it seems: a repetition that somebody else kills is FAILED
// (crash), and says by which signal, for a process that was killed from outside cannot be
// told from one that killed itself. It is right only for a kill of a repetition alone.
//
// The moments are random and their draws follow from the seed; the schedule does not.
// Everything is bounded: nothing is waited for longer than a watchdog. Where a fault
// cannot be made, it says NOT RUN and why. Linux only: processes are found in /proc.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/exactlyonce/certify/hardening/recorded"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are the command line.
type options struct {
	kills     int
	only      string
	seed      uint64
	out       string
	waitWhile string
}

func run(args []string, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("faults", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.kills, "kills", 300, "kills of the fault kills")
	flags.StringVar(&o.only, "only", "", "only the faults whose names are in this list, split at commas")
	flags.Uint64Var(&o.seed, "seed", 0, "of all random draws; 0 is a new one")
	flags.StringVar(&o.out, "out", "", "file for the record, in JSON")
	flags.StringVar(&o.waitWhile, "wait-while", "", "between two trials, wait while this file exists")
	if flags.Parse(args) != nil {
		return 2
	}
	chosen, err := choose(o.only)
	if err != nil || flags.NArg() > 0 || o.kills < 1 {
		fmt.Fprintf(stderr, "faults: want no arguments, at least one kill, and known faults: %v\n", err)
		return 2
	}
	if o.seed == 0 {
		o.seed = rand.Uint64() | 1
	}
	report, err := campaign(context.Background(), o, chosen, stdout)
	if err == nil {
		report.table(stdout)
		err = recorded.Write(o.out, report)
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "faults:", err)
		return 4
	case !report.survived():
		return 1
	}
	return 0
}

func choose(only string) (chosen []fault, err error) {
	all := faults()
	if only == "" {
		return all, nil
	}
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(all, func(f fault) bool { return f.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no fault %q", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// fault is one kind of misfortune.
type fault struct {
	name, what string
	run        func(*bench, *outcome)
}

// campaign runs the faults on a certify that it builds.
func campaign(ctx context.Context, o options, chosen []fault, stdout io.Writer) (*report, error) {
	b, err := newBench(ctx, o, stdout)
	if err != nil {
		return nil, err
	}
	defer b.close()
	r := &report{Head: recorded.Now(ctx), Seed: o.seed}
	fmt.Fprintf(stdout, "faults: %d faults, seed %d\n", len(chosen), o.seed)
	for i, f := range chosen {
		out := outcome{Name: f.name, What: f.what}
		b.random = rand.New(rand.NewPCG(o.seed, uint64(i)+1))
		began := time.Now()
		f.run(b, &out)
		out.Seconds = time.Since(began).Round(10 * time.Millisecond).Seconds()
		r.Faults = append(r.Faults, out)
		fmt.Fprintln(stdout, out.line())
	}
	return r, nil
}
