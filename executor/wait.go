package executor

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"

	"github.com/exactlyonce/certify/executor/lifecycle"
)

// A task that waits for another one must not hold up what it waits for, with
// any number of workers. So it first tries to run it itself, wherever it is
// queued: it claims the task's word and leaves the queue alone. When somebody
// else runs it already, the waiter gives its place to a stand-in and sleeps
// (see standin.go). It runs nothing but the very task that it waits for, so a
// lock that it holds meanwhile cannot meet itself.
//
// A task that its waiter runs is still in a queue. Its room is given back by
// whichever of the two is later: the end of the run, or whoever takes it from
// the queue.

// await waits as the task that w runs.
func (w *Worker) await(ctx context.Context, h *head) error {
	e := w.exec
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.now != nil { // nobody can wait for a task without a handle
		if err := e.waits.begin(w.now, h); err != nil {
			return err
		}
		defer e.waits.end(w.now)
	}
	if !h.polled && h.task.word.Claim(h.gen) {
		w.help(h)
		return nil
	}
	w.standIn()
	return h.block(ctx)
}

// help runs a task that its waiter, the running task, has claimed.
func (w *Worker) help(h *head) {
	h.helped = true
	w.n.helped.Add(1)
	w.apart(func() {
		w.now = h
		w.end(h, w.call(h))
	})
	w.n.helpedEnded.Add(1)
}

// endHelped resolves the handle of a task that its waiter has run. Its slot
// may still be in a queue.
func (h *head) endHelped(t *slot, g lifecycle.Gen) {
	h.over.Store(true) // publishes the outcome; pairs with ended
	t.wake(g)
	t.leaveOne(g)
}

// leaveOne is called by both who have a helped task, and frees it for the
// second, when it has ended and is in no queue.
func (t *slot) leaveOne(g lifecycle.Gen) {
	if t.left.Add(1) < 2 {
		return
	}
	_, s := t.word.Load()
	t.left.Store(0)
	t.exec.free(t, g, s)
}

// discard is for who took a task from a queue and could not claim it: it was
// cancelled there, or its waiter runs it or has.
func (t *slot) discard(h *head) {
	g := h.gen
	_, s := t.word.Load()
	if s == lifecycle.Cancelled {
		h.awaitSettled()
		if h.cancelled.Load().queued {
			h.outcome = lifecycle.Cancelled
			t.exec.retire(h, t, s)
			return
		}
	}
	t.leaveOne(g)
}

// waits knows which task waits for which.
type waits struct {
	mu   sync.Mutex
	next map[*head]*head // guarded by mu; from a waiting task to the one it waits for
}

// CycleError is what a task gets that would wait for itself, be it through
// others that wait.
type CycleError struct {
	// Tasks are the functions of the tasks in the cycle: the first waits for
	// the second, the last for the first.
	Tasks []string
}

func (e *CycleError) Error() string {
	return "tasks wait in a cycle: " + strings.Join(append(e.Tasks, e.Tasks[0]), " waits for ")
}

// begin notes that task waits for other, or returns a *CycleError.
func (w *waits) begin(task, other *head) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for h := other; h != nil; h = w.next[h] {
		if h == task {
			return w.cycle(task, other)
		}
	}
	if w.next == nil {
		w.next = map[*head]*head{}
	}
	w.next[task] = other
	return nil
}

// cycle names the tasks from task round to it. All of them are in the call of
// their function, and those but task do not leave it while mu is held.
func (w *waits) cycle(task, other *head) error {
	names := []string{task.self.name()}
	for h := other; h != task; h = w.next[h] {
		names = append(names, h.self.name())
	}
	return &CycleError{names}
}

func (w *waits) end(task *head) {
	w.mu.Lock()
	delete(w.next, task)
	w.mu.Unlock()
}

// functionName is a function's name and the line it begins at.
func functionName(fn any) string {
	f := runtime.FuncForPC(reflect.ValueOf(fn).Pointer())
	if f == nil {
		return "a task"
	}
	file, line := f.FileLine(f.Entry())
	return fmt.Sprintf("%s (%s:%d)", f.Name(), file[strings.LastIndexByte(file, '/')+1:], line)
}
