package segment

import "github.com/exactlyonce/certify/queues/epoch"

// Push adds v and returns true.
func (q *Queue[T]) Push(v T) bool {
	one := [1]T{v}
	g := q.producers.Pin()
	if s := q.tail.Load(); s.put(one[:]) == 0 {
		q.extend(g, one[:])
	}
	g.Unpin()
	return true
}

// PushAll adds all of vs in order and returns their number.
func (q *Queue[T]) PushAll(vs []T) int {
	for rest := vs; len(rest) > 0; {
		n := min(len(rest), size) // short pins
		g := q.producers.Pin()
		put := q.tail.Load().put(rest[:n])
		if put < n {
			q.extend(g, rest[put:n])
		}
		g.Unpin()
		rest = rest[n:]
	}
	return len(vs)
}

// put puts a prefix of vs, which are at most size, into cells of s and returns its
// length. 0 for one value means that there was no cell left, or that it was robbed.
func (s *segment[T]) put(vs []T) (n int) {
	if s.enq.Load() >= size {
		return 0
	}
	first := s.enq.Add(uint64(len(vs))) - uint64(len(vs)) // 1
	for i := first; i < min(first+uint64(len(vs)), size); i++ {
		if s.fill(int(i), vs[n]) {
			n++ // else the same value goes into the next cell, lest the order change
		}
	}
	return n
}

// fill puts v into a cell that is the caller's. It returns false if a consumer has
// taken the cell.
func (s *segment[T]) fill(i int, v T) bool {
	c := &s.cells[i]
	c.value = v                                          // 2
	if c.state.CompareAndSwap(s.free, s.free+states-1) { // 3: publishes the value; pairs with the consumer's 3
		return true
	}
	c.value = *new(T)
	return false
}

// extend adds vs, in the last segment or in one that it links behind it. The caller
// is pinned.
func (q *Queue[T]) extend(g epoch.Guard[segment[T]], vs []T) {
	var own *segment[T]
	for len(vs) > 0 {
		s := q.tail.Load()
		if n := s.put(vs); n > 0 {
			vs = vs[n:]
			continue
		}
		if s.enq.Load() < size {
			continue // robbed
		}
		if next := s.next.Load(); next != nil {
			q.tail.CompareAndSwap(s, next) // lagging: help; severed: fails
			continue
		}
		own = prepare(g, own, vs, s.seq+1)
		if s.next.CompareAndSwap(nil, own) { // 4: publishes the segment; pairs with the loads of next
			q.tail.CompareAndSwap(s, own) // 5: fails if somebody has helped
			return
		}
	}
	if own != nil {
		own.undo()
		g.Retire(own)
	}
}

// prepare returns a private segment with vs in it: own, or a new one if that is nil.
func prepare[T any](g epoch.Guard[segment[T]], own *segment[T], vs []T, seq uint64) *segment[T] {
	if own == nil {
		own = g.Alloc()
	} else {
		own.undo()
		own.spare = false
	}
	if own == nil {
		own = fresh[T](0)
	}
	for i, v := range vs {
		c := &own.cells[i]
		c.value = v
		c.state.Store(own.free + states - 1)
	}
	own.enq.Store(uint64(len(vs)))
	own.seq = seq
	return own
}

// undo frees the cells of a private segment.
func (s *segment[T]) undo() {
	for i := range s.enq.Load() {
		c := &s.cells[i]
		c.value = *new(T)
		c.state.Store(s.free)
	}
	s.spare = true
}
