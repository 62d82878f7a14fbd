package queuetest

import (
	"fmt"
	"slices"

	"github.com/exactlyonce/certify/queues"
)

// negative: a negative capacity panics at once, or is of no account.
func negative(t *trial) (err error) {
	made := false
	defer func() {
		if r := recover(); r != nil && made {
			err = fmt.Errorf("a queue of capacity -1 was made, and panicked when it was used: %v", r)
		}
	}()
	s := t.open(queues.Options{Capacity: -1})
	made = true
	items, err := t.fill(s, 1)
	if err != nil {
		return fmt.Errorf("a queue of capacity -1 was made, but: %w", err)
	}
	return drain(s, items)
}

// smoke: three items in, three items out.
func smoke(t *trial) error {
	return t.variety(func(s subject) error {
		items, err := t.fill(s, 3)
		if err != nil {
			return err
		}
		return drain(s, items)
	})
}

// drain pops until empty and expects exactly these items, in any order.
func drain(s subject, want []*Item) error {
	left := slices.Clone(want)
	for range want {
		v, ok := s.Pop()
		if !ok {
			return fmt.Errorf("Pop found the queue empty, which holds %d of %d items", len(left), len(want))
		}
		i := slices.Index(left, v)
		if i < 0 {
			return fmt.Errorf("Pop returned %+v, which is not in the queue", v)
		}
		left = slices.Delete(left, i, i+1)
	}
	if v, ok := s.Pop(); ok {
		return fmt.Errorf("Pop returned %+v from an empty queue", v)
	}
	return nil
}

// empty: a queue is empty at first, and each time that it was drained.
func empty(t *trial) error {
	return t.variety(func(s subject) error {
		for round := range 3 {
			if err := void(s); err != nil {
				return fmt.Errorf("after %d fillings: %w", round, err)
			}
			items, err := t.fill(s, 1+4*round)
			if err != nil {
				return err
			}
			if err := drain(s, items); err != nil {
				return err
			}
		}
		return void(s)
	})
}

// void checks that all ways to take agree that nothing is there.
func void(s subject) error {
	for range 2 {
		if v, ok := s.Pop(); ok || v != nil {
			return fmt.Errorf("Pop of an empty queue returned %+v, %v", v, ok)
		}
		dst := make([]*Item, 2)
		n, err := s.remove(dst)
		if err != nil {
			return fmt.Errorf("empty queue: %w", err)
		}
		if n != 0 || dst[0] != nil {
			return fmt.Errorf("a batch from an empty queue has %d items", n)
		}
		if n := s.Len(); n != 0 {
			return fmt.Errorf("Len of an empty queue is %d", n)
		}
	}
	return nil
}

// order: oldest first, or newest first for the owner and oldest first for
// thieves.
func order(t *trial) error {
	return t.variety(func(s subject) error {
		items, err := t.fill(s, 40)
		if err != nil {
			return err
		}
		oldest := min(9, len(items))
		for _, want := range items[:oldest] {
			var got [1]*Item
			if _, err := s.remove(got[:]); err != nil {
				return err
			}
			if got[0] != want {
				return fmt.Errorf("want the oldest, item %d, got %+v", want.Serial, got[0])
			}
		}
		rest := items[oldest:]
		if s.deque != nil {
			slices.Reverse(rest)
		}
		for _, want := range rest {
			if got, _ := s.Pop(); got != want {
				return fmt.Errorf("Pop: want item %d, got %+v", want.Serial, got)
			}
		}
		return nil
	})
}

// batch: a batch takes a prefix, writes nothing beyond it, and nothing at all
// into an empty destination.
func batch(t *trial) error {
	return t.variety(func(s subject) error {
		l := newLedger(1, 200)
		items, err := pushAll(t, s, l)
		if err != nil {
			return err
		}
		if n, err := s.remove(nil); n != 0 || err != nil {
			return fmt.Errorf("a batch of no room has %d items, error %v", n, err)
		}
		var out []*Item
		for size := 1; len(out) < len(items); size++ {
			dst := make([]*Item, size+1)
			n, err := s.remove(dst[:size])
			if err != nil {
				return err
			}
			if n < 1 || n > size || dst[size] != nil || n < size && dst[n] != nil {
				return fmt.Errorf("a batch of room %d from %d items has %d, and what is behind them is not untouched",
					size, len(items)-len(out), n)
			}
			out = append(out, dst[:n]...)
		}
		if t.backend.Promises.Order != 0 && !slices.Equal(out, items) {
			return fmt.Errorf("batches brought the items out of order: %v", serials(out))
		}
		return l.partly(len(items)).balance([][]*Item{out}).err()
	})
}

// pushAll adds the ledger's items, at once where the queue can do that, and
// returns those that were accepted.
func pushAll(t *trial, s subject, l *ledger) ([]*Item, error) {
	items := l.items[0][:s.pushMany(l.items[0])]
	if n := len(items); n < len(l.items[0]) && !t.mayRefuse(s, n) {
		return nil, fmt.Errorf("%d of %d items were accepted", n, len(l.items[0]))
	}
	return items, nil
}

// partly forgets all but the first n items of a ledger of one producer.
func (l *ledger) partly(n int) *ledger {
	l.items[0] = l.items[0][:n]
	return l
}

func serials(items []*Item) (s []int) {
	for _, v := range items {
		if v != nil {
			s = append(s, v.Serial)
		}
	}
	return s
}

// refuse: only a bounded queue may, only when full, and then it keeps nothing.
func refuse(t *trial) error {
	return t.variety(func(s subject) error {
		items, err := t.fill(s, 300)
		if err != nil {
			return err
		}
		if t.backend.Promises.Bounded && len(items) == 300 && s.options.Capacity > 0 {
			return fmt.Errorf("promised a bound and held 300 items")
		}
		extra := []*Item{new(Item), new(Item)}
		n := s.pushMany(extra)
		if n > 0 && len(items) < 300 {
			return fmt.Errorf("%d of 2 items were accepted together where one alone was refused", n)
		}
		items = append(items, extra[:n]...)
		if err := drain(s, items); err != nil {
			return fmt.Errorf("after %d of 300 items were accepted: %w", len(items), err)
		}
		_, err = t.fill(s, min(1, s.options.Capacity))
		return err
	})
}
