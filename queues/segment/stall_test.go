package segment

import (
	"runtime"
	"slices"
	"testing"

	"github.com/exactlyonce/certify/queues"
)

// churn pushes and pops n items, one at a time.
func churn(q *Queue[int], n int) {
	for i := range n {
		q.Push(i)
		q.Pop()
	}
}

// contents are the items, which are taken.
func contents(q *Queue[int]) []int {
	dst := make([]int, 0, 300)
	for n := q.PopInto(dst[len(dst):300]); n > 0; n = q.PopInto(dst[len(dst):300]) {
		dst = dst[:len(dst)+n]
	}
	return dst
}

func heapB() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// grown is by how much the heap grows in n pushes and pops while one goroutine is
// stalled, pinned and with the oldest segment in hand.
func grown(q *Queue[int], n int) int64 {
	churn(q, 1000)
	g := q.producers.Pin()
	stalled := q.tail.Load()
	before := heapB()
	churn(q, n)
	after := heapB()
	runtime.KeepAlive(stalled)
	g.Unpin()
	return after - before
}

// TestStalledPin: a stalled pin costs the recycling but not the memory.
func TestStalledPin(t *testing.T) {
	q := New[int](queues.Options{})
	if got := grown(q, 400_000); got > 256<<10 {
		t.Errorf("the heap grew by %d bytes", got)
	}
	if s := q.Stats(); s.Discarded == 0 || s.LimboHigh > limbo {
		t.Errorf("%+v", s)
	}
	churn(q, 20*size*limbo)
	before := q.Stats().Reclaimed
	if churn(q, 4*size*interval); q.Stats().Reclaimed == before {
		t.Error("recycling did not resume after the pin")
	}
}

// TestStalledPinFaulty: without sever the same check sees every segment kept.
func TestStalledPinFaulty(t *testing.T) {
	q := newQueue(0, recycle[int], func(*segment[int]) {})
	if got := grown(q, 400_000); got < 2<<20 {
		t.Errorf("the heap grew by %d bytes only; the check of TestStalledPin could not fail", got)
	}
}

// revive stalls a producer before its step 4, with the last segment of a fresh queue,
// until that has been discarded; lets it try; and tells whether it linked.
func revive(q *Queue[int]) (linked bool) {
	for i := range size {
		q.Push(i)
	}
	g := q.producers.Pin()
	s := q.tail.Load()
	own := prepare(g, nil, []int{42}, s.seq+1)
	churn(q, 2*size*limbo)
	contents(q)
	linked = s.next.CompareAndSwap(nil, own)
	g.Unpin()
	return linked
}

// TestStalledProducer: who wakes up with a discarded segment links nothing behind it.
func TestStalledProducer(t *testing.T) {
	q := New[int](queues.Options{})
	if revive(q) {
		t.Error("linked behind a discarded segment")
	}
	if q.Stats().Discarded == 0 {
		t.Error("vacuous: nothing was discarded")
	}
}

// TestStalledProducerFaulty: severing to nil loses the item, and this test sees it.
func TestStalledProducerFaulty(t *testing.T) {
	q := newQueue(0, recycle[int], func(s *segment[int]) { s.next.Store(nil) })
	if !revive(q) {
		t.Error("TestStalledProducer could not fail")
	}
}

// TestStalledConsumer: who wakes up with a discarded head neither takes from it nor
// moves the head back.
func TestStalledConsumer(t *testing.T) {
	q := New[int](queues.Options{})
	g := q.consumers.Pin()
	s := q.head.Load()
	churn(q, 2*size*limbo)
	if s.next.Load() != s {
		t.Fatal("vacuous: the segment was not discarded")
	}
	if first, n := s.claim(3); n > 0 || first < size {
		t.Errorf("claimed %d from %d on", n, first)
	}
	if q.head.CompareAndSwap(s, s.next.Load()) || q.tail.CompareAndSwap(s, s.next.Load()) {
		t.Error("moved back")
	}
	g.Unpin()
}

// TestHeldUpConsumer between its 2 and its 3: its items are its own, others go on.
func TestHeldUpConsumer(t *testing.T) {
	q := New[int](queues.Options{Start: 1<<64 - 1})
	q.PushAll([]int{1, 2, 3})
	g := q.consumers.Pin()
	s := q.head.Load()
	first, n := s.claim(2)
	if got := contents(q); !slices.Equal(got, []int{3}) {
		t.Errorf("the others got %v", got)
	}
	churn(q, 2*size*limbo) // the segment is discarded, and not used again
	var dst [2]int
	if got := s.take(dst[:], int(first), n); got != 2 || dst != [2]int{1, 2} {
		t.Errorf("it got %d items, %v", got, dst)
	}
	g.Unpin()
}

// TestRobbed: a producer held up between its 1 and its 3 loses the cell to a consumer
// and nothing else; a batch keeps its order.
func TestRobbed(t *testing.T) {
	q := New[int](queues.Options{Start: 1<<32 - 1})
	g := q.producers.Pin()
	s := q.tail.Load()
	mine := s.enq.Add(3) - 3
	s.fill(int(mine), 1)
	if got := q.Len(); got != 3 {
		t.Errorf("Len = %d: an item that is under way may be counted, one that is there must", got)
	}
	q.Push(9)
	if got := contents(q); !slices.Equal(got, []int{1, 9}) {
		t.Errorf("got %v", got)
	}
	if s.fill(int(mine+1), 2) || s.fill(int(mine+2), 2) {
		t.Error("filled a cell that is taken")
	}
	if s.cells[mine+1].value != 0 {
		t.Error("left its value in it")
	}
	q.extend(g, []int{2, 3})
	g.Unpin()
	if n := q.Len(); n != 2 {
		t.Errorf("Len = %d, want 2", n)
	}
	if got := contents(q); !slices.Equal(got, []int{2, 3}) {
		t.Errorf("got %v", got)
	}
}

// TestRobbedBatch: of a batch whose second cell was taken, all come out in order.
func TestRobbedBatch(t *testing.T) {
	s := fresh[int](7)
	s.cells[1].state.Store(7 + states)
	if n := s.put([]int{1, 2, 3}); n != 2 {
		t.Fatalf("put %d, want 2", n)
	}
	dst := make([]int, 2)
	if n := s.take(dst, 0, 1) + s.take(dst[1:], 2, 1); n != 2 || dst[0] != 1 || dst[1] != 2 {
		t.Errorf("took %d, %v", n, dst)
	}
}

// TestRobbedToTheEnd: a producer that loses each cell has its item in the next
// segment, at the latest.
func TestRobbedToTheEnd(t *testing.T) {
	q := New[int](queues.Options{})
	s := q.head.Load()
	for range size {
		i := s.enq.Add(1) - 1
		if got := contents(q); len(got) != 0 || s.fill(int(i), 1) {
			t.Fatalf("not robbed: got %v", got)
		}
	}
	q.Push(1)
	if got := contents(q); !slices.Equal(got, []int{1}) {
		t.Errorf("got %v", got)
	}
}

// TestLaggingTail: a producer held up between its 4 and its 5 holds nobody up.
func TestLaggingTail(t *testing.T) {
	for _, others := range []func(*Queue[int]){
		func(q *Queue[int]) { q.Push(100) },
		func(q *Queue[int]) { q.PushAll(make([]int, 70)) },
		func(q *Queue[int]) { q.Pop() },
		func(q *Queue[int]) { contents(q) },
	} {
		q := New[int](queues.Options{Start: 1<<64 - 1})
		q.PushAll(make([]int, size))
		g := q.producers.Pin()
		s := q.tail.Load()
		own := prepare(g, nil, []int{1, 2}, s.seq+1)
		s.next.Store(own)
		others(q)
		if n := q.Len(); n < 0 {
			t.Errorf("head passed tail: Len = %d", n)
		}
		q.tail.CompareAndSwap(s, own)
		g.Unpin()
		n := q.Len()
		if got := len(contents(q)); got != n {
			t.Errorf("%d items, Len = %d", got, n)
		}
	}
}

// TestSpare: a segment that was prepared and not linked is used again, and holds what
// its next user puts in.
func TestSpare(t *testing.T) {
	q := New[int](queues.Options{})
	g := q.producers.Pin()
	own := prepare(g, nil, []int{1, 2, 3}, 1)
	own = prepare(g, own, []int{2, 3}, 1)
	if own.cells[2].value != 0 || own.cells[2].state.Load() != own.free {
		t.Error("an item that went elsewhere was left")
	}
	own.undo()
	g.Retire(own)
	g.Unpin()
	recycle(own)
	live(t, own)
}

// live fills s, in part at first, empties it, and makes it fit for its next life.
func live(t *testing.T, s *segment[int]) {
	t.Helper()
	dst := make([]int, size)
	for _, part := range []int{3, size - 3} {
		vs := make([]int, part)
		for i := range vs {
			vs[i] = 1 + i
		}
		if n := s.put(vs); n != part {
			t.Fatalf("put %d of %d", n, part)
		}
		first, n := s.claim(size)
		if got := s.take(dst, int(first), n); got != part || !slices.Equal(dst[:got], vs) {
			t.Fatalf("took %d of %d: %v", got, part, dst[:got])
		}
	}
	if n := s.put(dst[:1]); n != 0 {
		t.Error("put into a segment that is full")
	}
	recycle(s)
}

// TestLives: the states of cells wrap.
func TestLives(t *testing.T) {
	s := fresh[int](1<<32 - 5)
	for range 9 {
		live(t, s)
	}
	if s.free > 1<<31 {
		t.Errorf("vacuous: state %#x", s.free)
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
	q := New[T](queues.Options{Start: 1<<32 - 1})
	for range 3 * size {
		q.Push(want)
		if got, ok := q.Pop(); !ok || got != want {
			t.Errorf("Pop = %v, %v, want %v", got, ok, want)
		}
	}
}
