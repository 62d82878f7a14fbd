package executor

import (
	"maps"
	"slices"

	"github.com/exactlyonce/certify/queues"
)

// Block calls wait, which may block on anything, without holding up other
// tasks: a stand-in takes the worker's place. It is for channels, locks that
// another task holds, files and sockets; Handle.Wait does the same by itself.
// It starts a goroutine, so it is not for waits that are short. Only the task
// that w was given to may call it. Afterwards w.Index is -1.
func (w *Worker) Block(wait func()) {
	w.standIn()
	wait()
}

// standIn gives w's place, with its deque and its number, to a new worker, so
// that as many tasks run as before while the running one waits. The task keeps
// w, which has no place any more: its number is -1, what it spawns goes to the
// injector, and it ends with the task. For that time one task more than there
// are workers may run; waiting for the place instead could be waiting for a
// task that waits for this one.
func (w *Worker) standIn() {
	if w.deque == nil {
		return // somebody stands in already
	}
	w.settle()
	w.giveBack()
	w.publishAll()
	e := w.exec
	s := &Worker{exec: e, index: w.index, deque: w.deque, many: w.many, steal: w.steal, shelf: w.shelf, rng: w.rng, batch: w.batch}
	s.parker.init()
	e.alive.Add(1)
	e.sleep.away.Add(1)
	e.mu.Lock()
	e.workers[w.index] = s
	e.away[w] = true
	e.mu.Unlock()
	w.index, w.deque, w.many, w.steal, w.shelf = -1, nil, nil, nil, nil
	go s.main()
}

// comeBack is the end of a worker whose place was given away.
func (e *Executor) comeBack(w *Worker) {
	w.settle()
	w.giveBack()
	e.mu.Lock()
	delete(e.away, w)
	e.gone.add(&w.n)
	e.mu.Unlock()
	e.sleep.away.Add(-1)
	if e.sleep.word.Load()&draining != 0 {
		e.sleep.wakeOne() // to see whether it is time to leave
	}
}

// roster is all workers, those without a place included. mu is held.
func (e *Executor) roster() []*Worker {
	return slices.AppendSeq(slices.Clone(e.workers), maps.Keys(e.away))
}

// deques returns every worker's deque.
func (e *Executor) deques() (all []queues.Deque[*Task]) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, w := range e.workers {
		all = append(all, w.deque)
	}
	return all
}
