package msqueue

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
	dummy, n := q.claim(len(dst))
	for i := range n {
		next := dummy.next.Load() // before Retire, which may sever the dummy
		dst[i] = next.value       // ours alone: the head moved over it by our CAS
		next.value = *new(T)
		g.Retire(dummy)
		dummy = next
	}
	g.Unpin()
	return n
}

// claim moves the head by up to most nodes and returns the old dummy and how
// many nodes after it are the caller's. 0 means that the queue was empty when
// the dummy's next was nil: as the tail was loaded after the head and equals
// it, the head had not moved, and the dummy was the last node.
func (q *Queue[T]) claim(most int) (dummy *node[T], n int) {
	for {
		head := q.head.Load()
		tail := q.tail.Load() // after head, so tail is head or follows it
		if head == tail {
			next := head.next.Load()
			if next == nil {
				return nil, 0
			}
			q.tail.CompareAndSwap(tail, next) // help, lest the head pass the tail
			continue
		}
		last, n := ahead(head, tail, most)
		if q.head.CompareAndSwap(head, last) { // takes n items; pairs with the other consumers'
			return head, n
		}
	}
}

// ahead walks at most most nodes from head, and not past tail. Meanwhile others
// may take these nodes; even if they are severed and the walk stands still, it
// ends, and the CAS of claim fails.
func ahead[T any](head, tail *node[T], most int) (last *node[T], n int) {
	for last = head; n < most && last != tail; n++ {
		last = last.next.Load()
	}
	return last, n
}
