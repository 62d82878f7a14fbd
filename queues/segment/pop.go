package segment

// Pop takes the oldest item.
func (q *Queue[T]) Pop() (v T, ok bool) {
	var one [1]T
	n := q.PopInto(one[:])
	return one[0], n == 1
}

// PopInto takes up to len(dst) of the oldest items, at one moment.
func (q *Queue[T]) PopInto(dst []T) int {
	if len(dst) == 0 {
		return 0
	}
	g := q.consumers.Pin()
	defer g.Unpin()
	for {
		s := q.head.Load()
		first, n := s.claim(len(dst))
		if n > 0 {
			if n = s.take(dst, int(first), n); n > 0 {
				return n
			}
			continue // robbed them all
		}
		if first < size {
			return 0 // nobody had come for a cell that is not claimed
		}
		next := s.next.Load()
		if next == nil {
			return 0 // all cells are claimed, and nothing is linked behind them
		}
		q.tail.CompareAndSwap(s, next)      // 5: help, lest head pass tail
		if q.head.CompareAndSwap(s, next) { // 5: pairs with the other consumers'
			g.Retire(s)
		}
	}
}

// claim makes up to most cells the caller's: n of them, from first on. With n = 0
// there was a moment at which all that producers had come for were claimed.
func (s *segment[T]) claim(most int) (first uint64, n int) {
	for {
		first = s.deq.Load() // 1: before enq, so that deq is not less when that is loaded
		n = min(int(min(s.enq.Load(), size))-int(first), most)
		if n <= 0 {
			return first, 0
		}
		if s.deq.CompareAndSwap(first, first+uint64(n)) { // 2: pairs with the other consumers'
			return first, n
		}
	}
}

// take moves the values of n claimed cells to dst and returns how many there were.
// The others' producers have come for them, but not filled them yet.
func (s *segment[T]) take(dst []T, first, n int) (got int) {
	for i := first; i < first+n; i++ {
		c := &s.cells[i]
		if c.state.Swap(s.free+states) == s.free { // 3: pairs with fill
			continue
		}
		dst[got] = c.value // 4
		c.value = *new(T)
		got++
	}
	return got
}
