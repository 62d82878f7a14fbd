package sharded

// push puts v behind all. mu is held.
func (s *shard[T]) push(v T) {
	if s.last == nil || s.high == chunkItems {
		s.append()
	}
	s.last.items[s.high] = v
	s.high++
}

// append puts an empty chunk behind the last. mu is held.
func (s *shard[T]) append() {
	c := s.free
	if c == nil {
		c = new(chunk[T])
	} else {
		s.free, c.next = c.next, nil
		s.kept--
	}
	if s.last == nil {
		s.first, s.low = c, 0
	} else {
		s.last.next = c
	}
	s.last, s.high = c, 0
}

// pop takes the oldest; there is one. mu is held.
func (s *shard[T]) pop() (v T) {
	var none T
	slot := &s.first.items[s.low]
	v, *slot = *slot, none
	if s.low++; s.low == chunkItems {
		s.drop()
	} else if s.first == s.last && s.low == s.high {
		s.low, s.high = 0, 0 // it is empty, and is filled from its beginning again
	}
	return v
}

// drop takes the first chunk out, all of which was taken. mu is held.
func (s *shard[T]) drop() {
	c := s.first
	s.first, s.low = c.next, 0
	if s.first == nil {
		s.last, s.high = nil, 0
	}
	if c.next = nil; s.kept < s.keep {
		c.next, s.free = s.free, c
		s.kept++
	}
}
