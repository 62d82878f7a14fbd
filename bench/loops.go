package bench

import (
	"sync/atomic"

	"github.com/exactlyonce/certify/queues"
)

// The loops. Each is what one goroutine does between the barrier and the end.
// Pushes [from, to) are its own. No interface is converted to another in a loop,
// which would cost as much as an operation.

// bag is what both kinds of queue offer to who uses one alone.
type bag interface {
	Push(*Item) bool
	Pop() (*Item, bool)
}

// solo pushes a burst and pops as many. It is never empty then, whoever else
// does the same.
func (s *Shape) solo(q bag, t *tally, from, to int) {
	for from < to {
		k := min(s.Burst, to-from)
		for range k {
			s.push(q, t, from)
			from++
		}
		for range k {
			v, ok := q.Pop()
			if !ok {
				t.misses++
				continue
			}
			t.take(v)
		}
	}
}

// push pushes the i-th item.
func (s *Shape) push(q bag, t *tally, i int) {
	v := item(i)
	for tries := 1; !q.Push(v); tries++ {
		t.refusals++
		yields(tries)
	}
	t.work(s.Work)
}

// produce pushes in bursts and makes way.
func (s *Shape) produce(q queues.Injector[*Item], t *tally, from, to int) {
	in := bag(q)
	for from < to {
		for range min(s.Burst, to-from) {
			s.push(in, t, from)
			from++
		}
		for tries := 1; q.Len() >= s.Capacity; tries++ {
			t.refusals++
			yields(tries)
		}
	}
}

// consume pops until it finds nothing and knew before that nobody pushes any
// more.
func (s *Shape) consume(q queues.Injector[*Item], t *tally, pushing *atomic.Int32) {
	for tries := 0; ; {
		last := pushing.Load() == 0
		v, ok := q.Pop()
		if ok {
			t.take(v)
			t.work(s.Work)
			tries = 0
			continue
		}
		if last {
			return
		}
		t.misses++
		tries++
		yields(tries)
	}
}

// own is what the owner of a deque does that others steal from.
func (s *Shape) own(d queues.Deque[*Item], t *tally, from, to int) {
	for from < to {
		for range min(s.Burst, to-from) {
			s.offer(d, t, from)
			from++
		}
		if s.OwnerPops {
			s.drain(d, t)
			continue
		}
		for tries := 1; d.Len() >= s.Capacity; tries++ {
			t.refusals++
			yields(tries)
		}
	}
}

// offer pushes the i-th item. If the deque refuses, the owner makes room, or
// waits until thieves have.
func (s *Shape) offer(d queues.Deque[*Item], t *tally, i int) {
	v := item(i)
	for tries := 1; !d.Push(v); tries++ {
		t.refusals++
		if s.OwnerPops {
			s.drain(d, t)
		}
		yields(tries)
	}
	t.work(s.Work)
}

func (s *Shape) drain(d queues.Deque[*Item], t *tally) {
	for {
		v, ok := d.Pop()
		if !ok {
			return
		}
		t.take(v)
		t.work(s.Work)
	}
}

// haul is how many items a thief takes at most at once.
const haul = 16

// thieve steals until it finds nothing, lost no race, and knew before that
// nobody pushes any more.
func (s *Shape) thieve(from queues.Stealer[*Item], t *tally, pushing *atomic.Int32) {
	dst := make([]*Item, haul)
	for tries := 0; ; {
		last := pushing.Load() == 0
		n, retry := from.Steal(dst)
		for _, v := range dst[:n] {
			t.take(v)
			t.work(s.Work)
		}
		switch {
		case n > 0:
			tries = 0
			continue
		case retry:
			t.retries++
		case last:
			return
		default:
			t.misses++
		}
		tries++
		yields(tries)
	}
}
