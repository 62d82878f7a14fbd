package executor

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
)

// door is an entrance under its lock, with tasks 0 to total-1 to enter.
type door struct {
	mu       sync.Mutex
	entrance entrance // guarded by mu
	entered  int      // guarded by mu
	again    int      // batches that were used again; guarded by mu
	times    []atomic.Int32
	left     atomic.Int64
	stolen   atomic.Int64
}

// exchange gives a batch back and takes one off, after some tasks have entered.
func (d *door) exchange(spent *batch) *batch {
	d.mu.Lock()
	defer d.mu.Unlock()
	if spent != nil {
		d.again++
	}
	d.entrance.put(spent)
	for range min(1+d.entered%100, len(d.times)-d.entered) {
		d.entrance.push(nil, d.entered, nil)
		d.entered++
	}
	return d.entrance.pop()
}

func (d *door) claimed(x Task) {
	d.times[x.arg.(int)].Add(1)
	d.left.Add(-1)
}

// own fills s and takes from it, the first time not before a thief has been there.
func (d *door) own(s *shelf) {
	b := d.exchange(nil)
	for s.fill(b); d.stolen.Load() == 0; {
		runtime.Gosched()
	}
	for x := (Task{}); d.left.Load() > 0; {
		if s.take(&x) {
			d.claimed(x)
		} else if b = d.exchange(b); b != nil {
			s.fill(b)
		} else {
			runtime.Gosched()
		}
	}
}

// Owners carry batches to their shelves while all claim from all of them: each task is
// claimed once. That no claim races with the next use of a row the race detector tells.
func TestShelvesGiveEachTaskOnce(t *testing.T) {
	stress.Watchdog(t)
	total := 200_000
	if testing.Short() {
		total = 20_000
	}
	d := &door{entrance: entrance{keep: 4}, times: make([]atomic.Int32, total)}
	d.left.Store(int64(total))
	var shelves [2]shelf
	var all sync.WaitGroup
	for i := range shelves {
		all.Go(func() { d.own(&shelves[i]) })
		all.Go(func() {
			for x := (Task{}); d.left.Load() > 0; runtime.Gosched() {
				for i := range shelves {
					if shelves[i].steal(&x) {
						d.claimed(x)
						d.stolen.Add(1)
					}
				}
			}
		})
	}
	all.Wait()
	for i := range d.times {
		if n := d.times[i].Load(); n != 1 {
			t.Fatalf("task %d was claimed %d times", i, n)
		}
	}
	t.Logf("%d of %d stolen, %d batches used again", d.stolen.Load(), total, d.again)
	if d.stolen.Load() == 0 || d.again == 0 {
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
