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

// fight lets sides fighters meet in rounds over one to three items, at least
// rounds times, and on to twenty times that while somebody has never won.
func (t *trial) fight(sides, rounds int) error {
	s := t.open(turn(sides))
	fighters := make([]*fighter, sides)
	for i := range fighters {
		fighters[i] = &fighter{take: s.hand(i), dice: t.dice()}
	}
	var items []*Item
	verdict := error(nil)
	over := false // written by the first fighter, before the second meeting
	prepare := func(round int) {
		if round > 0 {
			verdict = settle(fighters, items)
		}
		over = verdict != nil || round >= rounds && (won(fighters) || round == 20*rounds)
		if !over {
			items, verdict = t.fill(s, 1+t.rng.IntN(8)/6)
		}
	}
	var members []func(*crew)
	for i, f := range fighters {
		members = append(members, func(c *crew) {
			for round := 0; ; round++ {
				if i == 0 {
					prepare(round)
				}
				if !c.meet() || over {
					return
				}
				f.grab(len(items))
				if !c.meet() {
					return
				}
			}
		})
	}
	if err := run(members...); err != nil {
		return err
	}
	if verdict == nil && !won(fighters) {
		return fmt.Errorf("%w: in %d rounds one side never won", errVacuous, 20*rounds)
	}
	return verdict
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
func settle(fighters []*fighter, items []*Item) error {
	hauls := make([][]*Item, len(fighters))
	for i, f := range fighters {
		hauls[i] = f.haul
		if len(items) == 1 && len(f.haul) == 1 {
			f.won++
		}
		f.haul = nil
	}
	if len(items) == 0 {
		return nil
	}
	return items[0].ledger.balance(hauls).err()
}

func won(fighters []*fighter) bool {
	for _, f := range fighters {
		if f.won == 0 {
			return false
		}
	}
	return true
}
