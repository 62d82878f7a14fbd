package soak

import (
	"context"
	"math/rand/v2"
	"sync"

	"github.com/exactlyonce/certify/reports/record"
)

// nestedWait: trees of tasks that wait for their children, in any order, and
// for the sibling before them, on executors of one, two and three workers. A
// wait that holds up what it waits for is a stall.
func (t *trial) nestedWait() {
	ledger := NewLedger(t.spec.Tasks)
	pools := []Tasks{t.open(Options{Workers: 1}), t.open(Options{Workers: 2}), t.open(Options{Workers: 3})}
	batch := 0
	t.batches(func(base, n int) {
		pool := pools[batch%len(pools)]
		batch++
		t.use(pool)
		tree := &tree{trial: t, ledger: ledger, seed: t.spec.Seed ^ uint64(base)}
		root, err := pool.Submit(context.Background(), tree.body(base, base+n, nil))
		if err != nil {
			t.found.add(record.Contract, "submit of task %d: %v", base, err)
			return
		}
		if e := waitFor(root); e.err != nil || e.value != n {
			t.found.add(record.Contract, "the tree from task %d returned %d, %v; it has %d tasks", base, e.value, e.err, n)
		}
		t.checkQuiet(base)
	})
	for _, pool := range pools {
		t.shut(pool)
	}
	t.accountFor(ledger)
}

type tree struct {
	*trial
	ledger *Ledger
	seed   uint64
}

// body is the task with number id of the tree of all from id to end, without
// end. It gives those after it to up to three children, each of which also waits
// for the one before it, and returns how many there are.
func (tr *tree) body(id, end int, before Task) Body {
	return func(in Inside) (int, error) {
		tr.mark(tr.ledger, id)
		rng := rand.New(rand.NewPCG(tr.seed, uint64(id)))
		children := tr.spawn(in, rng, id+1, end)
		sum := 1
		if before != nil && rng.IntN(2) == 0 {
			if _, err := before.Wait(context.Background()); err != nil {
				return 0, err
			}
		}
		for _, i := range rng.Perm(len(children)) {
			n, err := children[i].Wait(context.Background())
			if err != nil {
				return 0, err
			}
			sum += n
		}
		return sum, nil
	}
}

func (tr *tree) spawn(in Inside, rng *rand.Rand, from, end int) (children []Task) {
	for from < end {
		to := end
		if len(children) < 2 {
			to = from + 1 + rng.IntN(end-from)
		}
		var before Task
		if len(children) > 0 {
			before = children[len(children)-1]
		}
		children = append(children, in.Spawn(tr.body(from, to, before)))
		from = to
	}
	return children
}

// lockAcrossWait: tasks that hold a lock while they wait for a child. Whoever
// runs anything but that child on the waiting goroutine meets the lock there.
func (t *trial) lockAcrossWait() {
	ledger := NewLedger(t.spec.Tasks)
	var locks [2]sync.Mutex
	var held [2]int // plain: guarded by its lock
	t.batches(func(base, n int) {
		tasks := make([]Task, n)
		for i := range tasks {
			id, l := base+i, i%len(locks)
			tasks[i] = t.submit(id, func(in Inside) (int, error) {
				locks[l].Lock()
				defer locks[l].Unlock()
				held[l]++
				return in.Spawn(func(Inside) (int, error) { t.mark(ledger, id); return id, nil }).Wait(context.Background())
			})
		}
		for i, task := range tasks {
			t.checkEnd(base+i, task)
		}
		t.checkQuiet(base)
	})
	if got := held[0] + held[1]; t.found.none() && got != t.spec.Tasks {
		t.found.add(record.Contract, "the locks were held %d times for %d tasks", got, t.spec.Tasks)
	}
	t.accountFor(ledger)
}
