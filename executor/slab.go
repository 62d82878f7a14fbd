package executor

import (
	"math/bits"
	"runtime"
	"sync/atomic"

	"github.com/exactlyonce/certify/executor/lifecycle"
)

// slot is a place of the executor's storage, for a task with a handle. One that a
// queue still points at after its task ended keeps nothing alive.
//
// The atomics of a task live here and not in its handle, so that they are
// used again: a million tasks touch the same few thousand words, which the
// race detector rewards with half the time and half the memory.
type slot struct {
	Task // what is queued; its arg is the slot

	// word decides every race about the task, and by its generation between
	// this task and the handles of earlier ones.
	word lifecycle.Word

	// waiters is where goroutines wait for the task's end; nil when none do.
	// A waiter puts it there, the end takes it out: see waitpoint.go.
	waiters atomic.Pointer[waitpoint]

	// left counts, from 0 to 2 and back, the two who have a task that its waiter
	// runs: the waiter, and whoever takes it from the queue.
	left atomic.Uint32

	// head is set by whoever took the slot, before the slot is queued, and
	// cleared by whoever popped it, before the slot is free. The queue's push
	// and pop order the two. In a Storage it stays.
	head  *head
	exec  *Executor
	index int32 // in the slab, or stored
	// gen is the word's generation. Whoever frees the slot moves it on before
	// it sets the slot's bit; whoever takes the slot reads it.
	gen lifecycle.Gen
}

// stored is the index of a slot that a Storage holds, and not the slab.
const stored = -1

// slab is the bounded task storage: a fixed array of slots and the set of
// the free ones, one bit a slot, 64 slots a word. Taking a slot clears its
// bit, freeing sets it, so there is no ABA, and the slab is full exactly when
// every bit is clear.
type slab struct {
	tasks []slot
	free  []freeWord
	// high is the most slots seen taken; it only rises. Counting costs a load
	// a word, so it is done once in as many takes as there are slots, when the
	// slab is full, and by Stats.
	high atomic.Int64
}

// freeWord has a line to itself: takers are each at a word of their own, and
// only the freeing of a slot comes from elsewhere.
type freeWord struct {
	// bits: 1 is free. The And that clears a bit gives its slot to one taker;
	// the Or that set it published the cleared slot.
	bits atomic.Uint64
	_    [120]byte
}

func newSlab(e *Executor, capacity int) *slab {
	s := &slab{tasks: make([]slot, capacity), free: make([]freeWord, (capacity+63)/64)}
	for i := range s.tasks {
		t := &s.tasks[i]
		t.arg, t.exec, t.index = t, e, int32(i)
		s.free[i/64].bits.Or(1 << (i % 64))
	}
	return s
}

// place is where a taker looks for a free slot first.
type place struct {
	word uint32 // index of the word that had one last
	seen uint64 // its bits as they were then: a guess, which saves a load
}

// take gives h a slot and returns it, or nil when all are taken.
func (s *slab) take(p *place, h *head) *slot {
	at := p.word
	bit, ok := s.free[at].takeAny(&p.seen)
	if !ok {
		if at, bit, ok = s.search(p); !ok {
			return nil
		}
	}
	t := &s.tasks[at*64+bit]
	t.settle()
	t.bind(h)
	return t
}

// search looks at the other words.
func (s *slab) search(p *place) (at, bit uint32, ok bool) {
	at = p.word
	for n := 1; n < len(s.free); n++ {
		if at++; int(at) == len(s.free) {
			at = 0
			s.sample()
		}
		if bit, ok = s.free[at].takeAny(&p.seen); ok {
			p.word = at
			return at, bit, true
		}
	}
	s.raise(len(s.tasks))
	return 0, 0, false
}

// takeAny takes a slot, one of those in seen if there still is one.
func (f *freeWord) takeAny(seen *uint64) (bit uint32, ok bool) {
	set := *seen
	for {
		if set == 0 {
			if set = f.bits.Load(); set == 0 {
				return 0, false
			}
		}
		low := set & -set
		old := f.bits.And(^low)
		set = old &^ low
		if old&low != 0 {
			*seen = set
			return uint32(bits.TrailingZeros64(low)), true
		}
	}
}

// bind gives the task a handle, before it is queued.
func (t *slot) bind(h *head) {
	h.task, h.gen, t.head = t, t.gen, h
}

// unbind returns the handle of a task that was taken from its queue, and lets
// go of it where another task's follows.
func (t *slot) unbind() *head {
	h := t.head
	if t.index != stored {
		t.head = nil
	}
	return h
}

// settle is called by the one taker of a slot. Whoever freed it may be between
// its two steps, an instruction away from the second.
func (t *slot) settle() {
	for !t.word.Begun(t.gen) {
		runtime.Gosched()
	}
}

// put frees a slot, as the first step of two: the other recycles the word. So
// who sees by the word that a task is over finds its slot free.
func (s *slab) put(index int32) { s.free[index/64].bits.Or(1 << (index % 64)) }

// stored is how many slots are taken: between 0 and the capacity by
// construction, exact when nobody takes or frees.
func (s *slab) stored() int {
	free := 0
	for i := range s.free {
		free += bits.OnesCount64(s.free[i].bits.Load())
	}
	return len(s.tasks) - free
}

// sample counts the slots that are taken and raises the high-water mark.
func (s *slab) sample() (stored int) {
	stored = s.stored()
	s.raise(stored)
	return stored
}

func (s *slab) raise(level int) {
	for {
		old := s.high.Load()
		if int64(level) <= old || s.high.CompareAndSwap(old, int64(level)) {
			return
		}
	}
}
