package mutex

import "fmt"

// ring is a buffer of a power of two of slots that grows when it is full and
// shrinks when it is less than a quarter full, down to its first size.
type ring[T any] struct {
	slots []T
	first int // the least size

	// Item i is in slots[i % len(slots)], for top <= i < bottom.
	// Invariant: 0 <= bottom-top <= len(slots), in wrapping arithmetic; other
	// slots hold the zero value.
	top, bottom uint64
}

// usual is the first size when the caller has no wish.
const usual = 64

func newRing[T any](capacity int, start uint64) ring[T] {
	if capacity < 0 {
		panic(fmt.Sprintf("mutex: capacity %d is negative", capacity))
	}
	if capacity == 0 {
		capacity = usual
	}
	first := 1
	for first < capacity {
		first *= 2
	}
	return ring[T]{slots: make([]T, first), first: first, top: start, bottom: start}
}

func (r *ring[T]) len() int { return int(r.bottom - r.top) }

func (r *ring[T]) slot(i uint64) *T { return &r.slots[i&uint64(len(r.slots)-1)] }

func (r *ring[T]) push(v T) {
	if r.len() == len(r.slots) {
		r.resize(2 * len(r.slots))
	}
	*r.slot(r.bottom) = v
	r.bottom++
}

// popNewest takes from the bottom. The ring is not empty.
func (r *ring[T]) popNewest() T {
	r.bottom--
	return r.take(r.bottom)
}

// popOldest takes from the top. The ring is not empty.
func (r *ring[T]) popOldest() T {
	r.top++
	return r.take(r.top - 1)
}

// popOldestInto fills dst from the top. The ring holds as many.
func (r *ring[T]) popOldestInto(dst []T) {
	for i := range dst {
		dst[i] = r.popOldest()
	}
}

// take empties the slot of item i, which is outside of top..bottom by now.
func (r *ring[T]) take(i uint64) T {
	s := r.slot(i)
	v := *s
	*s = *new(T)
	if r.len() < len(r.slots)/4 && len(r.slots) > r.first {
		r.resize(len(r.slots) / 2)
	}
	return v
}

func (r *ring[T]) resize(size int) {
	old := *r
	r.slots = make([]T, size)
	for i := r.top; i != r.bottom; i++ {
		*r.slot(i) = *old.slot(i)
	}
}
