// Load runs executors under a hundred million tasks in one process, and keeps the ledger:
//
//	go run ./hardening/load [-tasks 1e8] [-minutes 10] [-seed N] [-out FILE.json]
//
// Two executors at a time, each with its number of workers, its capacity and its back
// ends, get tasks of all kinds from several goroutines, and are ended: when all is done,
// by a Shutdown in the middle of it, or by a Stop with tasks in the queue. Then the next
// two come. Some tasks fail, panic, call Goexit or are cancelled, queued and running.
//
//	once     each task that was accepted ran once, or was cancelled and did not; none
//	         that was refused ran; and the executor's counters say the same
//	memory   what lives after each few executors is in the last third of the run what
//	         it was in the first
//	rest     no goroutine is left
//
// It goes on until there were so many tasks and so many minutes have passed. The seed
// fixes what is done, not the schedule. It ends with 1 when something is not as it should
// be, and says what; with 2 for a wrong command line, with 4 when it could not be done.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"

	"github.com/exactlyonce/certify/hardening/recorded"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are the command line, and the size of the parts that it is done in.
type options struct {
	tasks     float64
	minutes   float64
	seed      uint64
	out       string
	waitWhile string

	block int // ids of an executor
	lives int // executors, one after the other, in a part, in each of the lanes
}

// The size of the parts in earnest: a part takes a second or some.
const (
	blockIDs  = 1 << 18
	partLives = 4
)

func run(args []string, stdout, stderr io.Writer) int {
	o := options{block: blockIDs, lives: partLives}
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Float64Var(&o.tasks, "tasks", 1e8, "at least so many")
	flags.Float64Var(&o.minutes, "minutes", 10, "for at least so long")
	flags.Uint64Var(&o.seed, "seed", 0, "of all random draws; 0 is a new one")
	flags.StringVar(&o.out, "out", "", "file for the record, in JSON")
	flags.StringVar(&o.waitWhile, "wait-while", "", "between two parts, wait while this file exists")
	if flags.Parse(args) != nil {
		return 2
	}
	if flags.NArg() > 0 || !(o.tasks >= 1 && o.tasks <= 1e15) || !(o.minutes >= 0 && o.minutes <= 1e6) {
		fmt.Fprintln(stderr, "load: want no arguments, and tasks and minutes that can be")
		return 2
	}
	if o.seed == 0 {
		o.seed = rand.Uint64() | 1
	}
	c := newCampaign(o, newPool, stdout)
	ticks := time.NewTicker(10 * time.Second)
	defer ticks.Stop()
	over := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		c.watch(ticks.C, over, func() { os.Exit(1) })
	}()
	r := c.run(context.Background())
	close(over)
	<-watched
	r.words(stdout)
	if err := recorded.Write(o.out, r); err != nil {
		fmt.Fprintln(stderr, "load:", err)
		return 4
	}
	if len(r.Faults) > 0 {
		return 1
	}
	return 0
}
