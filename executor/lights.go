package executor

// lights is a worker's side of light tasks. It is plain memory of the worker.
type lights struct {
	running *Group // of the light task that runs; nil while none does

	// group is the one that the balance is of, nil when all is settled: how many of its
	// tasks have ended here that it was not told of. There are such only while another
	// of them runs here, and a spawn takes the place of one.
	// Invariant: group.pending = its tasks that have not ended + all balances of it
	group   *Group
	balance int

	completed, spawned uint64 // not in the counters yet
	free               []*Task
}

func (l *lights) unsettled() bool { return l.group != nil }

// Go gives fn to the worker's own deque from inside a task, to be called with arg. It
// is never refused: when there is no room it runs fn before it returns. What does not
// fit Go's contract has a handle: see [Spawn].
//
// The worker does the first task that it queues itself, as soon as the running one
// ends, and wakes nobody for it: a chain of tasks stays where it is. A task that goes
// on for long after it has queued just one should wait in [Worker.Block].
func (w *Worker) Go(fn Func, arg any) { w.exec.light.alone.Spawn(w, fn, arg) }

// spawnLight is the common way of all spawns of light tasks.
func (w *Worker) spawnLight(g *Group, fn Func, arg any) {
	l := &w.lights
	t := l.take(w)
	if t == nil {
		w.lightInPlace(g, fn, arg)
		return
	}
	if l.group != g {
		w.settle()
		l.group = g
	}
	if l.balance > 0 {
		l.balance--
	} else {
		g.expect(1)
	}
	l.spawned++
	t.fn, t.arg, t.group = fn, arg, g
	d := w.deque
	if d == nil || !d.Push(t) {
		w.giveElsewhere(t)
		w.wakePeer()
	} else if d.Len() > 1 {
		w.wakePeer()
	}
}

// take is a free Task, or nil.
func (l *lights) take(w *Worker) *Task {
	n := len(l.free)
	if n == 0 {
		if n = w.exec.light.refill(l); n == 0 {
			return nil
		}
	}
	t := l.free[n-1]
	l.free = l.free[:n-1]
	return t
}

// refill gives a worker some Tasks, and returns how many.
func (p *light) refill(l *lights) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(l.free) < p.keep {
		t := p.take()
		if t == nil {
			break
		}
		l.free = append(l.free, t)
	}
	return len(l.free)
}

// recycle takes back the Task of a light task that is about to run.
func (w *Worker) recycle(t *Task) {
	*t = Task{}
	l := &w.lights
	l.free = append(l.free, t)
	if keep := w.exec.light.keep; len(l.free) >= 2*keep {
		w.exec.light.put(l.free[keep:], false)
		l.free = l.free[:keep]
	}
}

// giveBackRoom gives all Tasks back that the worker keeps.
func (w *Worker) giveBackRoom() {
	if l := &w.lights; len(l.free) > 0 {
		w.exec.light.put(l.free, true)
		l.free = l.free[:0]
	}
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
		w.exec.outside.cancelledQueued.Add(1)
		g.fail(ErrStopped)
		g.finish(1)
		return
	}
	l.running = g
	fn(w, arg)
	l.running = nil
	l.completed++
	w.endOf(g)
}

// endOf counts the end of a task of g.
func (w *Worker) endOf(g *Group) {
	l := &w.lights
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
		w.exec.outside.cancelledQueued.Add(1)
		g.fail(ErrStopped)
		g.finish(1)
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
	if l.completed > 0 {
		w.n.completed.Add(l.completed)
		l.completed = 0
	}
	if l.spawned > 0 {
		w.n.spawned.Add(l.spawned)
		l.spawned = 0
	}
	g, balance := l.group, l.balance
	l.group, l.balance = nil, 0
	if g != nil {
		g.finish(balance)
	}
}
