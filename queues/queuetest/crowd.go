package queuetest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"

	"github.com/exactlyonce/certify/queues"
)

// shape is who takes part in a crowd. A deque has one producer, its owner, and
// the consumers are thieves.
type shape struct {
	producers, consumers int
	each                 int  // items a producer
	ones                 bool // no batches
	pushing              bool // the owner only pushes until all is pushed
}

// result is what a crowd leaves behind: the items and who took them.
type result struct {
	ledger *ledger
	hauls  [][]*Item // of a deque: the owner's, then the thieves'
	cuts   [][]int   // where a taker's batches end in its haul
	owner  error     // the owner's view of its order
	shape  shape
}

// crowd runs producers and consumers on a fresh queue until it is empty.
func (t *trial) crowd(o queues.Options, s shape) (result, error) {
	q := t.open(o)
	if q.deque != nil {
		return t.robbery(q, s)
	}
	r := result{ledger: newLedger(s.producers, s.each), shape: s}
	r.hauls, r.cuts = make([][]*Item, s.consumers), make([][]int, s.consumers)
	var working atomic.Int32 // producers; consumers leave when it is 0 and the queue empty
	working.Store(int32(s.producers))
	var members []func(*crew)
	for from := range s.producers {
		dice := t.dice()
		members = append(members, func(*crew) {
			defer working.Add(-1)
			s.produce(q.injector, r.ledger.items[from], dice)
		})
	}
	for i := range s.consumers {
		dice := t.dice()
		members = append(members, func(c *crew) {
			k := taker{dice: dice, ones: s.ones, limit: 2 * s.producers * s.each}
			k.consume(&working, c, func(dst []*Item) (int, bool) { return q.injector.PopInto(dst), false })
			r.hauls[i], r.cuts[i] = k.haul, k.cuts
		})
	}
	return r, run(members...)
}

func (s shape) produce(q queues.Injector[*Item], items []*Item, dice *rand.Rand) {
	for len(items) > 0 {
		n := 1
		if s.ones || dice.IntN(2) == 0 {
			if !q.Push(items[0]) {
				n = 0
			}
		} else {
			n = q.PushAll(items[:min(len(items), 1+dice.IntN(100))])
		}
		items = items[n:]
		if n == 0 {
			runtime.Gosched() // full: consumers first
		}
		stumble(dice)
	}
}

// taker is one consumer or thief with its own log.
type taker struct {
	haul  []*Item
	cuts  []int
	dice  *rand.Rand
	ones  bool
	limit int // a queue that keeps giving duplicates must not fill the memory
}

// consume takes until nobody works any more and then, after that, nothing is
// left.
func (k *taker) consume(working *atomic.Int32, c *crew, take func([]*Item) (n int, retry bool)) {
	dst := make([]*Item, 40)
	for len(k.haul) < k.limit && !c.panicked.Load() {
		last := working.Load() == 0
		room := 1
		if !k.ones {
			room += k.dice.IntN(len(dst))
		}
		n, retry := take(dst[:room])
		if n > 0 {
			k.haul = append(k.haul, dst[:n]...)
			k.cuts = append(k.cuts, len(k.haul))
		} else if last && !retry {
			return
		} else {
			runtime.Gosched()
		}
		stumble(k.dice)
	}
}

// robbery is the crowd of a deque.
func (t *trial) robbery(q subject, s shape) (result, error) {
	r := result{ledger: newLedger(1, s.each), shape: s}
	r.hauls, r.cuts = make([][]*Item, 1+s.consumers), make([][]int, 1+s.consumers)
	var working atomic.Int32
	working.Store(1)
	dice := t.dice()
	members := []func(*crew){func(*crew) {
		defer working.Add(-1)
		w := owner{deque: q.deque, dice: dice, pushing: s.pushing}
		w.work(r.ledger.items[0])
		r.hauls[0], r.owner = w.haul, w.disorder
	}}
	for i := range s.consumers {
		dice, side := t.dice(), q.deque.Stealer()
		members = append(members, func(c *crew) {
			k := taker{dice: dice, ones: s.ones, limit: 2 * s.each}
			k.consume(&working, c, side.Steal)
			r.hauls[1+i], r.cuts[1+i] = k.haul, k.cuts
		})
	}
	return r, run(members...)
}

// owner works on its deque in bursts that make it grow and shrink.
type owner struct {
	deque   queues.Deque[*Item]
	dice    *rand.Rand
	pushing bool
	haul    []*Item

	// shadow is the owner's word: what it pushed and has not popped, newest
	// last. Thieves take from its front only, so Pop must return its end or,
	// if thieves had all of it, nothing.
	shadow   []*Item
	disorder error
}

func (w *owner) work(items []*Item) {
	burst := 1
	for len(items) > 0 {
		n := min(len(items), 1+w.dice.IntN(burst))
		if w.dice.IntN(4) == 0 {
			w.pushMany(items[:n])
		} else {
			for _, v := range items[:n] {
				w.push(v)
				stumble(w.dice)
			}
		}
		items = items[n:]
		for range w.dice.IntN(burst + 1) {
			if !w.pushing && !w.pop() {
				break
			}
			stumble(w.dice)
		}
		if burst *= 2; burst > 256 {
			burst = 1
		}
	}
	for limit := 2*len(w.shadow) + 10; limit > 0 && w.pop(); limit-- {
	}
}

func (w *owner) push(v *Item) {
	if !w.deque.Push(v) {
		w.haul = append(w.haul, v) // the contract: the caller puts it elsewhere
		return
	}
	w.shadow = append(w.shadow, v)
}

func (w *owner) pushMany(vs []*Item) {
	n := pushBottom(w.deque, vs)
	w.shadow = append(w.shadow, vs[:n]...)
	w.haul = append(w.haul, vs[n:]...)
}

func (w *owner) pop() bool {
	v, ok := w.deque.Pop()
	if !ok {
		w.shadow = w.shadow[:0]
		return false
	}
	w.haul = append(w.haul, v)
	last := len(w.shadow) - 1
	if last < 0 || w.shadow[last] != v {
		if w.disorder == nil {
			w.disorder = fmt.Errorf("the owner popped %+v, which is not the newest of the %d items it has pushed and not popped", v, last+1)
		}
		return true
	}
	w.shadow = w.shadow[:last]
	return true
}
