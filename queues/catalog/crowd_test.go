package catalog

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
	"github.com/exactlyonce/certify/queues"
)

// numbered is an item with its producer and its place among those of that producer.
type numbered struct{ from, serial int }

// TestCrowds: many producers and few consumers, and the other way, on queues as small
// as they can be. Each item comes out once, and each consumer gets those of a producer
// in their order, if the injector promises one.
func TestCrowds(t *testing.T) {
	stress.Watchdog(t)
	for _, b := range Backends[numbered]() {
		for _, capacity := range []int{2, 4, 64} {
			for _, shape := range [][2]int{{16, 2}, {2, 16}, {8, 8}} {
				if b.Injector == nil {
					continue
				}
				name := fmt.Sprintf("%s/capacity=%d/producers=%d/consumers=%d", b.Name, capacity, shape[0], shape[1])
				t.Run(name, func(t *testing.T) {
					ordered := b.Promises.Order == queues.FIFO || b.Promises.Order == queues.ProducerFIFO
					taken := crowd(b.Injector(queues.Options{Capacity: capacity}), shape[0], shape[1], stress.Rounds(64_000)/shape[0])
					if bad := disorder(taken, shape[0], stress.Rounds(64_000)/shape[0], ordered); bad != "" {
						t.Error(bad)
					}
				})
			}
		}
	}
}

// crowd returns what each consumer took.
func crowd(q queues.Injector[*numbered], producers, consumers, each int) [][]*numbered {
	taken := make([][]*numbered, consumers)
	var working atomic.Int32
	working.Store(int32(producers))
	var all sync.WaitGroup
	for from := range producers {
		all.Go(func() {
			defer working.Add(-1)
			for serial := range each {
				for item := (&numbered{from, serial}); !q.Push(item); {
					runtime.Gosched()
				}
			}
		})
	}
	for c := range consumers {
		all.Go(func() {
			for {
				last := working.Load() == 0
				if v, ok := q.Pop(); ok {
					taken[c] = append(taken[c], v)
				} else if last {
					return
				} else {
					runtime.Gosched()
				}
			}
		})
	}
	all.Wait()
	return taken
}

// disorder says what is wrong with what was taken.
func disorder(taken [][]*numbered, producers, each int, ordered bool) string {
	count := make([][]int, producers)
	for from := range count {
		count[from] = make([]int, each)
	}
	for c, haul := range taken {
		next := make([]int, producers)
		for _, v := range haul {
			if ordered && v.serial < next[v.from] {
				return fmt.Sprintf("consumer %d got item %d of producer %d after a later one", c, v.serial, v.from)
			}
			next[v.from] = v.serial + 1
			count[v.from][v.serial]++
		}
	}
	for from := range count {
		for serial, n := range count[from] {
			if n != 1 {
				return fmt.Sprintf("item %d of producer %d came out %d times", serial, from, n)
			}
		}
	}
	return ""
}

// TestDisorder: what it must find.
func TestDisorder(t *testing.T) {
	a, b := &numbered{0, 0}, &numbered{0, 1}
	for name, c := range map[string]struct {
		taken [][]*numbered
		bad   bool
	}{
		"in order":   {[][]*numbered{{a, b}}, false},
		"apart":      {[][]*numbered{{b}, {a}}, false},
		"overtaken":  {[][]*numbered{{b, a}}, true},
		"lost":       {[][]*numbered{{a}}, true},
		"duplicated": {[][]*numbered{{a, b}, {b}}, true},
	} {
		if bad := disorder(c.taken, 1, 2, true); (bad != "") != c.bad {
			t.Errorf("%s: %q", name, bad)
		}
	}
	if bad := disorder([][]*numbered{{b, a}}, 1, 2, false); bad != "" {
		t.Errorf("no order promised: %s", bad)
	}
}
