package queuetest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"

	"github.com/exactlyonce/certify/queues"
)

// shapes are the crowds that the concurrent laws try.
func (t *trial) shapes(each int) []shape {
	if t.backend.Kind() == queues.KindDeque {
		return []shape{{1, 1, each, true, false}, {1, 2, each, true, false}, {1, 3, each, false, false}}
	}
	return []shape{
		{1, 1, each, true, false}, {2, 2, each, true, false}, {4, 1, each, false, false},
		{1, 4, each, false, false}, {4, 4, each, false, false},
	}
}

// all takers must have got something, or the run was vacuous.
const all = -1

// crowds runs all shapes in rounds, on queues of all options, until about n
// items have gone through each, and as many takers as active says had some.
// judge sees every round.
func (t *trial) crowds(n int, shapes []shape, active int, judge func(result) error) error {
	for _, s := range shapes {
		rounds := 1 + n/(s.producers*s.each)
		took := make([]int, s.consumers+1) // by taker, in all rounds
		for i := 0; i < rounds || !enough(took, active); i++ {
			if i == 20*rounds {
				return fmt.Errorf("%w: in %d rounds of %+v the takers got %v items", errVacuous, i, s, took)
			}
			r, err := t.crowd(turn(i), s)
			if err == nil {
				err = judge(r)
			}
			if err != nil {
				return fmt.Errorf("round %d of %+v, options %+v: %w", i, s, turn(i), err)
			}
			if len(took) > len(r.hauls) {
				took = took[:len(r.hauls)] // an injector: no owner among them
			}
			for k, haul := range r.hauls {
				took[k] += len(haul)
			}
		}
	}
	return nil
}

func enough(took []int, active int) bool {
	n := 0
	for _, items := range took {
		n += min(1, items)
	}
	return n == len(took) || active != all && n >= active
}

// once: exactly-once under load, with bursts that cross growth and shrinking.
func once(t *trial) error {
	return t.crowds(t.config.Items/4, t.shapes(800), all, func(r result) error { return r.ledger.balance(r.hauls).err() })
}

// stampede: exactly-once again, with more goroutines than processors and hardly
// any items, so that most of what happens is the beginning and the end.
func stampede(t *trial) error {
	shapes := []shape{{4, 4, 1, true, false}, {2, 6, 3, true, false}}
	if t.backend.Kind() == queues.KindDeque {
		shapes = []shape{{1, 3, 2, true, false}, {1, 7, 5, true, false}}
	}
	return t.crowds(t.config.Items/80, shapes, 2, func(r result) error { return r.ledger.balance(r.hauls).err() })
}

// sequence: each taker gets each producer's items in their order; of a deque,
// each thief. The owner always gets its newest.
func sequence(t *trial) error {
	return t.crowds(t.config.Items/4, t.shapes(800), all, func(r result) error {
		hauls := r.hauls
		if t.backend.Kind() == queues.KindDeque {
			hauls = hauls[1:]
			if r.owner != nil {
				return r.owner
			}
		}
		for i, haul := range hauls {
			if err := rising(haul, r.shape.producers); err != nil {
				return fmt.Errorf("taker %d: %w", i, err)
			}
		}
		return nil
	})
}

// whole: while the one producer takes nothing, a batch has no gaps.
func whole(t *trial) error {
	return t.crowds(t.config.Items/2, []shape{{1, 3, 800, false, true}}, 3, func(r result) error {
		if t.backend.Kind() == queues.KindInjector {
			return gaps(r.hauls, r.cuts, nil)
		}
		return gaps(r.hauls[1:], r.cuts[1:], r.hauls[0])
	})
}

// gaps looks for items missing from the middle of a batch. Those that the owner
// of a deque has are not missing: they were refused, or left over at the end.
func gaps(hauls [][]*Item, cuts [][]int, owners []*Item) error {
	with := make(map[int]bool)
	for _, v := range owners {
		with[v.Serial] = true
	}
	for i, haul := range hauls {
		begin := 0
		for _, end := range cuts[i] {
			batch := serials(haul[begin:end])
			for j := 1; j < len(batch); j++ {
				for want := batch[j-1] + 1; want != batch[j]; want++ {
					if !with[want] {
						return fmt.Errorf("taker %d got the batch %v, which has a gap", i, batch)
					}
				}
			}
			begin = end
		}
	}
	return nil
}

// length: Len is exact when all is quiet, and while others operate it is never
// negative nor more than could be there.
func length(t *trial) error {
	if err := t.variety(func(s subject) error { return t.staircase(s) }); err != nil {
		return err
	}
	for round := range 10 {
		if err := t.watched(turn(round)); err != nil {
			return fmt.Errorf("round %d, options %+v: %w", round, turn(round), err)
		}
	}
	if t.backend.Kind() == queues.KindInjector {
		return t.settled()
	}
	return nil
}

// settled compares Len with what producers have pushed who met while pushing
// batches, when they are done.
func (t *trial) settled() error {
	for round := range 200 {
		s, l := t.open(turn(round)), newLedger(3, 5)
		counts := make([]int, 3)
		var members []func(*crew)
		for i := range counts {
			members = append(members, func(*crew) { counts[i] = s.injector.PushAll(l.items[i]) })
		}
		if err := run(members...); err != nil {
			return err
		}
		if got, want := s.Len(), counts[0]+counts[1]+counts[2]; got != want {
			return fmt.Errorf("Len = %d after batches of %v were pushed at once", got, counts)
		}
	}
	return nil
}

// staircase compares Len with the number of items up and down.
func (t *trial) staircase(s subject) error {
	held := 0
	for held < 70 && s.Push(new(Item)) {
		if held++; s.Len() != held {
			return fmt.Errorf("Len = %d after %d pushes", s.Len(), held)
		}
	}
	for held > 0 {
		_, ok := s.Pop()
		if held--; !ok || s.Len() != held {
			return fmt.Errorf("Len = %d, want %d, after a Pop that returned %v", s.Len(), held, ok)
		}
		if s.thief != nil && s.thief.Len() != held {
			return fmt.Errorf("a thief's Len = %d, want %d", s.thief.Len(), held)
		}
	}
	return nil
}

// watched samples Len while an owner, or two goroutines, push and pop in turns,
// and another one takes. At most one item for each pusher is in the queue; an
// exact Len never shows more, an estimate never more than were pushed in all.
func (t *trial) watched(o queues.Options) error {
	const pairs = 1000
	s := t.open(o)
	pushers, watch := 2, s.Len
	if s.deque != nil {
		pushers, watch = 1, s.thief.Len
	}
	limit := pushers * pairs
	if t.backend.Promises.Len == queues.LenExact {
		limit = pushers
	}
	var working atomic.Int32
	working.Store(int32(pushers))
	var wrong error
	take := s.hand(1)
	members := []func(*crew){
		func(*crew) { wrong = sample(&working, watch, limit) },
		func(*crew) {
			for working.Load() > 0 {
				take()
				runtime.Gosched()
			}
		},
	}
	for range pushers {
		dice := t.dice()
		members = append(members, func(*crew) {
			defer working.Add(-1)
			s.alternate(pairs, dice)
		})
	}
	if err := run(members...); err != nil {
		return err
	}
	if n := s.Len(); n != 0 && wrong == nil {
		return fmt.Errorf("Len = %d when all is quiet and nothing is left", n)
	}
	return wrong
}

// sample looks at Len for as long as somebody works.
func sample(working *atomic.Int32, watch func() int, limit int) error {
	for working.Load() > 0 {
		if n := watch(); n < 0 || n > limit {
			return fmt.Errorf("Len = %d while at most %d items can be there", n, limit)
		}
		runtime.Gosched()
	}
	return nil
}

// alternate pushes an item and pops one, n times.
func (s subject) alternate(n int, dice *rand.Rand) {
	for range n {
		s.Push(new(Item))
		stumble(dice)
		s.Pop()
	}
}
