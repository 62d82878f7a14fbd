package chaselev

import (
	"runtime"
	"sync"
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
	for _, test := range []struct{ capacity, first int }{{0, usual}, {1, 1}, {2, 2}, {3, 4}, {64, 64}, {65, 128}} {
		d, v := New[int](queues.Options{Capacity: test.capacity, Start: 1<<64 - 7}), new(int)
		if got := d.cur.size(); got != test.first {
			t.Errorf("capacity %d: %d slots, want %d", test.capacity, got, test.first)
		}
		for range 1000 {
			d.Push(v)
		}
		if got := d.cur.size(); got != 1024 {
			t.Errorf("capacity %d: %d slots for 1000 items", test.capacity, got)
		}
		for d.Len() > 0 {
			d.Pop()
		}
		d.Pop()
		if got := d.cur.size(); got > max(2, test.first) {
			t.Errorf("capacity %d: %d slots when empty", test.capacity, got)
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
	if got, s := d.cur.size(), d.Stats(); got != usual || s.Shrinks != 1 {
		t.Errorf("%d slots, %+v", got, s)
	}
}

// TestSteals: steals meet growing and shrinking, and each item is taken once.
// This is what the laws check too; here it is shown not to be vacuous.
func TestSteals(t *testing.T) {
	d := New[int](queues.Options{Capacity: 1, Start: 1<<64 - 100})
	const n = 20_000
	items, taken := make([]int, n), make([][]*int, 3)
	done := make(chan struct{})
	var thieves sync.WaitGroup
	for i := range 2 {
		side := d.Stealer()
		thieves.Go(func() {
			dst := make([]*int, 3)
			for {
				k, retry := side.Steal(dst)
				taken[i] = append(taken[i], dst[:k]...)
				if k == 0 && !retry {
					select {
					case <-done:
						return
					default:
						runtime.Gosched()
					}
				}
			}
		})
	}
	for i := range items {
		d.Push(&items[i])
		if i%64 == 63 {
			runtime.Gosched()
			for range 20 {
				if v, ok := d.Pop(); ok {
					taken[2] = append(taken[2], v)
				}
			}
		}
	}
	for v, ok := d.Pop(); ok; v, ok = d.Pop() {
		taken[2] = append(taken[2], v)
	}
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
	s := d.Stats()
	if stolen := len(taken[0]) + len(taken[1]); stolen == 0 || s.Growths == 0 || s.Shrinks == 0 || s.Rings.Reclaimed == 0 {
		t.Errorf("vacuous: %d stolen, %+v", stolen, s)
	}
}
