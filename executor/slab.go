package executor

import (
	"math/bits"
	"runtime"
	"sync/atomic"

	"github.com/exactlyonce/certify/executor/lifecycle"
)

// Task is a slot of the executor's storage and what its queues hold. It is
// opaque: a back end moves the pointer and never looks inside. A slot that a
// queue still points at after the task ended keeps nothing alive.
//
// The atomics of a task live here and not in its handle, so that they are
// used again: a million tasks touch the same few thousand words, which the
// race detector rewards with half the time and half the memory.
type Task struct {
	// word decides every race about the task, and by its generation between
	// this task and the handles of earlier ones.
	word lifecycle.Word

	// waiters is where goroutines wait for the task's end; nil when none do.
	// A waiter puts it there, the end takes it out: see waitpoint.go.
	waiters atomic.Pointer[waitpoint]

	// head is set by whoever took the slot, before the slot is queued, and
	// cleared by whoever popped it, before the slot is free. The queue's push
	// and pop order the two.
	head *head
	exec *Executor
	slot uint32
	// gen is the word's generation. Whoever frees the slot moves it on before
	// it sets the slot's bit; whoever takes the slot reads it.
	gen lifecycle.Gen
}

// slab is the bounded task storage: a fixed array of slots and the set of
// the free ones, one bit a slot, 64 slots a word. Taking a slot clears its
// bit, freeing sets it, so there is no ABA, and the slab is full exactly when
// every bit is clear.
type slab struct {
	tasks []Task
	free  []freeWord
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
	s := &slab{tasks: make([]Task, capacity), free: make([]freeWord, (capacity+63)/64)}
	for i := range s.tasks {
		s.tasks[i].exec, s.tasks[i].slot = e, uint32(i)
		s.free[i/64].bits.Or(1 << (i % 64))
	}
	return s
}

// place is where a taker looks for a free slot first.
type place struct {
	word uint32 // index of the word that had one last
	seen uint64 // its bits as they were then: a guess, which saves a load
}

// take gives h a slot, whose word says Queued, and returns it, or nil when all
// are taken. moved tells that another word than before had one, which happens
// about once in 64 takes while the slab is not crowded.
func (s *slab) take(p *place, h *head) (t *Task, moved bool) {
	at := p.word
	bit, ok := s.free[at].takeAny(&p.seen)
	if !ok {
		if at, bit, ok = s.search(p, at); !ok {
			return nil, true
		}
		p.word, moved = at, true
	}
	t = &s.tasks[at*64+bit]
	gen := t.begin()
	h.task, h.gen, t.head = t, gen, h
	return t, moved
}

// search looks at all words but at.
func (s *slab) search(p *place, at uint32) (word, bit uint32, ok bool) {
	for n := 1; n < len(s.free); n++ {
		if at++; int(at) == len(s.free) {
			at = 0
		}
		if bit, ok = s.free[at].takeAny(&p.seen); ok {
			return at, bit, true
		}
	}
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

// begin is called by the one taker of a slot. Whoever freed it may be between
// its two steps, an instruction away from the second.
func (t *Task) begin() lifecycle.Gen {
	gen := t.gen
	for !t.word.Take(gen) {
		runtime.Gosched()
	}
	return gen
}

// put frees a slot whose task of generation g ended as s. The bit comes first:
// who sees by the word that a task is over finds its slot free.
func (s *slab) put(t *Task, g lifecycle.Gen, end lifecycle.State) {
	t.gen = g + 1
	slot := t.slot
	s.free[slot/64].bits.Or(1 << (slot % 64))
	t.word.Recycle(g, end)
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
