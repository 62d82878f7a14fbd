// Package queuetest is what every back end must obey: the laws, as a table.
//
// There are two doors. [Check] returns a [Report], for commands. [Run] is for
// the tests of a back end, and usually all that such a test file holds:
//
//	func TestLaws(t *testing.T) { queuetest.Run(t, queuetest.Config{}, mine.Backends[queuetest.Item]()...) }
//
// [Benchmark] is the third: the same back ends, timed, with their sums checked.
//
// A law needs a promise or holds for all. If the back end does not make the
// promise, the law is skipped and the report says which promise was missing.
// Each law gets fresh queues and a watchdog, as a hang is a verdict too. A law
// about a race that did not happen does not pass: it reports itself vacuous.
//
// The harness does not order what it observes: while goroutines operate on a
// queue they write to logs of their own, which are compared when all are done.
// So the race detector sees the queue's own synchronization and no other. The
// seed fixes the work that is done, not how the goroutines are scheduled.
//
// Non-goals: performance verdicts, exploration of all schedules, and proof. A
// race that no schedule of this machine shows is not found here.
//
// The laws' shape is that of testing/slogtest: a name, what was seen, and why
// it matters; "the tests are tested" by the faulty back ends in faulty_test.go.
package queuetest

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/exactlyonce/certify/queues"
)

// Item is what the laws put through a queue.
type Item struct {
	From   int     // the producer
	Serial int     // its how-many-th item, from 0
	ledger *ledger // whose item it is; nil or another's means alien
}

// Config says how to check. The zero value works.
type Config struct {
	Seed    uint64        // of all choices; 0 is 1
	Items   int           // about how many items a concurrent law uses; 0 is 20,000
	Burst   int           // how many items the burst law queues up; 0 is 1,000,000
	Timeout time.Duration // after which a law counts as hung; 0 is a minute
	Only    string        // the one law to check; "" is all; a name that no law has panics
}

func (c Config) withDefaults() Config {
	if c.Seed == 0 {
		c.Seed = 1
	}
	if c.Items == 0 {
		c.Items = 20_000
	}
	if c.Burst == 0 {
		c.Burst = 1_000_000
	}
	if c.Timeout == 0 {
		c.Timeout = time.Minute
	}
	return c
}

// Check checks b. Laws run one after the other in the order of [Laws].
func Check(b queues.Backend[*Item], c Config) Report {
	c = c.withDefaults()
	r := Report{Backend: b.Name, Kind: b.Kind(), Seed: c.Seed}
	if err := b.Validate(); err != nil {
		r.Violations = append(r.Violations, Violation{Backend: b.Name, Law: "valid", Saw: err.Error(),
			Why: "a back end that is no back end cannot be checked"})
		return r
	}
	for _, l := range c.find() {
		if missing := l.missing(b.Promises); missing != "" {
			r.Skipped = append(r.Skipped, Skip{l.Name, missing})
			continue
		}
		if v := l.judge(b, c); v != nil {
			v.Repeat = fmt.Sprintf("queuetest.Check(b, queuetest.Config{Seed: %d, Items: %d, Burst: %d, Only: %q})",
				c.Seed, c.Items, c.Burst, l.Name)
			r.Violations = append(r.Violations, *v)
			continue
		}
		r.Passed = append(r.Passed, l.Name)
	}
	return r
}

// Run checks back ends, a subtest for each law of each of them. CERTIFY_SEED in
// the environment takes the place of c.Seed.
func Run(t *testing.T, c Config, backends ...queues.Backend[*Item]) {
	t.Helper()
	if seed, err := strconv.ParseUint(os.Getenv("CERTIFY_SEED"), 10, 64); err == nil {
		c.Seed = seed
	}
	c = c.withDefaults()
	for _, b := range backends {
		if err := b.Validate(); err != nil {
			t.Fatal(err)
		}
		for _, l := range c.find() {
			t.Run(fmt.Sprintf("%s=%s/%s", b.Kind(), b.Name, l.Name), func(t *testing.T) { l.test(t, b, c) })
		}
	}
}

func (l Law) test(t *testing.T, b queues.Backend[*Item], c Config) {
	if missing := l.missing(b.Promises); missing != "" {
		t.Skipf("%s does not promise: %s", b.Name, missing)
	}
	if v := l.judge(b, c); v != nil {
		v.Repeat = fmt.Sprintf("CERTIFY_SEED=%d go test -count=1 -run '^%s$' .", c.Seed, t.Name())
		t.Error(v)
	}
}

// judge runs the law under a watchdog. A law that hangs leaves its goroutines
// behind.
func (l Law) judge(b queues.Backend[*Item], c Config) *Violation {
	verdict := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				verdict <- fmt.Errorf("panic: %v", p)
			}
		}()
		verdict <- l.check(newTrial(b, c))
	}()
	watchdog := time.NewTimer(c.Timeout)
	defer watchdog.Stop()
	var saw error
	select {
	case saw = <-verdict:
	case <-watchdog.C:
		stacks := make([]byte, 1<<16)
		saw = fmt.Errorf("hang: no end after %v\n%s", c.Timeout, stacks[:runtime.Stack(stacks, true)])
	}
	if saw == nil {
		return nil
	}
	return &Violation{Backend: b.Name, Kind: b.Kind(), Law: l.Name, Seed: c.Seed,
		Saw: saw.Error(), Why: l.Why, Vacuous: errors.Is(saw, errVacuous)}
}
