package peers

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/exactlyonce/certify/bench"
	"github.com/exactlyonce/certify/executor"
)

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

// forks is how many forks fib(n) has: one for each addition.
func forks(n int) int { return fib(n+1) - 1 }

// solver returns fib(n), by a fork at each addition.
type solver func(n int) (int, error)

// fibRun is the run of an arm that solves fib(n).
func fibRun(solve solver, n int) func(ops int) (outcome, error) {
	want, size := fib(n), forks(n)
	return func(ops int) (outcome, error) {
		out, err := timed(ops*size, func() error {
			for range ops {
				if got, err := solve(n); err != nil || got != want {
					return errors.Join(err, fmt.Errorf("peers: fib(%d) is %d, want %d", n, got, want))
				}
			}
			return nil
		})
		out.metrics = []bench.Metric{perTask(out.elapsed, ops*size)}
		return out, err
	}
}

func perTask(took time.Duration, tasks int) bench.Metric {
	return bench.Metric{Unit: "ns/task", Value: float64(took.Nanoseconds()) / float64(tasks)}
}

// rooted is a solver that asks a task for the answer.
func rooted(e *executor.Executor, f func(w *executor.Worker, n int) int) solver {
	return func(n int) (int, error) {
		h, err := executor.Submit(background, e, func(w *executor.Worker) (int, error) { return f(w, n), nil })
		if err != nil {
			return 0, err
		}
		return h.Wait(background)
	}
}

// byFork is fib by executor.Fork, which allocates nothing.
func byFork(e *executor.Executor) solver {
	var f *executor.Fork[int, int]
	f = executor.NewFork(e, func(w *executor.Worker, n int) int {
		if n < 2 {
			return n
		}
		a, b := f.Both(w, n-1, n-2)
		return a + b
	})
	return rooted(e, func(w *executor.Worker, n int) int { a, b := f.Both(w, n-1, n-2); return a + b })
}

// byJoin is fib by executor.Join, whose closures capture.
func byJoin(e *executor.Executor) solver {
	var f func(w *executor.Worker, n int) int
	f = func(w *executor.Worker, n int) int {
		if n < 2 {
			return n
		}
		var a, b int
		executor.Join(w, func(w *executor.Worker) { a = f(w, n-1) }, func(w *executor.Worker) { b = f(w, n-2) })
		return a + b
	}
	return rooted(e, f)
}

// byGoroutine is fib by go and a WaitGroup.
func byGoroutine(n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	var a, b int
	var other sync.WaitGroup
	other.Go(func() { b, _ = byGoroutine(n - 2) })
	a, _ = byGoroutine(n - 1)
	other.Wait()
	return a + b, nil
}

// serial is fib without forks, which is what all others pay for.
func serial(n int) (int, error) { return fib(n), nil }

// fibCases are fib(n) by each way to fork.
func fibCases(n, workers int) (cases []bench.Case) {
	name := func(workers int, pool string) string {
		return fmt.Sprintf("Fib/n=%d/workers=%d/pool=%s", n, workers, pool)
	}
	for _, w := range counts(workers) {
		ours := func(pool string, b backEnds, by func(*executor.Executor) solver) {
			cases = append(cases, bench.Case{Name: name(w, pool), Open: func() (bench.Arm, error) {
				e, err := b.open(Options{w, DefaultRoom})
				if err != nil {
					return nil, err
				}
				return &arm{name: name(w, pool), run: fibRun(by(e), n), wakes: noWakes,
					close: func() error { return e.Shutdown(background) }}, nil
			}})
		}
		ours("certify", backEnds{}, byFork)
		ours("certify.join", backEnds{}, byJoin)
		ours("certify.msqueue.chaselev", backEnds{"msqueue", "chaselev"}, byFork)
		ours("certify.mutex.mutex", backEnds{"mutex", "mutex"}, byFork)
	}
	return append(cases,
		loose(name(workers, "goroutine"), fibRun(byGoroutine, n)),
		loose(name(1, "serial"), fibRun(serial, n)))
}

// counts are the numbers of workers of works that are done with one as well.
func counts(workers int) []int {
	if workers == 1 {
		return []int{1}
	}
	return []int{1, workers}
}
