package explore_test

import (
	"fmt"

	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/atomic"
)

// deque is the deque of Chase and Lev, SPAA 2005, for values that are not 0.
// fault is one of the mistakes that are made with it, or "".
type deque struct {
	top, bottom atomic.Int64
	ring        atomic.Pointer[ring]
	fault       string
}

type ring struct{ slots []atomic.Int64 }

func (r *ring) at(i int64) *atomic.Int64 { return &r.slots[i&int64(len(r.slots)-1)] }

func newRing(size int) *ring { return &ring{make([]atomic.Int64, size)} }

func newDeque(size int, fault string) *deque {
	d := &deque{fault: fault}
	d.ring.Store(newRing(size))
	return d
}

func (d *deque) push(v int64) {
	b, t, r := d.bottom.Load(), d.top.Load(), d.ring.Load()
	size := int64(len(r.slots))
	if d.fault == "full test off by one" {
		size++
	}
	if b-t >= size {
		r = d.grow(r, t, b)
	}
	if d.fault == "publish before slot write" {
		d.bottom.Store(b + 1)
		r.at(b).Store(v)
		return
	}
	r.at(b).Store(v)
	d.bottom.Store(b + 1)
}

func (d *deque) grow(r *ring, t, b int64) *ring {
	bigger := newRing(2 * len(r.slots))
	if d.fault == "grow drops newest" {
		b--
	}
	for i := t; i < b; i++ {
		bigger.at(i).Store(r.at(i).Load())
	}
	d.ring.Store(bigger)
	return bigger
}

func (d *deque) pop() int64 {
	b := d.bottom.Load() - 1
	var t int64
	r := d.ring.Load()
	if d.fault == "pop reads top before reserving bottom" {
		t = d.top.Load()
		d.bottom.Store(b)
	} else {
		d.bottom.Store(b)
		t = d.top.Load()
	}
	if t > b {
		d.bottom.Store(b + 1)
		return 0
	}
	v := r.at(b).Load()
	if t < b {
		return v
	}
	if d.fault != "pop: no CAS for the last element" && !d.top.CompareAndSwap(t, t+1) {
		v = 0
	}
	d.bottom.Store(b + 1)
	return v
}

// steal returns 0 also when it has lost a race.
func (d *deque) steal() int64 {
	var r *ring
	if d.fault == "steal: stale buffer" {
		r = d.ring.Load()
	}
	t := d.top.Load()
	b := d.bottom.Load()
	if t >= b {
		return 0
	}
	if r == nil {
		r = d.ring.Load()
	}
	var v int64
	if d.fault != "steal: value read after CAS" {
		v = r.at(t).Load()
	}
	if d.fault == "steal: store instead of CAS" {
		d.top.Store(t + 1)
	} else if !d.top.CompareAndSwap(t, t+1) {
		return 0
	}
	if d.fault == "steal: value read after CAS" {
		v = r.at(t).Load()
	}
	return v
}

// faults of the deque, each with the order of a scenario that shows it.
var faults = []string{
	"pop: no CAS for the last element",
	"steal: value read after CAS",
	"grow drops newest",
	"pop reads top before reserving bottom",
	"steal: store instead of CAS",
	"steal: stale buffer",
	"full test off by one",
	"publish before slot write",
}

// duel is a program: the owner's word, P for push and p for pop, and how often
// each thief steals. It fails unless each value is taken once, or left.
func duel(size int, fault, word string, thieves ...int) func(*explore.T) {
	return func(t *explore.T) {
		d := newDeque(size, fault)
		t.Name("deque", d)
		got := make([][]int64, len(thieves)+1)
		pushed := int64(0)
		t.Go(func() {
			for _, op := range word {
				if op == 'P' {
					pushed++
					d.push(pushed)
				} else {
					got[0] = append(got[0], d.pop())
				}
			}
		})
		for i, n := range thieves {
			t.Go(func() {
				for range n {
					got[i+1] = append(got[i+1], d.steal())
				}
			})
		}
		t.Check(func() error { return once(pushed, got, d.pop) })
	}
}

// once checks that each of 1..pushed was got once or is left.
func once(pushed int64, got [][]int64, left func() int64) error {
	seen := map[int64]int{}
	for _, values := range got {
		for _, v := range values {
			seen[v]++
		}
	}
	for range pushed {
		seen[left()]++
	}
	delete(seen, 0)
	for v := int64(1); v <= pushed; v++ {
		if seen[v] != 1 {
			return fmt.Errorf("value %d was taken %d times", v, seen[v])
		}
		delete(seen, v)
	}
	if len(seen) > 0 {
		return fmt.Errorf("values that were never pushed: %v", seen)
	}
	return nil
}
