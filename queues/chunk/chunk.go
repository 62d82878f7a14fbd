// Package chunk is a queue for one goroutine at a time, of arrays in a row: what a lock
// guards in other queues.
//
// Promises: unbounded, first in first out, no copying when it grows, no allocation
// while the number of items stays in the same range, no reference to items taken, and
// little memory kept once a burst is over.
package chunk

// List is the queue. The zero value is one that keeps nothing for use again.
type List[T any] struct {
	first, last *chunk[T] // nil when there is none
	low, high   int       // of the oldest in first, and after the newest in last
	n           int
	free        *chunk[T] // those that are kept
	kept, keep  int       // how many, and how many at most
}

// chunk is some items in a row.
type chunk[T any] struct {
	items [size]T
	next  *chunk[T]
}

// size makes a chunk of pointers half a kilobyte, with its link.
const size = 63

// New returns an empty list that keeps that many empty chunks, of 63 items each.
func New[T any](keep int) List[T] { return List[T]{keep: keep} }

// Len is the number of items.
func (l *List[T]) Len() int { return l.n }

// Push puts v behind all.
func (l *List[T]) Push(v T) {
	if l.last == nil || l.high == size {
		l.append()
	}
	l.last.items[l.high] = v
	l.high++
	l.n++
}

// append puts an empty chunk behind the last.
func (l *List[T]) append() {
	c := l.free
	if c == nil {
		c = new(chunk[T])
	} else {
		l.free, c.next = c.next, nil
		l.kept--
	}
	if l.last == nil {
		l.first, l.low = c, 0
	} else {
		l.last.next = c
	}
	l.last, l.high = c, 0
}

// PopInto takes up to len(dst) items, oldest first, and returns how many.
func (l *List[T]) PopInto(dst []T) (n int) {
	most := min(len(dst), l.n)
	for n < most {
		end := size
		if l.first == l.last {
			end = l.high
		}
		part := l.first.items[l.low:end]
		k := copy(dst[n:most], part)
		clear(part[:k])
		n += k
		if l.low += k; l.low == end {
			l.drop()
		}
	}
	l.n -= n
	return n
}

// drop takes the first chunk out, all of which was taken; the last is used again.
func (l *List[T]) drop() {
	c := l.first
	if l.low = 0; c == l.last {
		l.high = 0
		return
	}
	l.first = c.next
	if c.next = nil; l.kept < l.keep {
		c.next, l.free = l.free, c
		l.kept++
	}
}
