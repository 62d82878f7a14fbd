package executor

import (
	"fmt"
	"sync"
	"time"
)

// A light task has no handle: nobody can cancel it or ask for its result, and what
// it costs is a call. Its Task is taken from a pool and goes back to it before the
// body runs. Who spawns and who runs is mostly the same few workers, so each keeps
// some Tasks of its own, and counts for itself, in plain memory; both are settled
// when it has nothing near to do, turns to another group, or gives its place away.

// light is the pool of the Tasks of light tasks, and how such enter from outside.
type light struct {
	limit  int    // Tasks at most: the capacity, and what workers may keep for themselves
	keep   int    // what a worker gets and gives back at once
	enough int    // free Tasks for which submitters that wait are woken
	alone  *Group // of the tasks without a group

	_  [128]byte // what is above is read by all
	mu sync.Mutex
	// The rest is guarded by mu.
	free      []*Task
	made      int // Invariant: made <= limit
	closed    bool
	submitted uint64
	changed   chan struct{} // closed when there is room for those who wait; nil if none do
	batch     []*Task       // of enterMany
}

// lightKeep is how many Tasks a worker moves at once between itself and the pool: the
// lock costs each a hundredth then.
const lightKeep = 64

func (l *light) init(e *Executor) {
	capacity, workers := e.cfg.Capacity, e.cfg.Workers
	l.keep = max(1, min(lightKeep, capacity/workers))
	l.limit = capacity + 2*l.keep*workers // so that as many as the capacity are never kept
	l.enough = max(1, min(capacity/4, 1024))
	l.alone = &Group{exec: e, alone: true}
	l.alone.cond.L = &l.alone.mu
}

// take is a free Task, or nil. mu is held.
func (l *light) take() *Task {
	n := len(l.free)
	if n == 0 {
		if n = l.make(); n == 0 {
			return nil
		}
	}
	t := l.free[n-1]
	l.free[n-1] = nil
	l.free = l.free[:n-1]
	return t
}

// make makes a few more Tasks, and returns how many. mu is held.
func (l *light) make() int {
	n := min(lightKeep, l.limit-l.made)
	fresh := make([]Task, n)
	for i := range fresh {
		l.free = append(l.free, &fresh[i])
	}
	l.made += n
	return n
}

// put gives Tasks back. Submitters that wait are woken once there is room for many,
// since each wake costs as much as some hundred tasks; or at once, if the giver has
// nothing to do. Whoever waits looks by itself too: see wait.
func (l *light) put(ts []*Task, atOnce bool) {
	l.mu.Lock()
	l.free = append(l.free, ts...)
	if l.changed != nil && (atOnce || len(l.free) >= l.enough) {
		close(l.changed)
		l.changed = nil
	}
	l.mu.Unlock()
}

// close refuses what comes from outside from now on. What came before is in the
// injector when it returns.
func (l *light) close() {
	l.mu.Lock()
	l.closed = true
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
	l.mu.Unlock()
}

// lookAgain is how long a submitter sleeps at most while there is some room, but too
// little for a wake.
const lookAgain = time.Millisecond

// wait returns when there may be room.
func (l *light) wait() {
	l.mu.Lock()
	if l.closed || len(l.free) > 0 || l.made < l.limit {
		l.mu.Unlock()
		return
	}
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	changed := l.changed
	l.mu.Unlock()
	again := time.NewTimer(lookAgain)
	defer again.Stop()
	select {
	case <-changed:
	case <-again.C:
	}
}

// Go gives fn to the executor from outside, to be called with arg. While as many
// tasks as Config.Capacity are queued it waits; inside a task use [Worker.Go], which
// does not. Refused means that fn will never run, with an error that is ErrShutdown
// or ErrNilTask.
//
// The task has no handle. A panic or Goexit of it goes to Config.Unhandled.
func (e *Executor) Go(fn Func, arg any) error { return e.light.alone.Go(fn, arg) }

// TryGo is Go that returns ErrSaturated instead of waiting.
func (e *Executor) TryGo(fn Func, arg any) error { return e.light.alone.TryGo(fn, arg) }

// enter queues tasks, one for each of args in order, and returns for how many there
// was room.
func (l *light) enter(g *Group, fn Func, args []any) (n int, err error) {
	e := g.exec
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return 0, ErrShutdown
	}
	if len(args) == 1 {
		n = l.enterOne(g, fn, args[0])
	} else {
		n = l.enterMany(g, fn, args)
	}
	l.submitted += uint64(n)
	l.mu.Unlock()
	if n == 0 {
		return 0, ErrSaturated
	}
	if e.sleep.notify() {
		e.outside.wakes.Add(1)
	}
	return n, nil
}

func (l *light) enterOne(g *Group, fn Func, arg any) int {
	t := l.take()
	if t == nil {
		return 0
	}
	t.fn, t.arg, t.group = fn, arg, g
	g.expect(1)
	if !g.exec.intake.normal.Push(t) {
		l.refused(g, []*Task{t})
		return 0
	}
	return 1
}

func (l *light) enterMany(g *Group, fn Func, args []any) int {
	ts := l.batch[:0]
	for _, arg := range args[:min(len(args), enterMax)] {
		t := l.take()
		if t == nil {
			break
		}
		t.fn, t.arg, t.group = fn, arg, g
		ts = append(ts, t)
	}
	g.expect(len(ts))
	n := g.exec.intake.normal.PushAll(ts)
	l.refused(g, ts[n:])
	clear(ts)
	l.batch = ts[:0]
	return n
}

// enterMax bounds what is queued under one lock.
const enterMax = 1024

// refused takes back what a bounded injector had no room for. mu is held.
func (l *light) refused(g *Group, ts []*Task) {
	for _, t := range ts {
		*t = Task{}
	}
	l.free = append(l.free, ts...)
	g.finish(len(ts))
}

// submit queues tasks, waiting for room.
func (l *light) submit(g *Group, fn Func, args []any) (n int, err error) {
	if fn == nil {
		return 0, fmt.Errorf("executor: go: %w", ErrNilTask)
	}
	for n < len(args) {
		entered, err := l.enter(g, fn, args[n:])
		n += entered
		switch err {
		case nil:
		case ErrSaturated:
			l.wait()
		default:
			return n, fmt.Errorf("executor: go: %w", err)
		}
	}
	return n, nil
}

// cancelLight ends a light task that Stop has taken from its queue.
func (e *Executor) cancelLight(t *Task) {
	g := t.group
	*t = Task{}
	e.light.put([]*Task{t}, false)
	e.outside.cancelledQueued.Add(1)
	g.fail(ErrStopped)
	g.finish(1)
}
