package executor

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor/lifecycle"
	"github.com/exactlyonce/certify/internal/stress"
)

var capacities = []int{1, 2, 63, 64, 65, 127, 128, 129, 1000}

// Every slot can be taken, each once, and the slab is full exactly then.
func TestSlabFillsExactly(t *testing.T) {
	stress.Watchdog(t)
	for _, capacity := range capacities {
		s := newSlab(nil, capacity)
		for round := range 3 {
			var at place
			seen := map[*slot]bool{}
			for range capacity {
				h := new(head)
				task := s.take(&at, h)
				if task == nil || seen[task] || task.head != h || h.task != task || h.gen != lifecycle.Gen(round) {
					t.Fatalf("capacity %d: bad slot %v", capacity, task)
				}
				seen[task] = true
			}
			if s.take(&at, new(head)) != nil || s.stored() != capacity || s.high.Load() != int64(capacity) {
				t.Fatalf("capacity %d: stored %d, high %d", capacity, s.stored(), s.high.Load())
			}
			for task := range seen {
				if g, _ := task.word.Cancel(task.gen); g != lifecycle.Queued {
					t.Fatalf("a fresh slot was %s", g)
				}
				give(s, task)
			}
			if s.stored() != 0 {
				t.Fatalf("capacity %d: stored %d", capacity, s.stored())
			}
		}
	}
}

// give is what Executor.free does for a slot whose task was cancelled.
func give(s *slab, t *slot) {
	gen := t.gen
	t.head = nil
	t.gen = gen + 1
	s.put(t.index)
	t.word.Recycle(gen, lifecycle.Cancelled)
}

// Takers and givers race for few slots: a slot has one owner at a time, the
// generation rises by one a life, and no slot is lost.
func TestSlabHasOneOwnerASlot(t *testing.T) {
	rounds := 20000
	if testing.Short() {
		rounds = 2000
	}
	for _, capacity := range []int{1, 3, 64, 65, 130} {
		stress.Watchdog(t)
		s := newSlab(nil, capacity)
		owners := make([]atomic.Int32, capacity)
		lives := make([]int, capacity) // plain: the owner's
		var took, full atomic.Int64
		var crew sync.WaitGroup
		for k := range 4 {
			crew.Go(func() {
				at := place{word: uint32(k % len(s.free))}
				var held []*slot
				for i := range rounds {
					if task := s.take(&at, new(head)); task != nil {
						if owners[task.index].Add(1) != 1 || task.gen != lifecycle.Gen(lives[task.index]) {
							t.Errorf("slot %d of generation %d has two owners", task.index, task.gen)
							return
						}
						lives[task.index]++
						took.Add(1)
						held = append(held, task)
					} else {
						full.Add(1)
						runtime.Gosched()
					}
					for len(held) > i%max(2, capacity/2) {
						task := held[len(held)-1]
						held = held[:len(held)-1]
						task.word.Cancel(task.gen)
						owners[task.index].Add(-1)
						give(s, task)
					}
				}
				for _, task := range held {
					task.word.Cancel(task.gen)
					owners[task.index].Add(-1)
					give(s, task)
				}
			})
		}
		crew.Wait()
		if took.Load() == 0 || capacity == 1 && full.Load() == 0 {
			t.Errorf("capacity %d: %d taken, %d times full", capacity, took.Load(), full.Load())
		}
		sum := 0
		for _, n := range lives {
			sum += n
		}
		if s.stored() != 0 || int64(sum) != took.Load() || s.sample() != 0 || s.high.Load() > int64(capacity) {
			t.Errorf("capacity %d: %d lives of %d taken, %d still taken", capacity, sum, took.Load(), s.stored())
		}
	}
}
