package queuetest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
)

// duel: takers meet at the last items, and each item goes to exactly one. All
// sides must have won at times, else no race was seen.
func duel(t *trial) error {
	for _, rivals := range []int{1, 2} {
		if err := t.fight(1+rivals, t.config.Items/10); err != nil {
			return fmt.Errorf("%d against one: %w", rivals, err)
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
