package soak

import (
	"context"
	"errors"
	"runtime"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/reports/record"
)

// tight is the capacity of every other executor of lightTasks: so small that
// submitters wait and spawns run in place.
const tight = 8

// lightTasks: tasks without handles, from outside one by one and in batches, and from
// inside in trees, some of which panic or call Goexit; with much room and little.
// Their group's wait sees all of them, and how some of them ended.
func (t *trial) lightTasks() {
	ledger := NewLedger(t.spec.Tasks)
	subjects := []Subject{t.subject, t.another(Options{Workers: t.spec.Workers, Capacity: tight})}
	batch, inPlace := 0, uint64(0)
	t.batches(func(base, n int) {
		s := subjects[batch%len(subjects)]
		batch++
		t.use(s)
		round := lightRound{t, ledger, executor.NewGroup(s.(native).Native())}
		round.give(base, base+n)
		t.checkQuiet(base)
	})
	for _, s := range subjects {
		inPlace += s.(native).Native().Stats().InPlace
	}
	t.value("in-place", float64(inPlace))
	if s := subjects[1]; s != t.subject { // else it could not be made
		t.use(t.subject)
		if err := s.Close(); err != nil {
			t.found.add(record.Contract, "close: %v", err)
		}
		t.retire(s)
	}
	t.accountFor(ledger)
}

type lightRound struct {
	*trial
	ledger *Ledger
	group  *executor.Group
}

// give gives the tasks from base to before end, a third in each way, and waits.
func (r lightRound) give(base, end int) {
	one, two := base+(end-base)/3, base+2*(end-base)/3
	for id := base; id < one; id++ {
		if err := r.group.Go(r.body, id); err != nil {
			r.found.add(record.Contract, "go of task %d: %v", id, err)
		}
	}
	var ids []any
	for id := one; id < two; id++ {
		ids = append(ids, id)
	}
	if n, err := r.group.GoAll(r.body, ids); n != len(ids) || err != nil {
		r.found.add(record.Contract, "go of the %d tasks from %d: %d, %v", len(ids), one, n, err)
	}
	if err := r.group.Go(r.tree, [2]int{two, end}); err != nil {
		r.found.add(record.Contract, "go of the tree from task %d: %v", two, err)
	}
	bad := false
	for id := base; id < end; id++ {
		bad = bad || r.fate(id) < 2
	}
	var p *executor.PanicError
	err := r.group.Wait(context.Background())
	if known := errors.As(err, &p) || errors.Is(err, executor.ErrGoexit); bad != (err != nil) || err != nil && !known {
		r.found.add(record.Contract, "the wait for tasks %d to %d returned %v; tasks that fail among them: %v", base, end, err, bad)
	}
}

// fate is how a task ends: 0 by a panic, 1 by Goexit.
func (r lightRound) fate(id int) uint64 { return r.dice(id, 64) }

// dice is a number below sides for a task, the same in each run with the seed.
func (t *trial) dice(id int, sides uint64) uint64 {
	return (uint64(id) ^ t.spec.Seed) * 0x9e3779b97f4a7c15 >> 32 % sides
}

func (r lightRound) body(_ *executor.Worker, arg any) {
	id := arg.(int)
	r.mark(r.ledger, id)
	switch r.fate(id) {
	case 0:
		panic("a task's own")
	case 1:
		runtime.Goexit()
	}
}

// tree spawns a range in halves, and what is left of it one by one.
func (r lightRound) tree(w *executor.Worker, arg any) {
	low, high := arg.([2]int)[0], arg.([2]int)[1]
	if high-low > 8 {
		mid := low + (high-low)/2
		r.group.Spawn(w, r.tree, [2]int{low, mid})
		r.group.Spawn(w, r.tree, [2]int{mid, high})
		return
	}
	for id := low; id < high; id++ {
		r.group.Spawn(w, r.body, id)
	}
}
