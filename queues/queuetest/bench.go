package queuetest

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/queues"
)

// Benchmark times back ends, under names that end in
//
//	queue=chaselev/kind=deque/op=pair/depth=1        Push and Pop, one goroutine, per pair
//	queue=chaselev/kind=deque/op=batch/size=32       PushAll, and PopInto or Steal, per item
//	queue=msqueue/kind=injector/op=flow/producers=2/consumers=2    per item
//	queue=chaselev/kind=deque/op=flow/owner=1/thieves=1            per item
//
// and fails if the items that came out are not those that went in.
func Benchmark(b *testing.B, backends ...queues.Backend[*Item]) {
	for _, e := range backends {
		at := func(name string, f func(*testing.B, subject)) {
			b.Run(fmt.Sprintf("queue=%s/kind=%s/%s", e.Name, e.Kind(), name), func(b *testing.B) {
				b.ReportAllocs()
				f(b, newTrial(e, Config{}.withDefaults()).open(queues.Options{}))
			})
		}
		for _, depth := range []int{1, 64} {
			at(fmt.Sprintf("op=pair/depth=%d", depth), func(b *testing.B, s subject) { pairs(b, s, depth) })
		}
		at("op=batch/size=32", batches)
		for _, n := range []int{1, 2} {
			name := fmt.Sprintf("op=flow/producers=%d/consumers=%d", n, n)
			if e.Kind() == queues.KindDeque {
				name = fmt.Sprintf("op=flow/owner=1/thieves=%d", n)
			}
			at(name, func(b *testing.B, s subject) { flow(b, s, n) })
		}
	}
}

// marked returns k items with serials from 1.
func marked(k int) []*Item {
	items := make([]*Item, k)
	for i := range items {
		items[i] = &Item{Serial: i + 1}
	}
	return items
}

func pairs(b *testing.B, s subject, depth int) {
	items := marked(depth)
	sum, want := 0, 0
	n := 0
	for b.Loop() {
		s.Push(items[n])
		want += n + 1
		if n++; n < depth {
			continue
		}
		for ; n > 0; n-- {
			v, _ := s.Pop()
			sum += v.Serial
		}
	}
	for ; n > 0; n-- {
		v, _ := s.Pop()
		sum += v.Serial
	}
	if sum != want {
		b.Fatalf("items that came out sum up to %d, want %d", sum, want)
	}
}

func batches(b *testing.B, s subject) {
	const size = 32
	items, dst := marked(size), make([]*Item, size)
	sum, want := 0, 0
	// One iteration is one batch; the time is reported per item.
	for b.Loop() {
		s.pushMany(items)
		want += size * (size + 1) / 2
		for left := size; left > 0; {
			n, _ := s.remove(dst)
			for _, v := range dst[:n] {
				sum += v.Serial
			}
			left -= n
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size), "ns/item")
	if sum != want {
		b.Fatalf("items that came out sum up to %d, want %d", sum, want)
	}
}

// flow moves b.N items from n producers to n consumers, or from the owner to n
// thieves and itself. Who pushes makes way when more than 1,000 items wait.
func flow(b *testing.B, s subject, n int) {
	producers := n
	if s.deque != nil {
		producers = 1
	}
	var working atomic.Int32
	working.Store(int32(producers))
	counts := make([]int, producers+n) // of items taken, each written by its goroutine at the end
	var members []func(*crew)
	for i := range producers {
		members = append(members, func(*crew) {
			counts[i] = s.feed(b.N/producers + min(1, i*(b.N%producers)))
			working.Add(-1)
		})
	}
	for i := range n {
		take := s.batches()
		members = append(members, func(*crew) { counts[producers+i] = takeAll(&working, take) })
	}
	b.ResetTimer()
	if err := run(members...); err != nil {
		b.Fatal(err)
	}
	sum := 0
	for _, n := range counts {
		sum += n
	}
	if sum != b.N {
		b.Fatalf("%d items came out, want %d", sum, b.N)
	}
}

// feed pushes n items and returns how many it took back, being an owner.
func (s subject) feed(n int) (taken int) {
	v := new(Item)
	pop := func() {
		if _, ok := s.Pop(); ok {
			taken++
		}
	}
	for i := range n {
		s.Push(v)
		for i%64 == 0 && s.Len() > 1000 {
			if s.deque != nil {
				pop()
			} else {
				runtime.Gosched()
			}
		}
	}
	for s.deque != nil && s.Len() > 0 {
		pop()
	}
	return taken
}

// batches returns a way to take up to 16 items, for one goroutine.
func (s subject) batches() func() (n int, retry bool) {
	dst := make([]*Item, 16)
	if s.injector != nil {
		return func() (int, bool) { return s.injector.PopInto(dst), false }
	}
	thief := s.deque.Stealer()
	return func() (int, bool) { return thief.Steal(dst) }
}

func takeAll(working *atomic.Int32, take func() (int, bool)) (taken int) {
	for idle := 0; ; idle++ {
		last := working.Load() == 0
		n, retry := take()
		taken += n
		if n > 0 {
			idle = 0
		} else if last && !retry {
			return taken
		} else if idle > 50 {
			runtime.Gosched()
		}
	}
}
