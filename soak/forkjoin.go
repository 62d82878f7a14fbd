package soak

import (
	"context"
	"runtime"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/reports/record"
)

// forkJoin: trees of forks, whose branches are stolen while their callers wait, mixed
// with what else a task may do meanwhile: spawns, waits that give the place away, and
// loops. Every leaf runs once, and the sums are right.
func (t *trial) forkJoin() {
	ledger := NewLedger(t.spec.Tasks)
	e := t.subject.(native).Native()
	tree := &forkTree{trial: t, ledger: ledger, group: executor.NewGroup(e)}
	tree.fork = executor.NewFork(e, tree.count)
	t.batches(func(base, n int) {
		mid := base + n/2
		h, err := executor.Submit(context.Background(), e, func(w *executor.Worker) (int, error) {
			a, b := tree.fork.Both(w, leaves{base, mid}, leaves{mid, base + n})
			return a + b + tree.loop(w, n), nil
		})
		if err != nil {
			t.found.add(record.Contract, "submit of the tree from task %d: %v", base, err)
			return
		}
		if got, err := h.Wait(context.Background()); got != n+n*(n-1)/2 || err != nil {
			t.found.add(record.Contract, "the tree from task %d returned %d, %v; want %d", base, got, err, n+n*(n-1)/2)
		}
		if err := tree.group.Wait(context.Background()); err != nil {
			t.found.add(record.Contract, "the wait for what the tree from task %d spawned: %v", base, err)
		}
		t.checkQuiet(base)
	})
	t.accountFor(ledger)
}

type forkTree struct {
	*trial
	ledger *Ledger
	fork   *executor.Fork[leaves, int]
	group  *executor.Group
}

// leaves are those of a part of the tree.
type leaves struct{ low, high int }

// count runs the leaves of a part, and returns how many there are.
func (f *forkTree) count(w *executor.Worker, l leaves) int {
	if l.high-l.low > 1 {
		mid := l.low + (l.high-l.low)/2
		a, b := f.fork.Both(w, leaves{l.low, mid}, leaves{mid, l.high})
		return a + b
	}
	if l.high == l.low {
		return 0
	}
	switch id := l.low; f.dice(id, 128) {
	case 0: // another task marks it
		f.group.Spawn(w, func(*executor.Worker, any) { f.mark(f.ledger, id) }, nil)
	case 1: // the place is given away
		w.Block(runtime.Gosched)
		f.mark(f.ledger, id)
	default:
		f.mark(f.ledger, id)
	}
	return 1
}

// loop is the sum of the numbers below n, by a loop in parts.
func (f *forkTree) loop(w *executor.Worker, n int) int {
	return executor.Reduce(w, n, 64, func(_ *executor.Worker, low, high int) (sum int) {
		for i := low; i < high; i++ {
			sum += i
		}
		return sum
	}, func(a, b int) int { return a + b })
}
