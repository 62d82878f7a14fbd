package chaselev

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/queues"
)

// swing makes the ring grow from 2 to 64 and shrink back.
func swing(d *Deque[int], v *int) {
	for range 40 {
		d.Push(v)
	}
	for range 39 {
		d.Pop()
	}
}

// TestStaleRing: a thief is stalled between its two looks at the ring. As long
// as it is pinned, the ring that it holds does not come back, so the second
// look tells that it was replaced (CVE-2021-32810 is the lack of that look).
func TestStaleRing(t *testing.T) {
	d, v := New[int](queues.Options{Capacity: 2}), new(int)
	d.Push(v)
	swing(d, v)
	swing(d, v)
	g := d.rings.Home().Pin()
	held := d.ring.Load()
	for range 100 {
		swing(d, v)
		if d.ring.Load() == held {
			t.Fatal("the ring was used again under a pin")
		}
	}
	g.Unpin()
	// Without a pin rings do come back, so the test above can fail.
	held = d.ring.Load()
	for range 100 {
		swing(d, v)
		if d.ring.Load() == held {
			return
		}
	}
	t.Error("vacuous: rings are never used again")
}

// TestSwingAllocs: growing and shrinking over and over takes spare rings.
func TestSwingAllocs(t *testing.T) {
	d, v := New[int](queues.Options{Capacity: 2}), new(int)
	for range 20 {
		swing(d, v)
	}
	if n := testing.AllocsPerRun(100, func() { swing(d, v) }); n > 0 {
		t.Errorf("%v allocations in a swing", n)
	}
}

// TestRingSizes: the ring follows the number of items in both directions.
func TestRingSizes(t *testing.T) {
	for _, test := range []struct{ capacity, first, least int }{
		{0, usual, kept}, {1, 1, 4}, {2, 2, 4}, {3, 4, 4}, {64, 64, 64}, {65, 128, 128},
	} {
		d, v := New[int](queues.Options{Capacity: test.capacity, Start: 1<<64 - 7}), new(int)
		if got := d.cur.size(); got != test.first {
			t.Errorf("capacity %d: %d slots, want %d", test.capacity, got, test.first)
		}
		for range 10_000 {
			d.Push(v)
		}
		if got := d.cur.size(); got != 16384 {
			t.Errorf("capacity %d: %d slots for 10000 items", test.capacity, got)
		}
		for d.Len() > 0 {
			d.Pop()
		}
		d.Pop()
		if got := d.cur.size(); got > test.least {
			t.Errorf("capacity %d: %d slots when empty, want at most %d", test.capacity, got, test.least)
		}
		for i := range d.cur.slots {
			if d.cur.slots[i].Load() != nil {
				t.Errorf("capacity %d: slot %d is not empty", test.capacity, i)
			}
		}
	}
}

// TestJump: when thieves have emptied a large ring, one Pop brings it back.
func TestJump(t *testing.T) {
	d, v := New[int](queues.Options{}), new(int)
	for range 100_000 {
		d.Push(v)
	}
	thief, dst := d.Stealer(), make([]*int, 64)
	for n := 1; n > 0; n, _ = thief.Steal(dst) {
	}
	d.Pop()
	if got, s := d.cur.size(), d.Stats(); got != kept || s.Shrinks != 1 {
		t.Errorf("%d slots, %+v", got, s)
	}
}

// rob steals until done is closed and nothing is left. It stores 1 in stolen
// with its first steal.
func rob(side queues.Stealer[*int], done <-chan struct{}, stolen *atomic.Uint32) (haul []*int) {
	dst := make([]*int, 3)
	for {
		n, retry := side.Steal(dst)
		haul = append(haul, dst[:n]...)
		if n > 0 {
			stolen.Store(1)
		} else if !retry {
			select {
			case <-done:
				return haul
			default:
				runtime.Gosched()
			}
		}
	}
}

// work pushes all items and pops a third of them on the way, the rest at the
// end. Halfway it waits until something was stolen: there are items, so a thief
// will get one.
func work(d *Deque[int], items []int, stolen *atomic.Uint32) (haul []*int) {
	pop := func(n int) {
		for ; n > 0; n-- {
			v, ok := d.Pop()
			if !ok {
				return
			}
			haul = append(haul, v)
		}
	}
	for i := range items {
		d.Push(&items[i])
		for i == len(items)/2 && stolen.Load() == 0 {
			runtime.Gosched()
		}
		if i%64 == 63 {
			pop(20)
		}
	}
	pop(len(items) + 100)
	return haul
}

// TestSteals: steals meet growing and shrinking, and each item is taken once.
// This is what the laws check too; here it is shown not to be vacuous.
func TestSteals(t *testing.T) {
	d := New[int](queues.Options{Capacity: 1, Start: 1<<64 - 100})
	for range 100 { // grow before the thieves come, shrink after they have gone
		d.Push(new(int))
	}
	items, taken := make([]int, 20_000), make([][]*int, 3)
	done := make(chan struct{})
	var stolen atomic.Uint32
	var thieves sync.WaitGroup
	for i := range 2 {
		side := d.Stealer()
		thieves.Go(func() { taken[i] = rob(side, done, &stolen) })
	}
	taken[2] = work(d, items, &stolen)
	close(done)
	thieves.Wait()
	for _, haul := range taken {
		for _, v := range haul {
			*v++
		}
	}
	for i, times := range items {
		if times != 1 {
			t.Fatalf("item %d was taken %d times", i, times)
		}
	}
	if s := d.Stats(); s.Growths == 0 || s.Shrinks == 0 || s.Rings.Reclaimed == 0 {
		t.Errorf("vacuous: %+v", s)
	}
}
