package soak

import (
	"sync"
	"sync/atomic"
)

// Goroutines is the baseline: one goroutine a task, and a WaitGroup.
func Goroutines() Executor {
	return Executor{
		Name:  GoroutinesName,
		About: "one goroutine a task: the baseline for time and memory",
		New: func(o Options) (Subject, error) {
			return &goroutines{values: make([]int, o.Capacity)}, nil
		},
	}
}

type goroutines struct {
	values  []int
	batches atomic.Uint64
}

func (g *goroutines) Workers() int { return 0 }

func (g *goroutines) Batch(n int, probe Probe, each func(i, value int, err error)) (spawned int, err error) {
	var tasks sync.WaitGroup
	tasks.Go(func() { // the spawner
		for i := range n {
			tasks.Go(func() { g.values[i] = probe(i, -1) })
		}
	})
	tasks.Wait()
	for i, v := range g.values[:n] {
		each(i, v, nil)
	}
	g.batches.Add(1)
	return n, nil
}

func (g *goroutines) Stats() Stats { return Stats{Progress: g.batches.Load()} }

func (g *goroutines) Close() error { return nil }
