package scenario

import (
	"fmt"
	"slices"

	"github.com/exactlyonce/certify/queues"
)

// Checker judges a history whose items all came out once. It returns an error
// if no order of the operations explains it.
type Checker func(*History) error

// limit is how many operations the checker of this package takes on.
const limit = 20

// Linearizable looks through all orders of the operations for one that
// respects time and in which each does what the promise of order says. Histories
// that differ in nothing that matters are judged once.
func Linearizable() Checker {
	known := map[string]error{}
	var key []byte
	return func(h *History) error {
		if len(h.Operations) > limit {
			return fmt.Errorf("scenario: %d operations, more than %d", len(h.Operations), limit)
		}
		key = fingerprint(h, key[:0])
		err, ok := known[string(key)]
		if !ok {
			err = linearize(h)
			known[string(key)] = err
		}
		return err
	}
}

// fingerprint is equal for histories with the same promises and results, of
// which the same pairs are ordered.
func fingerprint(h *History, key []byte) []byte {
	key = fmt.Append(key, h.Promises.Order, h.Promises.Bounded, h.Promises.AtomicBatch, h.Promises.Tentative)
	for i, o := range h.Operations {
		key = append(key, byte(o.Thread), byte(o.Action), byte(o.Value))
		if o.Also {
			key = append(key, 255)
		}
		bits := 0
		for j := range h.Operations {
			bits <<= 1
			if h.precedes(i, j) {
				bits |= 1
			}
		}
		key = append(key, byte(bits), byte(bits>>8), byte(bits>>16))
	}
	for _, v := range h.Left {
		key = append(key, byte(v))
	}
	return key
}

// linearize is Linearizable for one history.
func linearize(h *History) error {
	l := linear{h: h, failed: map[string]bool{}, before: make([]int, len(h.Operations))}
	for i := range h.Operations {
		for j := range h.Operations {
			if h.precedes(j, i) {
				l.before[i] |= 1 << j
			}
		}
	}
	if l.search(0, -1, nil) {
		return nil
	}
	return fmt.Errorf("no order of the calls explains what they returned:%v", h)
}

// linear is a search for an order: first everything that can be first.
type linear struct {
	h      *History
	before []int // operation -> set of those that precede it
	failed map[string]bool
}

// search tells whether the operations that are not done can follow last, when
// the queue has items, oldest first.
func (l *linear) search(done, last int, items []Item) bool {
	if done == 1<<len(l.h.Operations)-1 {
		return slices.Equal(items, l.h.Left)
	}
	rest := l.rest(last)
	key := string(append([]byte{byte(done), byte(done >> 8), byte(done >> 16), byte(rest)}, bytes(items)...))
	if l.failed[key] {
		return false
	}
	for i := range l.h.Operations {
		if done>>i&1 == 1 || l.before[i]&^done != 0 || rest > 0 && i != rest {
			continue
		}
		if after, ok := l.step(i, items); ok && l.search(done|1<<i, i, after) {
			return true
		}
	}
	l.failed[key] = true
	return false
}

// rest is the item that has to follow last, if it is of the same batch and that
// is taken at one moment, or 0.
func (l *linear) rest(last int) int {
	i := last + 1
	if last < 0 || i == len(l.h.Operations) || !l.h.Promises.AtomicBatch {
		return 0
	}
	if o := &l.h.Operations[i]; !o.Also || o.Action == Pushed {
		return 0
	}
	return i
}

// step is what operation i makes of items, if it could have been done then.
func (l *linear) step(i int, items []Item) ([]Item, bool) {
	o := &l.h.Operations[i]
	switch o.Action {
	case Pushed:
		return append(items[:len(items):len(items)], o.Value), true
	case Refused:
		return items, l.h.Promises.Bounded
	case Lost:
		return items, true
	case Empty:
		return items, len(items) == 0 || l.h.Promises.Tentative && l.h.overlapped(i)
	}
	i = slices.Index(items, o.Value)
	if i < 0 || !l.allowed(o, items, i) {
		return nil, false
	}
	return slices.Delete(slices.Clone(items), i, i+1), true
}

// allowed tells whether the order promised lets o take items[i].
func (l *linear) allowed(o *Operation, items []Item, i int) bool {
	switch l.h.Promises.Order {
	case queues.FIFO:
		return i == 0
	case queues.OwnerLIFO:
		if o.Action == Stolen {
			return i == 0
		}
		return i == len(items)-1
	case queues.ProducerFIFO:
		for _, v := range items[:i] {
			if l.producer(v) == l.producer(o.Value) {
				return false
			}
		}
	}
	return true
}

func (l *linear) producer(v Item) int {
	for _, o := range l.h.Operations {
		if o.Action == Pushed && o.Value == v {
			return o.Thread
		}
	}
	return -1
}

func bytes(items []Item) []byte {
	b := make([]byte, len(items))
	for i, v := range items {
		b[i] = byte(v)
	}
	return b
}
