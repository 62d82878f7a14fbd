package executor

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
)

// Owners carry batches to their shelves while all claim from all of them, and late
// from batches that have moved on: each task is claimed once, and a batch that is given
// back is nobody's. That the claims do not race with the next use of a batch the race
// detector tells.
func TestShelvesGiveEachTaskOnce(t *testing.T) {
	stress.Watchdog(t)
	const owners, thieves = 2, 2
	total := 200_000
	if testing.Short() {
		total = 20_000
	}
	var mu sync.Mutex
	entrance := entrance{keep: 4}
	entered := 0
	times := make([]atomic.Int32, total)
	var left, stolen, again atomic.Int64
	left.Store(int64(total))
	claimed := func(x Task) {
		times[x.arg.(int)].Add(1)
		left.Add(-1)
	}
	// enter writes some tasks, and takes a batch off.
	enter := func(spent *batch) *batch {
		mu.Lock()
		defer mu.Unlock()
		if spent != nil {
			again.Add(1)
		}
		entrance.put(spent)
		for range 1 + entered%100 {
			if entered < total {
				entrance.push(nil, entered, nil)
				entered++
			}
		}
		return entrance.pop()
	}
	shelves := make([]shelf, owners)
	var all sync.WaitGroup
	for i := range shelves {
		all.Go(func() {
			var b *batch
			for s, x := &shelves[i], (Task{}); left.Load() > 0; {
				if s.take(&x) {
					claimed(x)
				} else if b = enter(b); b != nil {
					s.fill(b)
				} else {
					runtime.Gosched()
				}
			}
		})
	}
	for range thieves {
		all.Go(func() {
			for x := (Task{}); left.Load() > 0; {
				for i := range shelves {
					if shelves[i].steal(&x) {
						claimed(x)
						stolen.Add(1)
					}
				}
				runtime.Gosched()
			}
		})
	}
	all.Wait()
	for i := range times {
		if n := times[i].Load(); n != 1 {
			t.Fatalf("task %d was claimed %d times", i, n)
		}
	}
	t.Logf("%d of %d stolen, %d batches used again", stolen.Load(), total, again.Load())
	if stolen.Load() == 0 || again.Load() == 0 {
		t.Error("vacuous: nothing was stolen, or no batch used again")
	}
}

// A row that a thief still reads is not filled again, and from one that is not full
// nothing can be claimed, whoever knows it.
func TestShelfKeepsWhatIsRead(t *testing.T) {
	stress.Watchdog(t)
	q := entrance{keep: 1}
	q.push(nil, 1, nil)
	q.push(nil, 2, nil)
	b := q.pop()
	var s shelf
	var x Task
	if b.n != 2 || q.n != 0 || s.take(&x) || s.any() {
		t.Fatalf("%d tasks, %d left", b.n, q.n)
	}
	s.fill(b)
	seen := s.row.Load()
	if !seen.claim(&x) || x.arg != 1 || !s.take(&x) || x.arg != 2 || s.take(&x) || seen.claim(&x) {
		t.Fatalf("got %v", x.arg)
	}
	refill := func(arg int) {
		q.put(b)
		if q.push(nil, arg, nil); q.pop() != b {
			t.Fatal("the batch is not used again")
		}
		s.fill(b)
	}
	if refill(3); s.row.Load() == seen || !s.take(&x) || x.arg != 3 {
		t.Fatal("filled while a thief reads")
	}
	seen = s.row.Load()
	if refill(4); s.row.Load() != seen || !s.steal(&x) || x.arg != 4 {
		t.Fatal("not filled again")
	}
	if refill(5); s.row.Load() != seen || !seen.claim(&x) || x.arg != 5 {
		t.Fatal("a late thief's claim does not hold")
	}
}
