package executor

import (
	"sync"
	"sync/atomic"
)

// sleepers knows who sleeps and who searches, and wakes one when work
// appears. Who publishes work and who goes to sleep run the two sides of
// this protocol; steps with the same number are each other's counterpart:
//
//	publisher                          worker out of work
//	1. make the task visible           1. announce: onto the stack, idle+1 and,
//	                                      if it searched, searching-1
//	2. load the word; if idle > 0      2. look at every queue again; found:
//	   and searching = 0, wake one        off the stack and run it
//	3. the waker counts the woken      3. else take the permit; it comes back
//	   as searching, and gives the        counted as searching
//	   permit
//
// Go's atomics are sequentially consistent, so of two steps 1 and two steps 2
// at least one sees the other's: no task is left with everybody asleep. A
// publisher that saw searching > 0 relies on that searcher, who will either
// announce later (and look again), or find another task; the last searcher to
// find one looks whether work is left and wakes one more (found).
//
// The waker does the accounting, so that a second publisher sees at once that
// help is on its way and the counts cannot drift: whoever takes a worker off
// the stack, under mu, changes idle in the same step.
type sleepers struct {
	// word = searching | idle<<16 | flags.
	// Invariant: idle = len(stack), whenever mu is free.
	// Invariant: searching + idle ≤ workers.
	word atomic.Uint64
	// away counts the tasks that run without a place, and the polled ones from
	// before they are accepted to after their end: they may still give work.
	away atomic.Int64
	_    [112]byte // publishers read word; sleepers write what follows

	mu    sync.Mutex
	stack []*Worker // guarded by mu; the last to fall asleep is woken first
}

const (
	searchingOne = 1
	idleOne      = 1 << 16
	fieldMask    = 1<<16 - 1
	// draining: nothing comes from outside any more; when all are idle, all
	// leave. Set once, by Shutdown or Stop.
	draining = 1 << 32
	// leaving: all were idle and had looked while draining. Set once, by a
	// worker.
	leaving = 1 << 33
)

func searchingOf(word uint64) int { return int(word & fieldMask) }
func idleOf(word uint64) int      { return int(word >> 16 & fieldMask) }

// notify is the publisher's steps 2 and 3.
func (s *sleepers) notify() (woke bool) {
	word := s.word.Load()
	return idleOf(word) > 0 && searchingOf(word) == 0 && s.wakeOne()
}

func (s *sleepers) wakeOne() (woke bool) {
	s.mu.Lock()
	n := len(s.stack)
	if n == 0 || searchingOf(s.word.Load()) > 0 {
		s.mu.Unlock()
		return false
	}
	w := s.pop(n - 1)
	s.mu.Unlock()
	w.parker.unpark()
	return true
}

// pop takes the i-th off the stack and counts it as searching. mu is held.
func (s *sleepers) pop(i int) *Worker {
	w := s.stack[i]
	last := len(s.stack) - 1
	copy(s.stack[i:], s.stack[i+1:])
	s.stack[last] = nil
	s.stack = s.stack[:last]
	s.word.Add(^uint64(idleOne - searchingOne - 1)) // subtracts idleOne, adds searchingOne
	return w
}

// search counts a worker as searching, unless half of the awake do already.
func (s *sleepers) search(workers int) bool {
	word := s.word.Load()
	if 2*searchingOf(word) >= workers-idleOf(word) {
		return false
	}
	s.word.Add(searchingOne)
	return true
}

// found ends a search that found a task. It returns true to the last searcher
// while somebody sleeps: that one must see whether work is left.
func (s *sleepers) found() (last bool) {
	word := s.word.Add(^uint64(searchingOne - 1))
	return searchingOf(word) == 0 && idleOf(word) > 0
}

// announce is the worker's step 1.
func (s *sleepers) announce(w *Worker, searching bool) {
	w.looked.Store(false)
	delta := uint64(idleOne)
	if searching {
		delta -= searchingOne
	}
	s.mu.Lock()
	s.stack = append(s.stack, w)
	s.word.Add(delta)
	s.mu.Unlock()
}

// retract takes back an announcement, leaving w counted as searching. When a
// waker was faster, that has been done, and the permit is taken here.
func (s *sleepers) retract(w *Worker) {
	s.mu.Lock()
	for i, other := range s.stack {
		if other == w {
			s.pop(i)
			s.mu.Unlock()
			return
		}
	}
	s.mu.Unlock()
	w.parker.park()
}

// drain lets the workers leave once all of them are idle.
func (s *sleepers) drain() {
	s.word.Or(draining)
	s.wakeOne() // if all sleep already, one has to find that out
}

// leave tells whether w, which is announced and found every queue empty, is
// to leave for good. The first to see that all have done so while draining
// wakes all. A worker that is announced but still looks may hold a task, which
// may need the others: they wait for it, and it decides when it gets here.
func (s *sleepers) leave(w *Worker, workers int) bool {
	w.looked.Store(true)
	word := s.word.Load()
	if word&leaving == 0 && (word&draining == 0 || idleOf(word) < workers) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.word.Load()&leaving == 0 {
		if len(s.stack) < workers || !s.allLooked() || s.away.Load() > 0 {
			return false
		}
		s.word.Or(leaving)
	}
	for n := len(s.stack); n > 0; n = len(s.stack) {
		s.pop(n - 1).parker.unpark()
	}
	return true
}

// allLooked tells whether every worker on the stack has found every queue
// empty since it went there. mu is held.
func (s *sleepers) allLooked() bool {
	for _, w := range s.stack {
		if !w.looked.Load() {
			return false
		}
	}
	return true
}

// gone uncounts a worker that leaves: whoever took it off the stack counted
// it as searching.
func (s *sleepers) gone() { s.word.Add(^uint64(searchingOne - 1)) }
