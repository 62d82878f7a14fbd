package catalog

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/queuetest"
)

// TestOneProcessor: the laws of many goroutines with GOMAXPROCS=1, where who waits for
// another without giving way waits for ever. A race that does not happen there leaves its
// law without an answer, which is none against the queue.
func TestOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	stress.Watchdog(t)
	seed, passed, vacuous := stress.Seed(t), 0, 0
	for _, b := range Backends[queuetest.Item]() {
		for _, law := range []string{"once", "stampede", "sequence", "whole", "duel"} {
			if law == "duel" && testing.Short() {
				continue // it takes a second or some
			}
			r := queuetest.Check(b, queuetest.Config{Seed: seed, Items: stress.Rounds(20_000), Only: law})
			passed += len(r.Passed)
			for _, v := range r.Violations {
				if v.Vacuous {
					vacuous++
				} else {
					t.Error(v)
				}
			}
		}
	}
	if passed < 2*len(Backends[int]()) {
		t.Errorf("%d laws passed only, and %d had no race", passed, vacuous)
	}
}

// counters are what ten million items are of: an item is a counter, which its taker
// counts up.
type counters []atomic.Int64

// TestTenMillion: so many items go through each queue, from before where 32 bits turn
// over to behind it, while takers meet. Each counter is in the end what it was pushed.
func TestTenMillion(t *testing.T) {
	if testing.Short() {
		t.Skip("ten million items take a second or some for each queue")
	}
	const n, size = 10_000_000, 1000
	for _, b := range Backends[atomic.Int64]() {
		t.Run(b.Kind().String()+"="+b.Name, func(t *testing.T) {
			stress.Watchdog(t)
			all, options := make(counters, size), queues.Options{Capacity: 64, Start: 1<<32 - n/2}
			if b.Deque != nil {
				all.rob(b.Deque(options), n)
			} else {
				all.queue(b.Injector(options), n)
			}
			for i := range all {
				if got := all[i].Load(); got != n/size {
					t.Errorf("counter %d: taken %d times, want %d", i, got, n/size)
				}
			}
		})
	}
}

// queue has two goroutines push and two take.
func (c counters) queue(q queues.Injector[*atomic.Int64], n int) {
	var pushed, all sync.WaitGroup
	var over atomic.Bool
	for from := range 2 {
		pushed.Go(func() {
			for i := from; i < n; i += 2 {
				for !q.Push(&c[i%len(c)]) {
					runtime.Gosched()
				}
			}
		})
	}
	for range 2 {
		all.Go(func() {
			for {
				last := over.Load()
				if v, ok := q.Pop(); ok {
					v.Add(1)
				} else if last {
					return
				} else {
					runtime.Gosched()
				}
			}
		})
	}
	pushed.Wait()
	over.Store(true)
	all.Wait()
}

// rob has the owner push, and pop every third time, and two thieves steal.
func (c counters) rob(q queues.Deque[*atomic.Int64], n int) {
	var thieves sync.WaitGroup
	var over atomic.Bool
	for range 2 {
		side := q.Stealer()
		thieves.Go(func() {
			var dst [8]*atomic.Int64
			for {
				last := over.Load()
				got, retry := side.Steal(dst[:])
				for _, v := range dst[:got] {
					v.Add(1)
				}
				if got == 0 && !retry {
					if last {
						return
					}
					runtime.Gosched()
				}
			}
		})
	}
	for i := range n {
		v := &c[i%len(c)]
		if !q.Push(v) {
			v.Add(1) // the contract: it goes elsewhere
		}
		if i%3 == 0 {
			if v, ok := q.Pop(); ok {
				v.Add(1)
			}
		}
	}
	for v, ok := q.Pop(); ok; v, ok = q.Pop() {
		v.Add(1)
	}
	over.Store(true)
	thieves.Wait()
}
