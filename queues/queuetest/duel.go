package queuetest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
)

// duel: takers meet at the last items, and each item goes to exactly one. All
// sides must have won at times, else no race was seen.
func duel(t *trial) error {
	for _, rivals := range []int{1, 2} {
		if err := t.fight(1+rivals, t.config.Items/10); err != nil {
			return fmt.Errorf("%d against one: %w", rivals, err)
		}
		l, hauls, err := t.skirmish(t.open(turn(rivals)), rivals, t.config.Items)
		if err == nil {
			err = l.balance(hauls).err()
		}
		if err != nil {
			return fmt.Errorf("skirmish of %d against one: %w", rivals, err)
		}
	}
	return nil
}

// fighter is one side of a duel: it takes until it finds the queue empty.
type fighter struct {
	take  func() (v *Item, n int, retry bool)
	dice  *rand.Rand
	haul  []*Item
	won   int // rounds in which it took the one item there was
	delay int
}

// skirmish is a duel without rounds: one side pushes one to four items and takes
// back what it can, as fast as it can, and the rivals never stop taking. The
// sides meet more often than in a fight, but nobody knows when.
func (t *trial) skirmish(s subject, rivals, n int) (*ledger, [][]*Item, error) {
	l := newLedger(1, n)
	hauls := make([][]*Item, 1+rivals)
	var working atomic.Int32
	working.Store(1)
	members := []func(*crew){func(*crew) {
		defer working.Add(-1)
		hauls[0] = s.sally(l.items[0])
	}}
	for i := range rivals {
		take := s.rival(1 + 3*i)
		members = append(members, func(c *crew) {
			hauls[1+i] = rob(take, &working, c, 2*n)
		})
	}
	err := run(members...)
	return l, hauls, err
}

// sally is the side that pushes.
func (s subject) sally(items []*Item) (haul []*Item) {
	for i := 0; i < len(items); {
		most := i%4 + 1
		for range min(most, len(items)-i) {
			if !s.Push(items[i]) {
				haul = append(haul, items[i]) // full: somebody has to take it
			}
			i++
		}
		for range most {
			if v, ok := s.Pop(); ok {
				haul = append(haul, v)
			}
		}
	}
	for v, ok := s.Pop(); ok && len(haul) < 2*len(items); v, ok = s.Pop() {
		haul = append(haul, v)
	}
	return haul
}

// rival returns a way to take up to room items, for one goroutine.
func (s subject) rival(room int) func() (got []*Item, retry bool) {
	dst := make([]*Item, room)
	if s.injector != nil {
		return func() ([]*Item, bool) { return dst[:s.injector.PopInto(dst)], false }
	}
	thief := s.deque.Stealer()
	return func() ([]*Item, bool) {
		n, retry := thief.Steal(dst)
		return dst[:n], retry
	}
}

// rob takes until nobody works any more and nothing is left.
func rob(take func() ([]*Item, bool), working *atomic.Int32, c *crew, limit int) (haul []*Item) {
	for idle := 0; len(haul) < limit && !c.panicked.Load(); idle++ {
		last := working.Load() == 0
		got, retry := take()
		haul = append(haul, got...)
		if last && len(got) == 0 && !retry {
			break
		}
		if idle%64 == 63 {
			runtime.Gosched()
		}
	}
	return haul
}

// bout is what the sides of a duel share. The first one writes it in prepare,
// between two meetings, while the others wait; all read it after the second.
type bout struct {
	*trial
	subject
	fighters []*fighter
	rounds   int
	items    []*Item // of the present round
	over     bool
	verdict  error
}

// fight lets sides fighters meet in rounds over one item or two, at least
// rounds times, and on to twenty times that while somebody has never won.
func (t *trial) fight(sides, rounds int) error {
	b := &bout{trial: t, subject: t.open(turn(sides)), rounds: rounds}
	var members []func(*crew)
	for i := range sides {
		f := &fighter{take: b.hand(i), dice: t.dice()}
		b.fighters = append(b.fighters, f)
		members = append(members, func(c *crew) {
			for round := 0; ; round++ {
				if i == 0 {
					b.prepare(round)
				}
				if !c.meet() || b.over {
					return
				}
				f.grab(len(b.items))
				if !c.meet() {
					return
				}
			}
		})
	}
	if err := run(members...); err != nil {
		return err
	}
	if b.verdict == nil && !b.won() {
		return fmt.Errorf("%w: in %d rounds one side never won", errVacuous, 20*rounds)
	}
	return b.verdict
}

// prepare judges the round before and fills the queue for this one.
func (b *bout) prepare(round int) {
	if round > 0 {
		b.verdict = b.settle()
	}
	if b.verdict == nil && (round < b.rounds || !b.won() && round < 20*b.rounds) {
		b.items, b.verdict = b.fill(b.subject, 1+b.rng.IntN(8)/6)
		b.over = b.verdict != nil
		return
	}
	b.over = true
}

// hand is how side i takes an item. Side 0 is the owner of a deque.
func (s subject) hand(i int) func() (*Item, int, bool) {
	if s.injector != nil || i == 0 {
		return func() (*Item, int, bool) {
			v, ok := s.Pop()
			if !ok {
				return nil, 0, false
			}
			return v, 1, false
		}
	}
	thief := s.deque.Stealer()
	return func() (*Item, int, bool) {
		var dst [1]*Item
		n, retry := thief.Steal(dst[:])
		return dst[0], n, retry
	}
}

// grab takes until the queue is empty. The delay before varies, so that each
// side is at times the first, on one processor too.
func (f *fighter) grab(items int) {
	if f.dice.IntN(8) == 0 {
		runtime.Gosched()
	}
	for range f.dice.IntN(200) {
		f.delay++
	}
	for len(f.haul) <= items { // more than all is a duplicate already
		v, n, retry := f.take()
		if n > 0 {
			f.haul = append(f.haul, v)
		} else if !retry {
			return
		}
	}
}

// settle checks a round and empties the hauls.
func (b *bout) settle() error {
	hauls := make([][]*Item, len(b.fighters))
	for i, f := range b.fighters {
		hauls[i] = f.haul
		if len(b.items) == 1 && len(f.haul) == 1 {
			f.won++
		}
		f.haul = nil
	}
	return b.items[0].ledger.balance(hauls).err()
}

// won tells whether each side has.
func (b *bout) won() bool {
	for _, f := range b.fighters {
		if f.won == 0 {
			return false
		}
	}
	return true
}
