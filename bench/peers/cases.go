package peers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/exactlyonce/certify/bench"
	"github.com/exactlyonce/certify/executor"
)

// Sizes are how large the works are.
type Sizes struct {
	Million int           // tasks of a large batch; there are ten times as many in the largest
	Fib     int           // fib of what
	Queued  int           // tasks in a backlog
	Idle    time.Duration // that nothing is done
	Rest    time.Duration // between tasks for a pool that has nothing to do
}

// Normal and Quick are the sizes of a sitting, and of a look.
var (
	Normal = Sizes{1_000_000, 27, 100_000, 5 * time.Second, time.Millisecond}
	Quick  = Sizes{100_000, 20, 10_000, 200 * time.Millisecond, time.Millisecond}
)

// Cases are all works of all Go pools, family by family. Each family is for a sitting
// of its own, so that the pools of others are not there.
func Cases(workers int, s Sizes) []bench.Case {
	all := entries()
	cases := slices.Concat(submitCases(all, workers), insideCases(all, workers),
		batchCases(all, workers, s), fibCases(s.Fib, workers), busyCases(all, workers), latencyCases(all, workers, s), restCases(all, workers, s))
	return append(cases, queueCases()...)
}

func submitCases(all []entry, workers int) (cases []bench.Case) {
	for _, submitters := range []int{1, 2} {
		for _, e := range all {
			if submitters > 1 && e.outside {
				continue
			}
			name := fmt.Sprintf("Submit/submitters=%d/workers=%d/pool=%s", submitters, workers, e.name)
			cases = append(cases, armOf(name, e, Options{workers, DefaultRoom}, flatRun(func() Body { return empty }, submitters)))
		}
	}
	return cases
}

func flatRun(body func() Body, submitters int) func(d driver, n int) (outcome, error) {
	return func(d driver, n int) (outcome, error) {
		b := body()
		return timed(n, func() error { return d.flat(b, n, submitters) })
	}
}

// insideCases are those that need a worker beside the one whose task waits for it,
// where submitters are blocked.
func insideCases(all []entry, workers int) (cases []bench.Case) {
	for _, work := range []struct {
		family string
		run    func(d driver, n int) error
	}{
		{"Inside", func(d driver, n int) error { return d.inside(empty, n) }},
		{"Chain", func(d driver, n int) error { return d.chain(n) }},
	} {
		for _, e := range all {
			if e.outside || e.blocks && workers < 2 {
				continue
			}
			name := fmt.Sprintf("%s/workers=%d/pool=%s", work.family, workers, e.name)
			cases = append(cases, armOf(name, e, Options{workers, DefaultRoom}, func(d driver, n int) (outcome, error) {
				return timed(n, func() error { return work.run(d, n) })
			}))
		}
	}
	return cases
}

// batchCases are of a million tasks and of ten times as many. An op is all of them.
func batchCases(all []entry, workers int, s Sizes) (cases []bench.Case) {
	for _, size := range []struct {
		family string
		tasks  int
	}{{"Million", s.Million}, {"TenMillion", 10 * s.Million}} {
		for _, e := range all {
			if e.variant {
				continue
			}
			name := fmt.Sprintf("%s/tasks=%d/workers=%d/pool=%s", size.family, size.tasks, workers, e.name)
			cases = append(cases, armOf(name, e, Options{workers, DefaultRoom}, func(d driver, n int) (outcome, error) {
				out, err := timed(n*size.tasks, func() error {
					for range n {
						if err := d.flat(empty, size.tasks, 1); err != nil {
							return err
						}
					}
					return nil
				})
				out.metrics = []bench.Metric{perTask(out.elapsed, n*size.tasks)}
				return out, err
			}))
		}
	}
	return cases
}

// busyCases are tasks of ten microseconds. Without a pool they take what they must.
func busyCases(all []entry, workers int) (cases []bench.Case) {
	for _, w := range counts(workers) {
		for _, e := range all {
			if e.variant || e.free && w < workers {
				continue
			}
			name := fmt.Sprintf("Busy/workers=%d/pool=%s", w, e.name)
			cases = append(cases, armOf(name, e, Options{w, DefaultRoom}, flatRun(busy, 1)))
		}
	}
	return append(cases, loose("Busy/workers=1/pool=serial", func(n int) (outcome, error) {
		body := busy()
		return timed(n, func() error {
			for range n {
				body((*executor.Worker)(nil))
			}
			return nil
		})
	}))
}

// latencyCases have each kind of submitter. For one that computes there must be a
// processor beside that of a worker.
func latencyCases(all []entry, workers int, s Sizes) (cases []bench.Case) {
	for _, by := range []submitter{waits, computes, joins} {
		if by == computes && workers < 2 {
			continue
		}
		keys := fmt.Sprintf("Latency/submitter=%s/workers=%d", by, workers)
		if by != joins {
			cases = append(cases, loose(keys+"/pool=handover", handOver(s.Rest, by)))
		}
		for _, e := range all {
			if !e.variant {
				cases = append(cases, armOf(keys+"/pool="+e.name, e, Options{workers, DefaultRoom}, latencyRun(s.Rest, by)))
			}
		}
	}
	return cases
}

func restCases(all []entry, workers int, s Sizes) []bench.Case {
	idle := []bench.Case{loose(fmt.Sprintf("Idle/workers=%d/pool=none", workers), idleRun(entry{}, workers, s.Idle))}
	var queued []bench.Case
	for _, e := range all {
		if !e.variant {
			name := fmt.Sprintf("Idle/workers=%d/pool=%s", workers, e.name)
			idle = append(idle, loose(name, idleRun(e, workers, s.Idle)))
		}
		if !e.blocks && !e.outside { // a storage has a room of its own
			name := fmt.Sprintf("Queued/tasks=%d/workers=%d/pool=%s", s.Queued, workers, e.name)
			queued = append(queued, loose(name, queuedRun(e, workers, s.Queued)))
		}
	}
	return append(queued, idle...)
}

// queueCases are the queues alone, of package bench, beside native ones.
func queueCases() (cases []bench.Case) {
	for _, c := range bench.Cases() {
		family, rest, _ := strings.Cut(c.Name, "/queue=")
		queue, keys, _ := strings.Cut(rest, "/")
		switch family + "/" + keys {
		case "Own/burst=64", "Solo/p=1/burst=64", "Pair/p=1/c=1":
			c.Name = fmt.Sprintf("%s/%s/pool=certify.%s", family, keys, queue)
			if queue == "null" || queue == "chan" {
				c.Name = fmt.Sprintf("%s/%s/pool=%s", family, keys, queue)
			}
			cases = append(cases, c)
		}
	}
	return cases
}
