package peers

import (
	"fmt"
	"time"

	"github.com/exactlyonce/certify/bench"
	"github.com/exactlyonce/certify/executor"
)

// outcome is what a run tells.
type outcome struct {
	elapsed time.Duration
	tasks   int // in all operations; 0 if that says nothing
	metrics []bench.Metric
}

// arm is a work on something that was made for it.
type arm struct {
	name    string
	run     func(n int) (outcome, error)
	wakes   func() (uint64, bool)
	close   func() error
	metrics []bench.Metric
}

func (a *arm) Run(n int) (time.Duration, error) {
	before, counts := a.wakes()
	out, err := a.run(n)
	if err != nil {
		return 0, fmt.Errorf("peers: %s: %w", a.name, err)
	}
	a.metrics = out.metrics
	if out.tasks > 0 {
		if after, _ := a.wakes(); counts {
			a.metrics = append(a.metrics, bench.Metric{Unit: "wakes/task", Value: float64(after-before) / float64(out.tasks)})
		}
	}
	return out.elapsed, nil
}

func (a *arm) Metrics() []bench.Metric { return a.metrics }

func (a *arm) Close() error {
	if err := a.close(); err != nil {
		return fmt.Errorf("peers: close %s: %w", a.name, err)
	}
	return nil
}

func noWakes() (uint64, bool) { return 0, false }

func nothing() error { return nil }

// timed is the outcome of n tasks that work does.
func timed(n int, work func() error) (outcome, error) {
	began := time.Now()
	err := work()
	return outcome{elapsed: time.Since(began), tasks: n}, err
}

// armOf opens a pool for a work.
func armOf(name string, e entry, o Options, run func(d driver, n int) (outcome, error)) bench.Case {
	return bench.Case{Name: name, Open: func() (bench.Arm, error) {
		d, err := e.open(o)
		if err != nil {
			return nil, fmt.Errorf("peers: open %s: %w", name, err)
		}
		return &arm{
			name: name, wakes: d.wakes, close: d.Close,
			run: func(n int) (outcome, error) { return run(d, n) },
		}, nil
	}}
}

// loose is a case on nothing that lasts.
func loose(name string, run func(n int) (outcome, error)) bench.Case {
	return bench.Case{Name: name, Open: func() (bench.Arm, error) {
		return &arm{name: name, run: run, wakes: noWakes, close: nothing}, nil
	}}
}

func empty(*executor.Worker) {}
