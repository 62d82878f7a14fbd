package executor

import "slices"

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

	free  []*Task        // at most twice pool.keep
	hand  Task           // the one that is taken in to be run at once
	taken [batchMax]Task // by takeIn, in its call
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

// takeIn takes light tasks in that came from outside: one to run now, and with it the
// worker's share of those behind it, for which there are Tasks.
func (w *Worker) takeIn() *Task {
	in, l := &w.exec.light, &w.lights
	if !in.some.Load() {
		return nil // and no lock for the Tasks
	}
	if len(l.free) == 0 {
		l.free = in.pool.refill(l.free)
	}
	n := in.take(l.taken[:min(w.batch, 1+len(l.free))], len(w.steal))
	if n == 0 {
		return nil
	}
	w.n.injected.Add(uint64(n))
	for i, t := range l.taken[1:n] { // all are in the hands of the worker alone
		w.loot[i] = l.free[len(l.free)-1]
		l.free = l.free[:len(l.free)-1]
		*w.loot[i] = t
	}
	l.hand = l.taken[0]
	clear(l.taken[:n])
	if n > 1 {
		slices.Reverse(w.loot[:n-1])
		w.giveAll(w.loot[:n-1])
		w.wakePeer() // who looked meanwhile saw them in no queue
	}
	return &l.hand
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
