package mutex

import (
	"sync"

	"github.com/exactlyonce/certify/queues"
)

// Deque is a work-stealing deque. Make one with [NewDeque].
type Deque[T any] struct {
	mu   sync.Mutex
	ring ring[T]
}

// NewDeque returns an empty deque with room for o.Capacity items, or 64, before
// it grows. It panics if o.Capacity is negative.
func NewDeque[T any](o queues.Options) *Deque[T] {
	return &Deque[T]{ring: newRing[T](o.Capacity, o.Start)}
}

// Push adds v at the bottom and returns true.
func (d *Deque[T]) Push(v T) bool {
	d.mu.Lock()
	d.ring.push(v)
	d.mu.Unlock()
	return true
}

// PushAll adds all of vs, the first of them deepest, and returns their number.
func (d *Deque[T]) PushAll(vs []T) int {
	d.mu.Lock()
	for _, v := range vs {
		d.ring.push(v)
	}
	d.mu.Unlock()
	return len(vs)
}

// Pop takes the newest item.
func (d *Deque[T]) Pop() (v T, ok bool) {
	d.mu.Lock()
	if ok = d.ring.len() > 0; ok {
		v = d.ring.popNewest()
	}
	d.mu.Unlock()
	return v, ok
}

// Len is the number of items.
func (d *Deque[T]) Len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ring.len()
}

// Stealer returns a thief side. They are all alike.
func (d *Deque[T]) Stealer() queues.Stealer[T] { return stealer[T]{d} }

type stealer[T any] struct{ deque *Deque[T] }

// Steal takes the oldest items, up to half of them, rounded up. It loses no
// races, so retry is always false.
func (s stealer[T]) Steal(dst []T) (n int, retry bool) {
	d := s.deque
	d.mu.Lock()
	n = min(len(dst), (d.ring.len()+1)/2)
	d.ring.popOldestInto(dst[:n])
	d.mu.Unlock()
	return n, false
}

func (s stealer[T]) Len() int { return s.deque.Len() }
