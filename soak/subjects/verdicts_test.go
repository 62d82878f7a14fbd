package subjects_test

import (
	"regexp"
	"slices"
	"testing"
)

// What a run says of public modules as they are published.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name  string
		path  string // of the package; its name in this module if empty
		does  []string
		flags []string
		code  int
		words []string
		lines []string // regular expressions
	}{{
		name:  "backends",
		does:  []string{"run", "--preset", "quick"},
		flags: []string{"--drill", "exactly-once,injector", "--tasks", "500000"}, // with fewer no steal may be lost, which is a floor
		words: []string{"\nCERTIFIED\n", "known-bad subjects caught"},
		lines: []string{
			`exactly-once/executor=injector-xsync-mpmc/.*\n +1 of 1 repetitions clean`,
			`injector/executor=injector-xsync-mpmc/.*\n +1 of 1 repetitions clean`,
			`injector/executor=injector-workiva-ring/.*\n +1 of 1 repetitions clean`,
			`injector/executor=injector-gnet-list/.*\n +1 of 1 repetitions clean`,
			`explore/injector=xsync-mpmc/.*\n +\d+ programs, [\d,]+ executions`,
			`explore/injector=gnet-list/.*\n +\d+ programs, [\d,]+ executions`,
		},
	}, {
		name:  "pools",
		does:  []string{"soak"},
		flags: []string{"--drill", "exactly-once,goexit", "--tasks", "3000", "--stall", "5s"},
		code:  1,
		words: []string{"\nFAILED (stall)\n", "not checked: ", "panic on workerpool", "shutdown-race on pond"},
		lines: []string{
			`FAILED \(stall\) repetition 1 of goexit/executor=workerpool/`,
			`FAILED \(stall\) repetition 1 of goexit/executor=pond/`,
			`exactly-once/executor=workerpool/.*\n +1 of 1 repetitions clean`,
			`exactly-once/executor=pond/.*\n +1 of 1 repetitions clean`,
		},
	}, {
		name:  "misused",
		does:  []string{"soak"},
		flags: []string{"--drill", "injector"},
		code:  1,
		words: []string{"the race detector reported", "Len is -", "it is never negative"},
		lines: []string{
			`FAILED \(\w+\) repetition 1 of injector/executor=injector-gammazero-deque-unguarded/`,
			`FAILED \(contract\) repetition 1 of injector/executor=injector-gnet-length/`,
		},
	}, {
		// What a soak has met, the explorer shows in a small program.
		name:  "flawed",
		path:  "github.com/exactlyonce/certify/soak/faulty/flawed",
		does:  []string{"soak"},
		flags: []string{"--drill", "deque", "--executor", "deque-early-top", "--reps", "3"},
		code:  1,
		words: []string{"FAILED (duplicated)", "the explorer finds a fault of deque early-top in program ", "replay: certify explore --import "},
		lines: []string{`thread a +thread b`},
	}} {
		if c.path == "" {
			c.path = here + c.name
		}
		t.Run(c.name, func(t *testing.T) {
			r := certify(t, slices.Concat(c.does, c.flags, []string{"--keep-going", "--import", c.path})...)
			r.out = "\n" + r.out
			r.comesTo(t, c.code, c.words...)
			for _, line := range c.lines {
				if !regexp.MustCompile(line).MatchString(r.out) {
					t.Errorf("no line is like %s:\n%s", line, tail(r.out))
				}
			}
		})
	}
}
