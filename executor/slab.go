package executor

import (
	"math/bits"
	"sync/atomic"
)

// Task is a slot of the executor's storage and what its queues hold. It is
// opaque: a back end moves the pointer and never looks inside. A slot that a
// queue still points at after the task ended keeps nothing alive.
type Task struct {
	// body is set by whoever took the slot, before the slot is queued, and
	// cleared by whoever popped it, before the slot is free. The queue's push
	// and pop order the two.
	body body
	slot uint32
}

// slab is the bounded task storage: a fixed array of slots and a set of the
// free ones, one bit a slot, 64 slots a word. Taking a slot clears a bit,
// freeing sets it; there is nothing else, so there is no ABA, and a slab is
// full exactly when every bit is clear.
type slab struct {
	tasks []Task
	free  []freeWord
}

// freeWord has a line to itself: takers move through the words one behind the
// other, each on its own, and only a slot's freeing comes from elsewhere.
type freeWord struct {
	// bits: 1 is free. Whoever clears a bit owns the slot until it sets the
	// bit; that Or publishes the cleared slot to the taker's And.
	bits atomic.Uint64
	_    [120]byte
}

func newSlab(capacity int) *slab {
	s := &slab{tasks: make([]Task, capacity), free: make([]freeWord, (capacity+63)/64)}
	for i := range s.tasks {
		s.tasks[i].slot = uint32(i)
		s.put(&s.tasks[i])
	}
	return s
}

// take returns a free slot, or nil when all are taken. It looks first at the
// word *cursor and leaves there the word that had one. moved tells that this
// is another word than before, which happens at most once in 64 takes while
// the slab is not crowded.
func (s *slab) take(cursor *uint32) (t *Task, moved bool) {
	n := uint32(len(s.free))
	at := *cursor % n
	for range n {
		if bit, ok := s.free[at].takeAny(); ok {
			moved = *cursor != at
			*cursor = at
			return &s.tasks[at*64+bit], moved
		}
		if at++; at == n {
			at = 0
		}
	}
	return nil, true
}

func (f *freeWord) takeAny() (bit uint32, ok bool) {
	for {
		set := f.bits.Load()
		if set == 0 {
			return 0, false
		}
		low := set & -set
		if f.bits.And(^low)&low != 0 {
			return uint32(bits.TrailingZeros64(low)), true
		}
	}
}

// put frees a slot whose body is cleared.
func (s *slab) put(t *Task) {
	s.free[t.slot/64].bits.Or(1 << (t.slot % 64))
}

// stored is how many slots are taken: between 0 and the capacity by
// construction, exact when nobody takes or frees.
func (s *slab) stored() int {
	free := 0
	for i := range s.free {
		free += bits.OnesCount64(s.free[i].bits.Load())
	}
	return len(s.tasks) - free
}
