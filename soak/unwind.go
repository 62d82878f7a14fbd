package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"

	"github.com/exactlyonce/certify/reports/record"
)

// panics: some tasks panic, alone and under a parent that waits for them.
func (t *trial) panics() {
	t.unwinds(func(id int) { panic(fmt.Sprintf("task %d panics", id)) }, func(id int, err error) bool {
		return strings.Contains(err.Error(), fmt.Sprintf("task %d panics", id))
	})
}

// goexits: some tasks call runtime.Goexit.
func (t *trial) goexits() {
	t.unwinds(func(int) { runtime.Goexit() }, func(int, error) bool { return true })
}

// unwinds: of the tasks of a batch some unwind their goroutine, by themselves or
// below a parent. Each is an outcome of that task alone, and afterwards every
// worker is still there: they all must meet.
func (t *trial) unwinds(unwind func(id int), says func(id int, err error) bool) {
	ledger := NewLedger(t.spec.Tasks)
	rng := rand.New(rand.NewPCG(t.spec.Seed, 0))
	unwound := 0
	_, nests := t.submitter().(Tasks)
	t.batches(func(base, n int) {
		tasks := make([]Task, n)
		bad := make([]bool, n)
		for i := range tasks {
			id := base + i
			bad[i] = rng.IntN(3) == 0
			body := func(Inside) (int, error) {
				t.mark(ledger, id)
				if bad[i] {
					unwind(id)
				}
				return id, nil
			}
			if rng.IntN(2) == 0 && nests { // below a parent, whose outcome it is then
				child := body
				body = func(in Inside) (int, error) { return in.Spawn(child).Wait(context.Background()) }
			}
			tasks[i] = t.submit(id, body)
		}
		for i, task := range tasks {
			e, id := waitFor(task), base+i
			switch {
			case bad[i]:
				unwound++
				if e.err == nil || !says(id, e.err) {
					t.found.add(record.Contract, "task %d unwound its goroutine, and its handle returned %d, %v", id, e.value, e.err)
				}
			case e.err != nil || e.value != id:
				t.found.add(record.Contract, "the handle of task %d returned %d, %v", id, e.value, e.err)
			}
		}
		t.meetAll(base)
		t.checkQuiet(base)
	})
	t.accountFor(ledger)
	t.value("unwound", float64(unwound))
}

// submit submits a task that must be accepted.
func (t *trial) submit(id int, body Body) Task {
	task, err := t.submitter().Submit(context.Background(), body)
	if err != nil {
		t.found.add(record.Contract, "submit of task %d: %v", id, err)
		return noTask{}
	}
	return task
}

// meetAll submits a task a worker, and each waits for all others: a worker that
// is gone is a stall.
func (t *trial) meetAll(base int) {
	meet := newMeeting(atOnce(t.submitter()))
	tasks := make([]Task, meet.size)
	for i := range tasks {
		tasks[i] = t.submit(base, func(Inside) (int, error) { meet.arrive(); return 0, nil })
	}
	for _, task := range tasks {
		waitFor(task)
	}
}
