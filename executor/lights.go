package executor

// lights is a worker's side of light tasks. It is plain memory of the worker.
type lights struct {
	running *Group // of the light task that runs; nil while none does

	// group is the one that the balance is of, nil when all is settled: how many of its
	// tasks have ended here that it was not told of. There are such only while another
	// of them runs here, and a spawn takes the place of one.
	// Invariant: group.pending = its tasks that have not ended + all balances of it
	// + advance - owed of everybody who owes it
	group   *Group
	balance int64
	// owed is how many tasks the running one has spawned into its own group that this
	// was not told of. It has got the advance instead, so that it cannot seem to be
	// over; and it is not before the running one has ended.
	owed int64

	completed, spawned uint64 // not in the counters yet

	free  []*Task // at most twice pool.keep
	spent *batch  // to be given back
	ahead bool    // of who submits: the last batch was thin, and there was no sleep since
	hand  Task    // the one that was claimed from a shelf, to be run at once
}

func (l *lights) unsettled() bool { return l.group != nil }

// Go gives fn to the worker's own deque from inside a task, to be called with arg. It
// is never refused: when there is no room it runs fn before it returns.
//
// The worker does the first task that it queues itself, as soon as the running one
// ends, and wakes nobody for it: a chain of tasks stays where it is. A task that goes
// on for long after it has queued just one should wait in [Worker.Block].
func (w *Worker) Go(fn Func, arg any) { w.exec.light.alone.Spawn(w, fn, arg) }

// spawnLight is the common way of all spawns of light tasks.
func (w *Worker) spawnLight(g *Group, fn Func, arg any) {
	l := &w.lights
	t := w.freeTask()
	if t == nil {
		w.lightInPlace(g, fn, arg)
		return
	}
	if l.group != g {
		w.settle()
		l.group = g
	}
	l.spawned++
	switch {
	case l.balance > 0:
		l.balance--
	case g.alone:
	case l.running != g:
		w.countSpawned() // g may be over before the running task is
		g.expect(1)
	default:
		if l.owed++; l.owed == 1 {
			g.pending.Add(advance)
		}
	}
	t.fn, t.arg, t.group = fn, arg, g
	d := w.deque
	if d == nil || !d.Push(t) {
		w.giveElsewhere(t)
		w.wakePeer()
	} else if d.Len() > 1 {
		w.wakePeer()
	}
}

// advance is more than there can be tasks.
const advance = 1 << 40

// payUp tells the running task's group of what it has spawned, before its end counts.
func (w *Worker) payUp(g *Group) {
	if l := &w.lights; l.owed > 0 {
		w.countSpawned()
		g.pending.Add(l.owed - advance)
		l.owed = 0
	}
}

// countSpawned is before anybody can learn that what was spawned has ended.
func (w *Worker) countSpawned() {
	if l := &w.lights; l.spawned > 0 {
		w.n.spawned.Add(l.spawned)
		l.spawned = 0
	}
}

// freeTask is a free Task, or nil.
func (w *Worker) freeTask() *Task {
	l := &w.lights
	n := len(l.free)
	if n == 0 {
		l.free = w.exec.light.pool.refill(l.free)
		if n = len(l.free); n == 0 {
			return nil
		}
	}
	t := l.free[n-1]
	l.free = l.free[:n-1]
	return t
}

// recycle takes back the Task of a light task that is about to run.
func (w *Worker) recycle(t *Task) {
	*t = Task{}
	l := &w.lights
	if t == &l.hand {
		return
	}
	l.free = append(l.free, t)
	if keep := w.exec.light.pool.keep; len(l.free) >= 2*keep {
		w.exec.light.pool.put(l.free[keep:])
		l.free = l.free[:keep]
	}
}

// giveBack gives all Tasks back that the worker keeps.
func (w *Worker) giveBack() {
	if l := &w.lights; len(l.free) > 0 {
		w.exec.light.pool.put(l.free)
		l.free = l.free[:0]
	}
}

// takeIn claims a light task that came from outside, of a batch that it takes to the
// shelf, when that is empty.
func (w *Worker) takeIn() *Task {
	t, s := &w.lights.hand, w.shelf
	if s.take(t) {
		return t
	}
	if w.lights.ahead && w.exec.light.some.Load() {
		for range aMicrosecond { // more may enter
		}
	}
	b := w.exec.light.take(w.lights.spent)
	if b == nil {
		return nil
	}
	n := b.n
	w.lights.spent, w.lights.ahead = b, n < thin && w.exec.spins > 1
	w.n.injected.Add(uint64(n))
	s.fill(b)
	if !s.take(t) {
		return nil // thieves were faster
	}
	if n > 1 {
		w.wakePeer() // who looked meanwhile saw them nowhere
	}
	return t
}

// A worker that is faster than who submits waits a little before it takes the lock again
// for a few tasks: it would mostly hold up the submitters.
const (
	thin         = (batchMax - 1) / 2
	aMicrosecond = 3000 // rounds of an empty loop, or half of one, or two
)

// takeFrom claims a light task from another's shelf.
func (w *Worker) takeFrom(victim int) *Task {
	t := &w.lights.hand
	if !w.exec.shelves[victim].steal(t) {
		return nil
	}
	w.n.steals.Add(1)
	w.n.stolen.Add(1)
	return t
}

// runLight runs a light task. Its panic unwinds the loop: see isolate.
func (w *Worker) runLight(t *Task, fn Func) {
	arg, g := t.arg, t.group
	l := &w.lights
	if l.group != g && l.group != nil {
		w.settle() // the others' ends shall not wait for this one's
	}
	w.recycle(t)
	if w.exec.stopped.Load() {
		w.exec.cancelLight(g)
		return
	}
	l.running = g // as in lightInPlace: a call in common costs a chain 4 %
	fn(w, arg)
	l.running = nil
	l.completed++
	w.endOf(g)
}

// endOf counts the end of a task of g.
func (w *Worker) endOf(g *Group) {
	l := &w.lights
	w.payUp(g)
	if l.group != g {
		w.settle()
		l.group = g
	}
	l.balance++
}

// endLight is the end of a light task that panicked or called Goexit.
func (w *Worker) endLight(g *Group, err error) {
	w.lights.running = nil
	w.n.failed.Add(1)
	g.fail(err)
	w.endOf(g)
}

// lightInPlace runs a light task for which there is no room, before its spawner goes
// on.
func (w *Worker) lightInPlace(g *Group, fn Func, arg any) {
	w.n.inPlace.Add(1)
	g.expect(1)
	if w.exec.stopped.Load() {
		w.exec.cancelLight(g)
	} else {
		w.apart(func() {
			w.lights.running = g
			fn(w, arg)
			w.lights.running = nil
			w.lights.completed++
			w.endOf(g)
		})
	}
	w.n.inPlaceEnded.Add(1)
}

// settle tells the counters and the group what the worker has kept for itself: the
// counters first, for they are right before anybody learns of an end.
func (w *Worker) settle() {
	l := &w.lights
	w.countSpawned()
	if l.completed > 0 {
		w.n.completed.Add(l.completed)
		l.completed = 0
	}
	g, balance := l.group, l.balance
	l.group, l.balance = nil, 0
	if g != nil {
		g.finish(balance)
	}
}
