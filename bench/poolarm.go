package bench

import (
	"errors"
	"fmt"
	"runtime"
	"time"
)

// outcome is what a run of a loop tells.
type outcome struct {
	elapsed time.Duration
	tasks   int // that were given to the pool, 0 if that says nothing
	metrics []Metric
}

// poolArm runs one loop on one pool.
type poolArm[W, H any] struct {
	name    string
	pool    Pool[W, H]
	loop    loop
	metrics []Metric // of the last run
}

func openPool[W, H any](name string, workers int, open open[W, H], l func(Pool[W, H]) loop) (Arm, error) {
	pool, err := open(workers)
	if err != nil {
		return nil, fmt.Errorf("bench: open %s: %w", name, err)
	}
	return &poolArm[W, H]{name: name, pool: pool, loop: l(pool)}, nil
}

func (a *poolArm[W, H]) Run(n int) (time.Duration, error) {
	wakes, counts := a.pool.(Wakes)
	var before uint64
	if counts {
		before = wakes.Wakes()
	}
	out, err := a.loop.run(n)
	if err != nil {
		return 0, fmt.Errorf("bench: %s: %w", a.name, err)
	}
	a.metrics = out.metrics
	if out.tasks > n { // of less, the time of an operation says it
		a.metrics = append(a.metrics, Metric{unitTaskTime, per(out.elapsed.Nanoseconds(), out.tasks)})
	}
	if counts && out.tasks > 0 {
		a.metrics = append(a.metrics, Metric{unitWakes, per(wakes.Wakes()-before, out.tasks)})
	}
	return out.elapsed, nil
}

func (a *poolArm[W, H]) Metrics() []Metric { return a.metrics }

func (a *poolArm[W, H]) Close() error {
	err := a.pool.Close()
	if a.loop.after != nil {
		err = errors.Join(err, a.loop.after())
	}
	if err != nil {
		return fmt.Errorf("bench: close %s: %w", a.name, err)
	}
	return nil
}

// sizes are how large the problems are. Tests take small ones.
type sizes struct {
	width  int           // tasks in flight at once
	fib    int           // fib(n)
	queens int           // on a board of n x n
	tree   int           // children of the root
	sort   int           // numbers
	queued int           // tasks that wait for their memory to be measured
	idle   time.Duration // that nothing is done
	every  []time.Duration
}

var normal = sizes{
	width: 1024, fib: 25, queens: 8, tree: 256, sort: 1 << 15, queued: 4096,
	idle:  250 * time.Millisecond,
	every: []time.Duration{100 * time.Microsecond, 20 * time.Microsecond},
}

// PoolCases returns the cases of an executor. pool is its name, one word, which
// /key=value may follow; open makes a new one with that many workers, which is
// GOMAXPROCS now.
func PoolCases[W, H any](pool string, open func(workers int) (Pool[W, H], error)) []Case {
	return poolCases(pool, runtime.GOMAXPROCS(0), open, normal)
}

func poolCases[W, H any](pool string, workers int, open open[W, H], s sizes) []Case {
	var cases []Case
	add := func(family, keys string, workers int, l func(Pool[W, H]) loop) {
		name := fmt.Sprintf("%s/pool=%s/workers=%d%s", family, pool, workers, keys)
		cases = append(cases, Case{name, func() (Arm, error) { return openPool(name, workers, open, l) }})
	}
	add("Submit", "", workers, func(p Pool[W, H]) loop { return submitLoop(p, s.width, 0) })
	add("PingPong", "", workers, func(p Pool[W, H]) loop { return submitLoop(p, 1, 0) })
	add("Mixed", "", workers, func(p Pool[W, H]) loop { return submitLoop(p, s.width, 1) })
	add("Spawn", "", workers, func(p Pool[W, H]) loop { return spawnLoop(p, 1) })
	add("FanOut", fmt.Sprintf("/width=%d", s.width), workers, func(p Pool[W, H]) loop { return spawnLoop(p, s.width) })
	add("Chain", "", workers, chainLoop[W, H])
	add("Fib", fmt.Sprintf("/n=%d", s.fib), workers, func(p Pool[W, H]) loop { return fibLoop(p, s.fib) })
	add("Queens", fmt.Sprintf("/n=%d", s.queens), workers, func(p Pool[W, H]) loop { return queensLoop(p, s.queens) })
	add("Tree", fmt.Sprintf("/root=%d", s.tree), workers, func(p Pool[W, H]) loop { return treeLoop(p, s.tree) })
	add("Sort", fmt.Sprintf("/n=%d", s.sort), workers, func(p Pool[W, H]) loop { return sortLoop(p, s.sort) })
	for _, every := range s.every {
		// The generator of arrivals keeps a processor to itself.
		add("Latency", fmt.Sprintf("/every=%dus", every.Microseconds()), max(1, workers-1), func(p Pool[W, H]) loop { return latencyLoop(p, every) })
	}
	add("Memory", fmt.Sprintf("/queued=%d", s.queued), workers, func(p Pool[W, H]) loop { return memoryLoop(p, s.queued) })
	add("Idle", "", workers, func(p Pool[W, H]) loop { return idleLoop(p, s.idle) })
	return cases
}
