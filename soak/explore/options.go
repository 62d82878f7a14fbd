package explore

import (
	"fmt"
	"time"
)

// Options say how to explore. The zero value is an exhaustive exploration.
type Options struct {
	Strategy Strategy // default: Exhaustive()
	Seed     uint64   // of strategies that draw

	Executions int           // stop after so many, not exhausted; 0: no limit
	Time       time.Duration // stop after so long, not exhausted; 0: no limit

	Steps    int // most steps of one execution; 0: 10,000
	Spin     int // visits to a load without any store before a thread waits for one; 0: 16
	Patience int // steps without a store that are no livelock yet; 0: 1,000

	// Stall is how long one execution may take before its thread is taken to be
	// blocked in what is not under control; 0: 30 seconds.
	Stall time.Duration

	// Verify is how many of the first executions run twice and must agree,
	// with nobody but threads at the shims; 0: 3.
	Verify int

	KeepGoing bool // go on after a failure; the report has the first one
	RealTime  bool // orders that differ in which call ended before which began are different
	Classes   bool // count the distinct classes that were run
	Solo      int  // let each thread run alone from everywhere, at most so many steps; 0: do not
}

func (o Options) withDefaults() (Options, error) {
	for name, n := range map[string]int{"Executions": o.Executions, "Steps": o.Steps, "Spin": o.Spin,
		"Patience": o.Patience, "Verify": o.Verify, "Solo": o.Solo, "Time": int(o.Time), "Stall": int(o.Stall)} {
		if n < 0 {
			return o, fmt.Errorf("explore: %s is %d: want no negative", name, n)
		}
	}
	for _, d := range []struct {
		field *int
		usual int
	}{{&o.Steps, 10_000}, {&o.Spin, 16}, {&o.Patience, 1000}, {&o.Verify, 3}} {
		if *d.field == 0 {
			*d.field = d.usual
		}
	}
	if o.Stall == 0 {
		o.Stall = 30 * time.Second
	}
	if o.Strategy == nil {
		o.Strategy = Exhaustive()
	}
	return o, nil
}

// Strategy decides which orders to run. The functions of this package make
// them; one value can be used for several explorations.
type Strategy interface {
	String() string
	start(o Options) search
}
