package peers

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/exactlyonce/certify/bench"
	"github.com/exactlyonce/certify/soak/guard"
)

// latencyRun gives tasks to a pool that rests between them.
func latencyRun(rest time.Duration, s submitter) func(d driver, n int) (outcome, error) {
	return func(d driver, n int) (outcome, error) {
		return quantiles(func() ([]int64, error) { return d.latency(n, rest, s) })
	}
}

func quantiles(measure func() ([]int64, error)) (outcome, error) {
	began := time.Now()
	late, err := measure()
	out := outcome{elapsed: time.Since(began)}
	if err == nil {
		slices.Sort(late)
		at := func(percent int) float64 { return float64(late[(len(late)-1)*percent/100]) }
		out.metrics = []bench.Metric{{Unit: "p50-ns", Value: at(50)}, {Unit: "p90-ns", Value: at(90)}}
	}
	return out, err
}

// handOver is the scale of latencies: a value for a goroutine that waits for it at a
// channel.
func handOver(rest time.Duration, s submitter) func(n int) (outcome, error) {
	return func(n int) (outcome, error) {
		var began time.Time
		values, back := make(chan int, 1), make(chan int64, 1)
		go func() {
			for range values {
				back <- time.Since(began).Nanoseconds()
			}
		}()
		defer close(values)
		return quantiles(func() ([]int64, error) {
			late := make([]int64, n)
			for i := range late {
				time.Sleep(rest)
				began = time.Now()
				values <- i
				for s == computes && len(back) == 0 {
				}
				late[i] = <-back
			}
			return late, nil
		})
	}
}

// queuedRun measures what a backlog of so many tasks takes: B/task from a pool that is
// there to the full one, room-B/task with what the pool itself takes for having room.
func queuedRun(e entry, workers, tasks int) func(n int) (outcome, error) {
	return func(n int) (outcome, error) {
		var added, whole int64
		out, err := timed(n, func() error {
			for range n {
				before := live()
				d, err := e.open(Options{workers, tasks + DefaultRoom})
				if err != nil {
					return err
				}
				opened := live()
				err = d.queue(tasks, func() {
					full := live()
					added, whole = added+full-opened, whole+full-before
				})
				if err := errors.Join(err, d.Close()); err != nil {
					return err
				}
			}
			return nil
		})
		out.tasks = 0
		per := func(total int64) float64 { return float64(total) / float64(n*tasks) }
		out.metrics = []bench.Metric{{Unit: "B/task", Value: per(added)}, {Unit: "room-B/task", Value: per(whole)}}
		return out, err
	}
}

// live is what is in use, stacks included. The second collection empties what a
// sync.Pool has kept over the first.
func live() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// idleRun measures the processor time of a while in which nothing is to be done. The
// pool is made for it, so that those of other arms are none of its business; an e
// without open is no pool.
func idleRun(e entry, workers int, while time.Duration) func(n int) (outcome, error) {
	return func(n int) (out outcome, err error) {
		if e.open != nil {
			d, err := e.open(Options{workers, DefaultRoom})
			if err != nil {
				return out, err
			}
			defer func() { err = errors.Join(err, d.Close()) }()
			if err := d.flat(empty, 1000, 1); err != nil {
				return out, err
			}
		}
		before, err := guard.SelfCPU()
		if err != nil {
			return out, fmt.Errorf("peers: idle: %w", err)
		}
		began := time.Now()
		time.Sleep(time.Duration(n) * while)
		out.elapsed = time.Since(began)
		after, err := guard.SelfCPU()
		out.metrics = []bench.Metric{{Unit: "idle-cpu-ns/s", Value: float64(after-before) / out.elapsed.Seconds()}}
		return out, err
	}
}
