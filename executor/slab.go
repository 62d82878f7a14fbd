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

	// body is set by whoever took the slot, before the slot is queued, and
	// cleared by whoever popped it, before the slot is free. The queue's push
	// and pop order the two.
	body body
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

// take returns a slot whose word says Queued, or nil when all are taken. It
// looks first at the word *cursor and leaves there the word that had one.
// moved tells that this is another one than before, which happens about once
// in 64 takes while the slab is not crowded.
func (s *slab) take(cursor *uint32) (t *Task, moved bool) {
	n := uint32(len(s.free))
	at := *cursor % n
	for range n {
		if bit, ok := s.free[at].takeAny(); ok {
			moved = *cursor != at
			*cursor = at
			t = &s.tasks[at*64+bit]
			t.begin()
			return t, moved
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

// begin is called by the one taker of a slot. Whoever freed it may be between
// its two steps, an instruction away from the second.
func (t *Task) begin() {
	for !t.word.Take(t.gen) {
		runtime.Gosched()
	}
}

// put frees a slot whose task ended as s. The bit comes first: who sees by the
// word that a task is over finds its slot free.
func (s *slab) put(t *Task, end lifecycle.State) {
	g := t.gen
	t.gen = g + 1
	s.free[t.slot/64].bits.Or(1 << (t.slot % 64))
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
