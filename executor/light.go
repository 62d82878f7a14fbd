package executor

import (
	"sync"
	"sync/atomic"
	"time"
)

// A light task has no handle: nobody can cancel it or ask for its result, and what it
// costs is a call. From outside such tasks enter by value, into batches under one lock,
// which also decides whether they are accepted. A worker takes a whole batch at once:
// see shelf. It counts for itself too: see lights.

// light is where light tasks enter.
type light struct {
	capacity int    // tasks queued here at most
	shelved  int    // tasks on shelves at most
	enough   int    // room for which submitters that wait are woken
	alone    *Group // of the tasks without a group
	pool     pool

	_ [64]byte // what is above is read by all

	// some: the queue holds something. It is written under mu, where the queue becomes
	// empty or ceases to be, and read by workers before they take the lock.
	// Invariant: some = (queue.n > 0) whenever mu is free.
	some atomic.Bool

	mu sync.Mutex
	// The rest is guarded by mu.
	queue     entrance
	closed    bool
	submitted uint64
	// last is the group of the last that entered, and group one that has got the
	// advance (see lights.owed) for owed tasks; nil if none has.
	last, group *Group
	owed        int64
	_           [64]byte

	room line // for which submitters wait
}

func (l *light) init(e *Executor) {
	l.capacity = e.cfg.Capacity
	l.shelved = e.cfg.Workers * min(l.capacity, batchMax-1)
	l.room.again = lookAgain
	l.enough = max(1, min(l.capacity/4, 1024))
	l.queue.keep = min(l.capacity/(batchMax-1)+e.cfg.Workers, batchesKept)
	l.alone = &Group{exec: e, alone: true}
	l.alone.cond.L = &l.alone.mu
	l.pool.init(&e.cfg)
}

// batchesKept is how many empty batches wait to be used again at most: a megabyte.
const batchesKept = 512

// Go gives fn to the executor from outside, to be called with arg. While as many
// tasks as Config.Capacity wait to be taken in it waits; inside a task use
// [Worker.Go], which does not. Refused means that fn will never run, with an error
// that is ErrShutdown or ErrNilTask.
//
// The task has no handle. A panic or Goexit of it goes to Config.Unhandled. Light
// tasks enter through a queue of their own, in order, and not by the Injector.
func (e *Executor) Go(fn Func, arg any) error { return e.light.alone.Go(fn, arg) }

// TryGo is Go that returns ErrSaturated instead of waiting.
func (e *Executor) TryGo(fn Func, arg any) error { return e.light.alone.TryGo(fn, arg) }

// stats is how many tasks have entered, and how many light tasks there may be that
// wait or are in deques.
func (l *light) stats() (submitted uint64, room int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pool.mu.Lock()
	defer l.pool.mu.Unlock()
	if l.submitted > 0 {
		room = l.capacity + l.shelved
	}
	return l.submitted, room + l.pool.made
}

// enter queues a task, or says why not.
func (l *light) enter(g *Group, fn Func, arg any) error {
	if fn == nil {
		return ErrNilTask
	}
	l.mu.Lock()
	if l.closed || l.queue.n >= l.capacity {
		return l.refuse()
	}
	l.expect(g)
	l.queue.push(fn, arg, g)
	l.submitted++
	if l.queue.n == 1 {
		l.some.Store(true) // makes it visible; pairs with the load in takeIn
	}
	l.mu.Unlock()
	g.exec.published()
	return nil
}

// expect counts a task of g that enters. While nobody waits for g, and one of its
// tasks comes after another, g has the advance and is told later. mu is held.
func (l *light) expect(g *Group) {
	switch {
	case g.alone:
	case l.group == g:
		l.owed++
	case l.last != g || g.waiting > 0:
		l.last = g
		g.expect(1)
	default:
		l.payUp()
		l.group, l.owed = g, 1
		g.pending.Add(advance)
	}
}

// payUp tells the group of what has entered. mu is held.
func (l *light) payUp() {
	if g := l.group; g != nil {
		l.group = nil
		g.finish(advance - l.owed)
	}
}

// waits counts who waits for g, or does not any more.
func (l *light) waits(g *Group, n int) {
	l.mu.Lock()
	if g.waiting += n; l.group == g {
		l.payUp()
	}
	l.mu.Unlock()
}

// refuse is the end of an enter that cannot. mu is held.
func (l *light) refuse() error {
	closed := l.closed
	l.mu.Unlock()
	if closed {
		return ErrShutdown
	}
	return ErrSaturated
}

// published is the publisher's side of the protocol in sleep.go, from outside.
func (e *Executor) published() {
	if e.sleep.notify() {
		e.outside.wakes.Add(1)
	}
}

// enterAll is enter for many, and returns for how many there was room.
func (l *light) enterAll(g *Group, fn Func, args []any) (n int, err error) {
	if fn == nil {
		return 0, ErrNilTask
	}
	l.mu.Lock()
	before := l.queue.n
	if n = min(len(args), max(0, l.capacity-before)); l.closed || n == 0 {
		return 0, l.refuse()
	}
	g.expect(int64(n))
	for _, arg := range args[:n] {
		l.queue.push(fn, arg, g)
	}
	l.submitted += uint64(n)
	if before == 0 {
		l.some.Store(true)
	}
	l.mu.Unlock()
	g.exec.published()
	return n, nil
}

// lookAgain is how long the first of the submitters that wait sleeps at most while there
// is some room, but too little for a wake. There is one once there is room for many,
// since it costs as much as some hundred tasks; should the tasks before take long, the
// first looks by itself. Who has got in wakes the next.
const lookAgain = time.Millisecond

// close refuses what comes from outside from now on. What came before is visible when
// it returns.
func (l *light) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.room.disperse()
}

// take takes the oldest batch out, or returns nil. For it, it takes back one that is
// spent, or nil.
func (l *light) take(spent *batch) *batch {
	if !l.some.Load() { // pairs with the stores of those who enter
		return nil
	}
	l.mu.Lock()
	b := l.queue.pop()
	if b != nil {
		l.queue.put(spent)
		if l.queue.n == 0 {
			l.some.Store(false)
		}
	}
	free := l.capacity - l.queue.n
	l.mu.Unlock()
	if free >= l.enough {
		l.room.freed(1)
	}
	return b
}

// abandon cancels what has entered and nobody has claimed, for Stop.
func (l *light) abandon(e *Executor) {
	for b := l.take(nil); b != nil; b = l.take(nil) {
		for _, t := range b.tasks[:b.n] {
			e.cancelLight(t.group)
		}
	}
	for i := range e.shelves {
		for t := (Task{}); e.shelves[i].steal(&t); {
			e.cancelLight(t.group)
		}
	}
}

// cancelLight is the end of a light task of g that Stop has kept from running.
func (e *Executor) cancelLight(g *Group) {
	e.outside.cancelledQueued.Add(1)
	g.fail(ErrStopped)
	g.finish(1)
}
