package executor

import (
	"runtime"
	"sync/atomic"
)

// Fork is a function whose calls may be shared out: while the caller does one, another
// waits where it may be stolen. Neither costs an allocation. Make one with [NewFork],
// once, and use it in the function itself:
//
//	var fib *executor.Fork[int, int]
//	fib = executor.NewFork(e, func(w *executor.Worker, n int) int {
//		if n < 2 {
//			return n
//		}
//		a, b := fib.Both(w, n-1, n-2)
//		return a + b
//	})
//
// A branch stays with its worker, in plain memory, while the worker's deque has
// another for thieves: most are never queued, and cost no locked instruction.
// When there is none at a call of Both, the oldest branch goes there, which is the
// largest as a rule.
//
// Source: Blumofe and Leiserson, Scheduling multithreaded computations by work
// stealing, J. ACM 46 (1999), for child stealing; Wagner and Calder, Leapfrogging,
// PPoPP 1993, for what a caller does whose call was stolen; that the oldest is
// published late is of heartbeat scheduling (Acar and others, PLDI 2018), with an
// empty deque in place of the clock.
type Fork[A, R any] struct {
	exec  *Executor
	fn    func(*Worker, A) R
	seats []seat[A, R] // by worker
}

// seat is what a fork keeps for a worker. Only the worker touches it.
type seat[A, R any] struct {
	free []*branch[A, R]
	_    [104]byte // the next worker's
}

// NewFork returns a fork of fn on e.
func NewFork[A, R any](e *Executor, fn func(*Worker, A) R) *Fork[A, R] {
	return &Fork[A, R]{exec: e, fn: fn, seats: make([]seat[A, R], e.Workers())}
}

// Both returns fn(w, a) and fn(w, b). The second may run on another worker; the first
// is called at once. w is the worker of the running task.
//
// Whether b runs elsewhere is open: a must not wait for anything that b does. While
// b does, and is not done when a is, the worker helps: it runs what the one who has b
// has queued, on other goroutines. So do not hold a lock over a call of Both that
// other tasks take. A panic of either is a panic of Both, one of b elsewhere with a
// *PanicError; after one of a, b may or may not be called.
func (f *Fork[A, R]) Both(w *Worker, a, b A) (ra, rb R) {
	i := w.index
	if i < 0 { // it has no deque
		return f.fn(w, a), f.fn(w, b)
	}
	br := f.seats[i].take(f)
	br.arg = b
	n := len(w.branches)
	w.branches = append(w.branches, &br.branching)
	if w.shelf.bare.Load() {
		w.publish()
	}
	ra = f.fn(w, a)
	w.branches = w.branches[:n]
	if w.published <= n { // nobody else has seen it
		var none A
		br.arg = none
		f.seats[max(0, w.index)].put(br, w.index == i)
		return ra, f.fn(w, b)
	}
	w.published = n
	if w.joinBranch(&br.branching, i) {
		rb = f.fn(w, b)
	} else {
		rb = br.result
	}
	br.reset()
	f.seats[max(0, w.index)].put(br, w.index == i)
	return ra, rb
}

// publish queues the oldest branch that is not.
func (w *Worker) publish() {
	if w.published == len(w.branches) {
		return
	}
	w.shelf.bare.Store(false) // pairs with emptied: before the push, so before the theft
	if w.deque.Push(&w.branches[w.published].Task) {
		w.published++
		w.wakePeer()
	}
}

// publishAll is for a worker that gives its place away.
func (w *Worker) publishAll() {
	for before := -1; before != w.published; {
		before = w.published
		w.publish()
	}
}

// forget drops the branches above n: what has called Both has panicked, or called
// Goexit. One that was queued, and that other tasks stand over, is run by whoever finds
// it, and nobody waits.
func (w *Worker) forget(n int) {
	dangling := w.published - n
	w.branches = w.branches[:min(n, len(w.branches))]
	w.published = min(n, w.published)
	for ; dangling > 0 && w.deque != nil; dangling-- {
		t, ok := w.deque.Pop()
		if !ok {
			return // stolen
		}
		if _, branch := t.arg.(stolen); !branch || t.fn != nil {
			w.give(t)
			return
		}
		w.shelf.emptied()
	}
}

// put takes a branch back that is in nobody's hands, if this is the seat it is from.
func (s *seat[A, R]) put(br *branch[A, R], own bool) {
	if own {
		s.free = append(s.free, br)
	}
}

func (s *seat[A, R]) take(f *Fork[A, R]) *branch[A, R] {
	n := len(s.free)
	if n == 0 {
		br := &branch[A, R]{fork: f}
		br.Task.arg = br
		return br
	}
	br := s.free[n-1]
	s.free = s.free[:n-1]
	return br
}

// branch is a call that may be stolen.
type branch[A, R any] struct {
	branching
	fork   *Fork[A, R]
	arg    A
	result R // written by the thief before it is done
}

// stolen is a branch, for who finds it in a queue.
type stolen interface {
	runStolen(*Worker)
	handBack() // unrun, to the one who has forked
}

// branching is the part of a branch that does not depend on its types.
//
//	queued --> taken --------> done, handed back
//	   |          \              ^
//	   +--> waited +---> waited -+
//
// The thief goes from queued to taken, and at its end to done, the forker from either
// to waited before it sleeps. A branch that its forker finds in its own deque never
// leaves queued.
type branching struct {
	Task
	state  atomic.Uint32
	err    error  // of the thief's call, written before it is done
	sleeps parker // the forker's
}

const (
	branchQueued uint32 = iota
	branchWaited
	branchDone
	branchBack
	branchTaken // and the thief's number above it
)

func (b *branching) over() (over, back bool) {
	s := b.state.Load() // pairs with the swap in finish
	return s == branchDone || s == branchBack, s == branchBack
}

// finish wakes the forker if it sleeps.
func (b *branching) finish(state uint32) {
	if b.state.Swap(state) == branchWaited { // publishes the result
		b.sleeps.unpark()
	}
}

func (b *branching) handBack() { b.finish(branchBack) }

// thief is the number of the worker that runs it, if that is known.
func (b *branching) thief() (index int, ok bool) {
	s := b.state.Load()
	return int(s - branchTaken), s >= branchTaken
}

// reset makes a branch as new that was stolen.
func (b *branch[A, R]) reset() {
	var noArg A
	var none R
	b.arg, b.result, b.err = noArg, none, nil
	b.state.Store(branchQueued)
}

// runStolen runs the branch for the one who has forked. Its panic is brought there.
func (b *branch[A, R]) runStolen(w *Worker) {
	b.state.CompareAndSwap(branchQueued, branchTaken+uint32(max(0, w.index)))
	if w.shelf != nil { // it may be of the own deque
		w.shelf.emptied()
	}
	b.err = ErrGoexit
	defer func() {
		if value := recover(); value != nil {
			w.n.panics.Add(1)
			b.err = panicError(value)
		} else if b.err != nil {
			w.n.goexits.Add(1)
		}
		if w.lights.unsettled() { // what it has spawned
			w.settle()
		}
		b.finish(branchDone)
	}()
	b.result = b.fork.fn(w, b.arg)
	b.err = nil
}

// joinBranch is the end of a branch that was queued while w had the number i. It
// returns true when the caller is to run it itself.
func (w *Worker) joinBranch(b *branching, i int) (mine bool) {
	for w.index == i { // else its place is another's, and so is the deque
		t, ok := w.deque.Pop()
		if !ok {
			break
		}
		if t == &b.Task {
			w.shelf.emptied()
			return true
		}
		w.nest(t) // which the first call has left
	}
	return w.awaitBranch(b)
}

// nest runs a task while the running one waits in Both. It has a goroutine of its
// own, so that its panic and its Goexit are its own.
func (w *Worker) nest(t *Task) { w.apart(func() { w.run(t) }) }

// joinSpins is how often one who waits for a thief looks for something to help it
// with before it sleeps.
const joinSpins = 100

// awaitBranch helps the thief until it is done.
func (w *Worker) awaitBranch(b *branching) (back bool) {
	for spins := 0; ; spins++ {
		over, back := b.over()
		if over {
			b.rethrow()
			return back
		}
		if thief, ok := b.thief(); ok && w.index >= 0 && thief != w.index {
			if n, _ := w.steal[thief].Steal(w.loot[:1]); n > 0 {
				t := w.loot[0]
				w.loot[0] = nil
				w.exec.shelves[thief].emptied()
				w.nest(t)
				spins = 0
				continue
			}
		}
		if spins < joinSpins {
			runtime.Gosched()
			continue
		}
		b.sleep()
	}
}

// sleep waits for the end.
func (b *branching) sleep() {
	if b.sleeps.cond.L == nil {
		b.sleeps.init()
	}
	for s := b.state.Load(); s == branchQueued || s >= branchTaken; s = b.state.Load() {
		if b.state.CompareAndSwap(s, branchWaited) {
			b.sleeps.park()
		}
	}
}

// rethrow is how a failure of the thief's call goes on in the forker's.
func (b *branching) rethrow() {
	switch err := b.err; {
	case err == ErrGoexit:
		runtime.Goexit()
	case err != nil:
		panic(err)
	}
}
