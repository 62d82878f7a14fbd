package queuetest

import (
	"fmt"
	"runtime"
	"testing"
	"weak"
)

// retention: what was taken can be collected; what thieves took, after one Pop
// by the owner; and what was refused.
func retention(t *trial) error {
	return t.variety(func(s subject) error {
		for _, way := range []func(subject) []weak.Pointer[Item]{popped, removed, mixed} {
			items := way(s)
			s.Pop() // the one operation of the owner; the queue is empty
			if err := collected(items); err != nil {
				return err
			}
		}
		items, err := t.contested(s)
		if err != nil {
			return err
		}
		s.Pop()
		err = collected(items)
		runtime.KeepAlive(s)
		return err
	})
}

// contested takes items while takers meet, and forgets them.
func (t *trial) contested(s subject) ([]weak.Pointer[Item], error) {
	l, _, err := t.skirmish(s, 1, 1000)
	var items []weak.Pointer[Item]
	for _, v := range l.items[0] {
		items = append(items, weak.Make(v))
	}
	return items, err
}

// supply pushes n items that nobody else keeps.
func supply(s subject, n int) []weak.Pointer[Item] {
	items := make([]weak.Pointer[Item], n)
	for i := range items {
		v := &Item{Serial: i, ledger: new(ledger)}
		items[i] = weak.Make(v)
		s.Push(v)
	}
	return items
}

func popped(s subject) []weak.Pointer[Item] {
	items := supply(s, 100)
	for range items {
		s.Pop()
	}
	return items
}

func removed(s subject) []weak.Pointer[Item] {
	items := supply(s, 100)
	var dst [7]*Item
	for range items {
		if n, err := s.remove(dst[:]); n == 0 || err != nil {
			break
		}
	}
	return items
}

func mixed(s subject) []weak.Pointer[Item] {
	items := supply(s, 30)
	var dst [5]*Item
	s.remove(dst[:])
	items = append(items, supply(s, 30)...)
	s.remove(dst[:])
	for range items {
		s.Pop()
	}
	return items
}

// collected waits for the garbage collector to take all items, for ten
// collections at most.
func collected(items []weak.Pointer[Item]) error {
	alive := 0
	for range 10 {
		runtime.GC()
		alive = 0
		for _, p := range items {
			if p.Value() != nil {
				alive++
			}
		}
		if alive == 0 {
			return nil
		}
	}
	return fmt.Errorf("%d of %d items that were taken cannot be collected", alive, len(items))
}

// allocs: after warming up, pushing and taking allocates nothing.
func allocs(t *trial) error {
	s := t.open(turn(0))
	v := new(Item)
	var dst [1]*Item
	pop := func() { s.Pop() }
	remove := func() { s.remove(dst[:]) }
	for _, take := range []func(){pop, remove} {
		for _, depth := range []int{1, 64} {
			work := func() {
				for range depth {
					s.Push(v)
				}
				for range depth {
					take()
				}
			}
			for range 20_000 / depth {
				work()
			}
			// Others may allocate meanwhile, but not once in each of 200 runs.
			if n := testing.AllocsPerRun(200, work); n > 0 {
				return fmt.Errorf("%v allocations in %d pushes and takes", n, depth)
			}
		}
	}
	return nil
}

// spareB is how much memory a burst may leave behind.
const spareB = 1 << 20

// burst: the memory of a burst goes back, after it was popped and, a smaller one,
// after it was taken in batches, from a deque by a thief.
func burst(t *trial) error {
	s := t.open(turn(0))
	v := new(Item)
	var dst [64]*Item
	pop := func() bool { _, ok := s.Pop(); return ok }
	remove := func() bool { n, _ := s.remove(dst[:]); return n > 0 }
	size := t.config.Burst
	for _, take := range []func() bool{pop, remove} {
		before := heapB()
		n := 0
		for n < size && s.Push(v) {
			n++
		}
		for take() {
		}
		pop()
		if grown := heapB() - before; grown > spareB {
			return fmt.Errorf("%d bytes more after a burst of %d items than before it", grown, n)
		}
		size = t.config.Burst / 4
	}
	runtime.KeepAlive(s)
	return nil
}

// heapB is the live heap in bytes.
func heapB() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
