package executor

import (
	"context"
	"math/rand/v2"
	"runtime/debug"
	"sync/atomic"

	"github.com/exactlyonce/certify/executor/lifecycle"
	"github.com/exactlyonce/certify/queues"
)

// Worker is what a task receives: the identity of the worker that runs it. It
// is valid only on the goroutine of that call and until the call returns.
//
// Everything but looked and n belongs to the goroutine that runs the
// worker, of which there is one at a time. It changes when a task ends it by
// Goexit (the next starts when the last does nothing more) and while a task
// runs apart (the outer one waits). A task that waits may give index, deque, steal
// and shelf to another worker, and then has none (standin.go).
type Worker struct {
	exec   *Executor
	index  int
	deque  queues.Deque[*Task]
	many   queues.BatchPusher[*Task] // deque, if it can
	steal  []queues.Stealer[*Task]   // by worker index; own place unused
	shelf  *shelf                    // of the place
	rng    rand.PCG
	parker parker
	// looked: found every queue empty since it announced its sleep. Written by
	// the worker, before it loads the sleep word, and read by who decides that
	// all leave: of two workers that finish looking, the later sees both.
	looked     atomic.Bool
	lightFirst bool   // the last visit to what came from outside began with light tasks
	oldest     bool   // the last such find began in the own deque
	ticks      uint32 // finds; every oldTick-th begins with what waits long
	visits     uint8  // to the injectors while there are several
	place      place  // where the slab had a free slot last
	now        *head  // the task that runs, if it has a handle
	lights     lights // tasks that have none

	// branches are those that wait for their callers, which are under way, oldest
	// first. The first published of them are in the deque, or were stolen.
	branches  []*branching
	published int
	loot      [batchMax]*Task
	batch     int // how much of loot a visit may fill: 1 where the deque may refuse the rest

	_ [120]byte // thieves and Stats read n, the fields above are the worker's
	n counters
}

func newWorker(e *Executor, index int) *Worker {
	e.shelves[index].emptied()
	w := &Worker{exec: e, index: index, shelf: &e.shelves[index], deque: e.cfg.Deque.Deque(e.cfg.options(e.cfg.Deque))}
	w.many, _ = w.deque.(queues.BatchPusher[*Task])
	w.rng.Seed(e.cfg.Seed, uint64(index)+1)
	w.batch = batchMax
	if e.cfg.Deque.Promises.Bounded {
		w.batch = 1
	}
	w.parker.init()
	return w
}

// Index is the worker's number, from 0 to Workers-1, or -1 for the rest of a
// task that has waited for another one: its number is its stand-in's.
func (w *Worker) Index() int { return w.index }

// Executor is the executor that runs the task.
func (w *Worker) Executor() *Executor { return w.exec }

// Context is the running task's context. It ends when the task is cancelled,
// with the cause, when the executor is stopped, with ErrStopped, and when the
// task has returned; that of a task without a handle, when the executor ends.
func (w *Worker) Context() context.Context {
	if w.now == nil {
		return w.exec.ctx
	}
	return w.now.context(w.exec.ctx)
}

// main runs the worker until the executor is drained. A task that calls
// Goexit takes the goroutine with it; another carries on.
func (w *Worker) main() {
	left, id := false, w.exec.runners.enter(w)
	defer func() {
		w.exec.runners.leave(id)
		if w.deque == nil {
			w.exec.comeBack(w)
		} else if !left {
			go w.main()
			return
		}
		w.exec.workerLeft()
	}()
	w.n.busy.Store(1)
	for !w.serve() {
	}
	left = true
}

// serve runs tasks until there are no more, or until one panics: the guard is
// around the loop, not around each task.
func (w *Worker) serve() (left bool) {
	defer w.isolate()
	for w.deque != nil { // else its place is another's
		t := w.next()
		if t == nil {
			break
		}
		if len(w.branches) > 0 { // of a task that has panicked, and be it recovered
			w.forget(0)
		}
		w.run(t)
	}
	return true
}

// isolate is deferred around running tasks. A task that is still there when
// its goroutine unwinds has panicked or called Goexit; with none there the
// fault is not a task's and goes on.
func (w *Worker) isolate() {
	h, g := w.now, w.lights.running
	if h == nil && g == nil {
		return
	}
	err := ErrGoexit
	if value := recover(); value != nil {
		w.n.panics.Add(1)
		err = panicError(value)
	} else {
		w.n.goexits.Add(1)
	}
	if h != nil {
		w.end(h, err)
	} else {
		w.endLight(g, err)
	}
}

// panicError is what a task that panicked ends with. A panic that a fork has brought
// along is known already.
func panicError(value any) error {
	if p, ok := value.(*PanicError); ok {
		return p
	}
	return &PanicError{Value: value, Stack: debug.Stack()}
}

// run runs a task that the worker took from a queue.
func (w *Worker) run(t *Task) {
	if fn := t.fn; fn != nil {
		w.runLight(t, fn)
		return
	}
	if w.lights.unsettled() {
		w.settle()
	}
	if x, ok := t.arg.(*slot); ok {
		w.runSlot(x)
	} else {
		t.arg.(stolen).runStolen(w)
	}
}

// runSlot runs a task with a handle.
func (w *Worker) runSlot(t *slot) {
	h := t.unbind()
	if !t.word.Claim(h.gen) {
		t.discard(h)
		return
	}
	w.now = h
	w.end(h, w.call(h))
}

// call runs a claimed task's function, but not after a Stop. What was claimed
// before, Stop does not cancel.
func (w *Worker) call(h *head) error {
	if w.exec.stopped.Load() {
		h.Cancel(ErrStopped)
		return ErrCancelled
	}
	return h.self.call(w)
}

// end is the end of the running task, however it ended. The counters are
// right before anybody learns of the end, which is when its room is free.
func (w *Worker) end(h *head, err error) {
	if w.lights.unsettled() { // what it has spawned
		w.settle()
	}
	if err == errPending {
		w.pend(h)
		return
	}
	w.now = nil
	t, gen, outcome := h.task, h.gen, lifecycle.Completed
	if err != nil {
		outcome, h.err = lifecycle.Failed, err
	}
	if t != nil && !t.word.Finish(gen, outcome) {
		h.awaitSettled()
		outcome = lifecycle.Cancelled
	}
	h.outcome = outcome
	if h.asked {
		h.endContext()
	}
	if outcome == lifecycle.Completed {
		w.n.completed.Add(1)
	} else {
		h.self.drop()
		w.n.endedBadly(outcome)
	}
	switch {
	case t == nil: // it ran in place, and nobody has its handle yet
	case h.helped:
		h.endHelped(t, gen)
	case h.polled:
		w.exec.retire(h, t, outcome)
	default:
		w.exec.free(t, gen, outcome) // h may be in use again
	}
}

// inPlace runs a task that no slot was free for, now and before the spawner
// goes on.
func (w *Worker) inPlace(h *head) {
	w.n.inPlace.Add(1)
	w.apart(func() {
		w.now = h
		w.end(h, h.self.call(w))
	})
	w.n.inPlaceEnded.Add(1)
}

// apart runs tasks on a goroutine of their own, which takes the worker over
// while the caller waits, so that a Goexit does not unwind the caller too.
func (w *Worker) apart(run func()) {
	outer, light, owed, branches := w.now, w.lights.running, w.lights.owed, len(w.branches)
	w.now, w.lights.running, w.lights.owed = nil, nil, 0
	over := newWaitpoint(0)
	go func() {
		defer over.pass()
		defer w.exec.runners.leave(w.exec.runners.enter(w))
		defer w.isolate()
		run()
	}()
	_ = over.wait(context.Background())
	w.now, w.lights.running, w.lights.owed = outer, light, owed
	w.forget(branches)
}

// spawn gives a task its slot and queues it.
func (w *Worker) spawn(h *head) {
	if t := w.exec.slots().take(&w.place, h); t != nil {
		w.push(&t.Task)
	} else if w.exec.stopped.Load() {
		w.cancelInPlace(h)
	} else {
		w.inPlace(h)
	}
}

// cancelInPlace ends a task that would have to run in place after a Stop.
func (w *Worker) cancelInPlace(h *head) {
	w.n.inPlace.Add(1)
	h.self.drop()
	h.cancelled.Store(&cancellation{cause: ErrStopped})
	h.outcome = lifecycle.Cancelled
	w.exec.outside.cancelledQueued.Add(1)
	w.n.inPlaceEnded.Add(1)
}

// push gives a task of the running task's to the own deque, where the owner
// takes it next and thieves take it oldest first.
func (w *Worker) push(t *Task) {
	w.n.spawned.Add(1)
	w.give(t)
	w.wakePeer()
}

// give queues a task that has been counted.
func (w *Worker) give(t *Task) {
	if d := w.deque; d == nil || !d.Push(t) {
		w.giveElsewhere(t)
	}
}

// giveElsewhere is for what the deque refused: it goes to the injector, and
// what that refuses is run at once.
func (w *Worker) giveElsewhere(t *Task) {
	switch {
	case w.exec.intake.push(t, t.priority()):
	case t.polled():
		w.exec.intake.overflow.push(t)
	default:
		w.apart(func() { w.run(t) })
	}
}

// giveAll is give for many, and clears ts. Thieves see a batch in one step
// where the deque can do that, which costs less on both sides.
func (w *Worker) giveAll(ts []*Task) {
	n := 0
	if w.many != nil {
		n = w.many.PushAll(ts)
	}
	var refused []*Task // ts is w.loot, which whatever runs now may use
	for _, t := range ts[n:] {
		if w.deque == nil || !w.deque.Push(t) {
			refused = append(refused, t)
		}
	}
	clear(ts)
	for _, t := range refused {
		w.giveElsewhere(t)
	}
}

// wakePeer is the publisher's side of the protocol in sleep.go. It is never w
// itself that sleeps.
func (w *Worker) wakePeer() {
	if w.exec.sleep.notify() {
		w.n.wakes.Add(1)
	}
}
