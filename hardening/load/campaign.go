package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/hardening/recorded"
)

// lanes is how many executors there are at a time.
const lanes = 2

// campaign is the whole run.
type campaign struct {
	options
	start func(executor.Config) (pool, error)
	out   io.Writer

	blocks [lanes]*block
	serial [lanes]int
	before int // goroutines

	// What the line of the moment needs. Lanes and the campaign write, watch reads.
	tasks, lives, heap, goroutines atomic.Int64
	paused                         atomic.Bool

	mu     sync.Mutex
	report *report // guarded by mu while lanes run
}

func newCampaign(o options, start func(executor.Config) (pool, error), out io.Writer) *campaign {
	c := &campaign{options: o, start: start, out: out}
	for i := range c.blocks {
		c.blocks[i] = newBlock(o.block)
	}
	return c
}

// run goes on in parts until it is over. Between two parts there is no executor, and so
// what lives then is what they have left.
func (c *campaign) run(ctx context.Context) *report {
	c.report = &report{Head: recorded.Now(ctx), Seed: c.seed, Faults: []string{}}
	fmt.Fprintf(c.out, "load: %.3g tasks, %g minutes, seed %d\n", c.options.tasks, c.minutes, c.seed)
	c.before = runtime.NumGoroutine()
	for len(c.report.Faults) == 0 && !c.over() {
		c.pause()
		began := time.Now()
		c.part()
		c.report.Seconds += time.Since(began).Seconds()
		c.sample()
	}
	c.report.finish(c.before)
	return c.report
}

func (c *campaign) over() bool {
	return float64(c.tasks.Load()) >= c.options.tasks && c.report.Seconds >= 60*c.minutes && len(c.report.samples) >= fewest
}

// pause is for who needs the machine meanwhile. Its time does not count.
func (c *campaign) pause() {
	for c.waitWhile != "" {
		if _, err := os.Stat(c.waitWhile); err != nil {
			break
		}
		c.paused.Store(true)
		time.Sleep(time.Second)
	}
	c.paused.Store(false)
}

// part is some executors, one after the other in each lane.
func (c *campaign) part() {
	var all sync.WaitGroup
	for lane := range lanes {
		all.Go(func() {
			for range c.options.lives {
				c.live(lane)
			}
		})
	}
	all.Wait()
}

func (c *campaign) live(lane int) {
	seed := rand.New(rand.NewPCG(c.seed, uint64(lane))).Uint64()
	s := shapeOf(seed, c.serial[lane], c.block)
	c.serial[lane]++
	l, by := live(s, c.blocks[lane], c.start, c.complain)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lives.Add(1)
	c.tasks.Add(int64(c.report.add(l, by)))
}

func (c *campaign) complain(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report.fault(format, args...)
}

// sample looks at what is left of a part.
func (c *campaign) sample() {
	left := 0
	for tries := 0; ; tries++ { // polled: the last workers have said that they left, and leave
		if left = runtime.NumGoroutine() - c.before; left <= 0 || tries > 1000 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if left > 0 {
		c.report.fault("%d goroutines are left", left)
	}
	c.goroutines.Store(int64(c.before + left))
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	c.heap.Store(int64(m.HeapAlloc))
	c.report.samples = append(c.report.samples, int64(m.HeapAlloc))
}

const (
	fewest    = 6         // samples
	heapSlack = 256 << 10 // bytes; what a leak of a byte a task makes in a second is more
)

// thirds are the medians of the first and the last third of the samples.
func thirds(samples []int64) (first, last int64) {
	n := len(samples) / 3
	median := func(part []int64) int64 {
		sorted := slices.Sorted(slices.Values(part))
		return sorted[len(sorted)/2]
	}
	return median(samples[:n]), median(samples[len(samples)-n:])
}
