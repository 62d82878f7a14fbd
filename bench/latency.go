package bench

import (
	"fmt"
	"runtime"
	"slices"
	"time"
)

// service is how many steps a task of the open loop takes.
const service = 1000

// openLoop is arrivals at fixed times, whether or not the pool keeps up. Each
// task is measured from the time it was meant to arrive: one that could not even
// be submitted, because the pool stalled, has waited all the same. Measured from
// the submission, a stall would count once and not for all that came meanwhile.
//
// The generator looks at the clock and never sleeps, which would be late by a
// millisecond. It shares a processor only when there is just one. The time of an
// operation is not of interest: it is the interval, if the pool keeps up.
type openLoop[W, H any] struct {
	pool  Pool[W, H]
	every int64        // ns
	clock func() int64 // ns, from any goroutine
	yield func()       // called between two looks at the clock
}

func latencyLoop[W, H any](p Pool[W, H], every time.Duration) loop {
	began := time.Now()
	l := openLoop[W, H]{
		pool: p, every: every.Nanoseconds(),
		clock: func() int64 { return time.Since(began).Nanoseconds() },
		yield: func() {},
	}
	if runtime.GOMAXPROCS(0) == 1 {
		l.yield = runtime.Gosched
	}
	return loop{run: l.run}
}

func (l openLoop[W, H]) run(n int) (outcome, error) {
	late, handles, bodies := make([]int64, n), make([]H, n), make([]func(W) (int, error), n)
	var first int64 // when the first is meant to arrive
	for i := range bodies {
		bodies[i] = func(W) (int, error) {
			v := labour(i, service)
			late[i] = l.clock() - (first + int64(i)*l.every) // read when i was awaited
			return v, nil
		}
	}
	first = l.clock()
	for i := range n {
		for l.clock() < first+int64(i)*l.every {
			l.yield()
		}
		h, err := l.pool.Submit(bodies[i])
		if err != nil {
			return outcome{}, fmt.Errorf("submit: %w", err)
		}
		handles[i] = h
	}
	var wrong error
	for i, h := range handles {
		if err := expect(l.pool.Await, h, labour(i, service)); err != nil && wrong == nil {
			wrong = err
		}
	}
	elapsed := time.Duration(l.clock() - first)
	return outcome{elapsed: elapsed, tasks: n, metrics: percentiles(late)}, wrong
}

// percentiles are the nearest ranks of all values, which it sorts. Nothing is
// rounded and nothing is left out.
func percentiles(values []int64) []Metric {
	slices.Sort(values)
	at := func(thousandths int) float64 { return float64(values[rank(len(values), thousandths)-1]) }
	return []Metric{
		{unitP50, at(500)}, {unitP90, at(900)}, {unitP99, at(990)}, {unitP999, at(999)}, {unitMax, at(1000)},
	}
}

// rank is the least rank, from 1, such that so many thousandths of n values are
// at or below it.
func rank(n, thousandths int) int { return int((int64(n)*int64(thousandths) + 999) / 1000) }
