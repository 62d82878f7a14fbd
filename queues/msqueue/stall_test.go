package msqueue

import (
	"runtime"
	"sync"
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

func heapB() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// grown is by how much the heap grows in n pushes and pops while one goroutine
// is stalled, pinned and with the oldest node in hand.
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
	if got := grown(q, 1_000_000); got > 256<<10 {
		t.Errorf("the heap grew by %d bytes", got)
	}
	if s := q.Stats(); s.Discarded == 0 || s.LimboHigh > limbo {
		t.Errorf("%+v", s)
	}
	churn(q, 2000)
	before := q.Stats().Reclaimed
	if churn(q, 1000); q.Stats().Reclaimed == before {
		t.Error("recycling did not resume after the pin")
	}
}

// TestStalledPinFaulty: without sever the same check sees every node kept, as
// each leads to the next.
func TestStalledPinFaulty(t *testing.T) {
	q := newQueue(0, func(*node[int]) {})
	if got := grown(q, 200_000); got < 2<<20 {
		t.Errorf("the heap grew by %d bytes only; the check of TestStalledPin could not fail", got)
	}
}

// resume is the rest of link for a producer that loaded tail and was stalled
// then. It tells whether its node went behind that tail.
func (q *Queue[T]) resume(tail, n *node[T]) (linked bool) {
	if next := tail.next.Load(); next != nil {
		q.tail.CompareAndSwap(tail, next)
		q.link(n, n)
		return false
	}
	n.seq = tail.seq + 1
	if !tail.next.CompareAndSwap(nil, n) {
		q.link(n, n)
		return false
	}
	q.tail.CompareAndSwap(tail, n)
	return true
}

// revive stalls a producer with the tail of a fresh queue until that node has
// been discarded, lets it finish, and returns what is in the queue then.
func revive(q *Queue[int]) (items []int, linked bool) {
	g := q.producers.Pin()
	tail := q.tail.Load()
	churn(q, 4*limbo)
	linked = q.resume(tail, &node[int]{value: 42})
	g.Unpin()
	dst := make([]int, 4)
	return dst[:q.PopInto(dst)], linked
}

// TestStalledProducer: a producer that wakes up with a discarded node starts
// again and its item is not lost.
func TestStalledProducer(t *testing.T) {
	q := New[int](queues.Options{})
	if items, linked := revive(q); linked || len(items) != 1 || items[0] != 42 {
		t.Errorf("items %v, linked to a discarded node: %v", items, linked)
	}
	if q.Stats().Discarded == 0 {
		t.Error("vacuous: nothing was discarded")
	}
}

// TestStalledProducerFaulty: severing to nil loses the item, and this test sees
// it.
func TestStalledProducerFaulty(t *testing.T) {
	q := newQueue(0, func(n *node[int]) { n.next.Store(nil) })
	if items, linked := revive(q); !linked || len(items) != 0 {
		t.Errorf("items %v, linked %v; TestStalledProducer could not fail", items, linked)
	}
}

// TestStalledConsumer: a consumer that wakes up with a discarded head does not
// move the head back, whether it walks one node or several.
func TestStalledConsumer(t *testing.T) {
	q := New[int](queues.Options{})
	g := q.consumers.Pin()
	head := q.head.Load()
	q.Push(1)
	q.Push(2)
	tail := q.tail.Load()
	churn(q, 4*limbo)
	if head.next.Load() != head {
		t.Fatal("vacuous: the head was not discarded")
	}
	last, n := ahead(head, tail, 2)
	if n != 2 || q.head.CompareAndSwap(head, last) {
		t.Errorf("walked %d and moved the head", n)
	}
	g.Unpin()
	if got := q.Len(); got != 2 {
		t.Errorf("Len = %d, want 2", got)
	}
}

// TestLaggingTail: a producer stalled between its two CASes holds nobody up,
// however long its chain is.
func TestLaggingTail(t *testing.T) {
	for _, others := range []func(*Queue[int]){
		func(q *Queue[int]) { q.Push(100) },
		func(q *Queue[int]) { q.PushAll(make([]int, 70)) },
		func(q *Queue[int]) { q.Pop() },
		func(q *Queue[int]) { q.PopInto(make([]int, 7)) },
		func(q *Queue[int]) { q.PopInto(make([]int, 7)); q.PopInto(make([]int, 2)) },
	} {
		q := New[int](queues.Options{Start: 1<<64 - 5})
		g := q.producers.Pin()
		first, last := chain(g, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
		tail := q.tail.Load()
		number(first, last, tail.seq)
		tail.next.CompareAndSwap(nil, first)
		others(q) // the tail is ten nodes behind
		if q.Len() < 0 {
			t.Errorf("the head passed the tail: Len = %d", q.Len())
		}
		q.settle(tail, last)
		g.Unpin()
		n := q.Len()
		if got := q.PopInto(make([]int, 200)); got != n {
			t.Errorf("%d items, Len = %d", got, n)
		}
	}
}

// TestReuse: nodes are reused while two producers and one consumer operate, and
// the consumer sees each producer's items in order (a queue whose nodes come
// back too early loses nothing but this).
func TestReuse(t *testing.T) {
	q := New[int](queues.Options{})
	const each = 20_000
	var producers sync.WaitGroup
	for p := range 2 {
		producers.Go(func() {
			for i := range each {
				q.Push(2*i + p)
				for q.Len() > 100 {
					runtime.Gosched()
				}
			}
		})
	}
	last := [2]int{-1, -1}
	for n := 0; n < 2*each; {
		v, ok := q.Pop()
		if !ok {
			runtime.Gosched()
			continue
		}
		if v/2 != last[v%2]+1 {
			t.Fatalf("producer %d: item %d after item %d", v%2, v/2, last[v%2])
		}
		last[v%2] = v / 2
		n++
	}
	producers.Wait()
	if s := q.Stats(); s.Reclaimed == 0 {
		t.Errorf("vacuous: %+v", s)
	}
}

// TestTypes: any type will do, also those that a 32-bit compiler packs oddly.
func TestTypes(t *testing.T) {
	check(t, byte(7))
	check(t, [3]byte{1, 2, 3})
	check(t, "seven")
	check(t, struct{}{})
	check(t, uint64(1)<<63)
}

func check[T comparable](t *testing.T, want T) {
	t.Helper()
	q := New[T](queues.Options{Start: 1<<32 - 1})
	for range 3 {
		q.Push(want)
		if got, ok := q.Pop(); !ok || got != want {
			t.Errorf("Pop = %v, %v, want %v", got, ok, want)
		}
	}
}
