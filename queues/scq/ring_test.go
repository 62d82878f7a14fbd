package scq

import (
	"testing"

	"github.com/exactlyonce/certify/queues"
)

// starts are where counters begin: tickets wrap at 2^64, the rounds in entries at 2^63.
var starts = []uint64{0, 1<<64 - 3, 1<<63 - 3, 1<<32 - 1}

// each calls f with fresh rings for 1, 2 and 4 numbers, of which held are in.
func each(t *testing.T, held func(n int) int, f func(t *testing.T, r *ring, n int)) {
	t.Helper()
	for _, n := range []int{1, 2, 4} {
		for _, start := range starts {
			r := new(ring)
			r.init(n, start, held(n))
			f(t, r, n)
		}
	}
}

func none(int) int   { return 0 }
func full(n int) int { return n }

// wants takes these numbers out of r, and then nothing.
func wants(t *testing.T, r *ring, numbers ...uint64) {
	t.Helper()
	for i, want := range numbers {
		if n := r.len(); n != len(numbers)-i {
			t.Errorf("len = %d, want %d", n, len(numbers)-i)
		}
		if got, ok := r.dequeue(); !ok || got != want {
			t.Errorf("dequeued %d, %v, want %d", got, ok, want)
		}
	}
	if got, ok := r.dequeue(); ok || r.len() != 0 {
		t.Errorf("dequeued %d from an empty ring, len = %d", got, r.len())
	}
}

// TestRounds: many rounds, full and empty.
func TestRounds(t *testing.T) {
	each(t, full, func(t *testing.T, r *ring, n int) {
		for range 5 {
			var all []uint64
			for range n {
				i, _ := r.dequeue()
				all = append(all, i)
			}
			for _, i := range all {
				r.enqueue(i)
			}
			wants(t, r, all...)
			for _, i := range all {
				r.enqueue(i)
			}
		}
	})
}

// TestEnqueuerHeldUp between its 1 and its 2: the others get by, its dequeuer makes
// the ticket void, and it takes another.
func TestEnqueuerHeldUp(t *testing.T) {
	each(t, none, func(t *testing.T, r *ring, n int) {
		late := r.tail.Add(1) - 1
		if !r.empty() || r.len() != 0 {
			t.Error("a ticket is taken for a number")
		}
		r.enqueue(0)
		if _, ok := r.dequeue(); !ok {
			t.Error("the others do not get by")
		}
		if r.put(late, 0) {
			t.Error("a number was put where nobody will look")
		}
		r.holes.Add(1)
		r.enqueue(0)
		wants(t, r, 0)
	})
}

// TestEnqueuerBeforeItsDequeuer: who has a ticket and was overtaken by an enqueuer, but
// by no dequeuer, comes first.
func TestEnqueuerBeforeItsDequeuer(t *testing.T) {
	r := new(ring)
	r.init(2, 1<<64-1, 0)
	late := r.tail.Add(1) - 1
	r.enqueue(1)
	if !r.put(late, 0) {
		t.Fatal("could not")
	}
	r.publish(late)
	wants(t, r, 0, 1)
}

// TestUnpublished: a number that is in, with its enqueuer held up before its 3, is
// there for a dequeuer who has the ticket, and for all once another comes behind it.
func TestUnpublished(t *testing.T) {
	r := new(ring)
	r.init(4, 1<<63-2, 0)
	late := r.tail.Add(1) - 1
	r.put(late, 3)
	if !r.empty() {
		t.Error("not empty, before the enqueue has returned and though nothing is behind it")
	}
	r.enqueue(2)
	r.publish(late) // too late to move anything
	wants(t, r, 3, 2)
}

// TestDequeuerHeldUp between its 2 and its 3, while the others go round twice: its
// entry is passed over, made unsafe, and its number is there when it comes.
func TestDequeuerHeldUp(t *testing.T) {
	each(t, full, func(t *testing.T, r *ring, n int) {
		late := r.head.Add(1) - 1
		for range 4*n + 1 {
			if i, ok := r.dequeue(); ok {
				r.enqueue(i)
			}
		}
		if safe := r.entry(late).Load() & (r.none() + 1); n > 1 && safe != 0 {
			t.Error("vacuous: nobody has passed the entry")
		}
		i, ok := r.take(late)
		if !ok {
			t.Fatal("its number is gone")
		}
		r.enqueue(i)
		for want := n; want >= 0; want-- {
			if got := r.len(); got != want {
				t.Errorf("len = %d, want %d", got, want)
			}
			r.dequeue()
		}
	})
}

// unsafeRing is a ring for one number, whose first entry is unsafe and blank: a dequeuer
// of the next round came by while the one of the first was held up.
func unsafeRing(start uint64) *ring {
	r := new(ring)
	r.init(1, start, 1)
	late := r.head.Add(1) - 1
	r.head.Add(1)
	r.take(r.head.Add(1) - 1)
	r.take(late)
	r.tail.Store(r.head.Load() - 1) // at the entry again, in the round that was given up
	return r
}

// TestUnsafe: an unsafe entry is not for a ticket whose dequeuer may be gone, and is
// for one whose dequeuer has not come.
func TestUnsafe(t *testing.T) {
	for _, start := range starts {
		r := unsafeRing(start)
		e := r.tail.Load()
		if word := r.entry(e).Load(); word != r.blank(start)&^(r.none()+1) {
			t.Fatalf("vacuous: entry %#x", word)
		}
		if r.put(e, 0) {
			t.Error("put where the dequeuer has been")
		}
		if !r.put(e+2, 0) {
			t.Error("not put where the dequeuer will come")
		}
		if got, ok := r.take(e + 2); !ok || got != 0 {
			t.Errorf("took %d, %v", got, ok)
		}
	}
}

// TestThresholdFaulty: the paper's threshold, in the place of limit, loses sight of a
// number when more dequeuers than there are slots fail at once.
func TestThresholdFaulty(t *testing.T) {
	r := new(ring)
	r.init(1, 0, 1)
	first := r.head.Add(9) - 9 // nine have seen that the threshold is not below 0
	r.take(first)
	for i := uint64(1); i < 9; i++ {
		r.take(first + i) // in vain, and about to count down
		r.holes.Add(-1)
	}
	r.enqueue(0)
	threshold := 3*1 - 1 // as the enqueuer sets it
	threshold -= 8       // as the eight count down
	if threshold >= 0 || r.empty() {
		t.Errorf("threshold %d, empty by limit: %v", threshold, r.empty())
	}
	wants(t, r, 0)
}

// TestMoreDequeuersThanSlots: as many as you like may fail at once, and the next
// number is found.
func TestMoreDequeuersThanSlots(t *testing.T) {
	each(t, func(int) int { return 1 }, func(t *testing.T, r *ring, n int) {
		first := r.head.Add(9) - 9 // all have seen that the ring is not empty
		if _, ok := r.take(first); !ok {
			t.Fatal("the one number is gone")
		}
		for i := uint64(1); i < 9; i++ {
			if _, ok := r.take(first + i); ok {
				t.Fatal("a number of nobody's")
			}
			r.holes.Add(-1)
		}
		r.enqueue(0)
		wants(t, r, 0)
		r.enqueue(0)
		first = r.head.Add(9) - 9
		r.take(first)
		r.enqueue(0) // one of the dequeuers that are under way has the ticket
		found := 0
		for i := uint64(1); i < 9; i++ {
			if _, ok := r.take(first + i); ok {
				found++
				continue
			}
			r.holes.Add(-1)
		}
		if found != 1 {
			t.Errorf("%d dequeuers have the number", found)
		}
		r.enqueue(0)
		wants(t, r, 0)
	})
}

// TestTentative: a Pop that is held up between its rings has the slot.
func TestTentative(t *testing.T) {
	q := New[string](queues.Options{Capacity: 1, Start: 1<<64 - 1})
	if !q.Push("a") || q.Push("b") {
		t.Fatal("capacity 1 does not hold 1")
	}
	i, _ := q.full.dequeue()
	if q.Push("b") || q.Len() != 0 {
		t.Error("a slot that is being read was written")
	}
	q.free.enqueue(i)
	if !q.Push("b") {
		t.Error("still full")
	}
}

// TestTypes: any type will do.
func TestTypes(t *testing.T) {
	check(t, byte(7))
	check(t, [3]string{"a", "b"})
	check(t, struct{}{})
	check(t, (*int)(nil))
}

func check[T comparable](t *testing.T, want T) {
	t.Helper()
	for _, capacity := range []int{1, 2, 3} {
		q := New[T](queues.Options{Capacity: capacity, Start: 1<<64 - 1})
		for range 9 {
			q.Push(want)
			if got, ok := q.Pop(); !ok || got != want {
				t.Errorf("Pop = %v, %v, want %v", got, ok, want)
			}
		}
	}
}
