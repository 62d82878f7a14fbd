package soak

import (
	"sync"

	"github.com/exactlyonce/certify/reports/record"
)

// ExactlyOnce is the name of the drill that the card demands.
const ExactlyOnce = "exactly-once"

// exactlyOnce: each probe marks its task in the ledger, counts for its worker
// and returns its task's number, which its handle must return.
func (t *trial) exactlyOnce() {
	ledger := NewLedger(t.spec.Tasks)
	ran := newTally(t.subject.Workers())
	meet := newMeeting(min(t.subject.Workers(), t.spec.Batch))
	perturb, _ := findPerturbation(t.spec.Perturb) // Resolve has found it
	t.batches(func(base, n int) {
		special := base == 0 || t.fault.Name != "" // most batches do the bare minimum
		probe := func(i, worker int) int {
			task := base + i
			if special && task < meet.size {
				meet.arrive()
			}
			if perturb.task != nil {
				perturb.task()
			}
			ran.count(worker)
			if special {
				t.mark(ledger, task)
			} else {
				ledger.Mark(task)
			}
			return task
		}
		spawned, err := t.subject.Batch(n, probe, func(i, value int, err error) {
			if err != nil || value != base+i {
				t.found.add(record.Contract, "the handle of task %d returned %d, %v", base+i, value, err)
			}
		})
		t.checkBatch(base, n, spawned, err)
	})
	t.account(ledger, ran)
}

func (t *trial) checkBatch(base, n, spawned int, err error) {
	if err != nil {
		t.found.add(record.Contract, "the batch from task %d: %v", base, err)
	}
	if spawned != n {
		t.found.add(record.Contract, "the batch from task %d spawned %d tasks of %d", base, spawned, n)
	}
	stats := t.subject.Stats()
	t.checkGauges(stats, true)
	if stats.Unbalanced != "" {
		t.found.add(record.Contract, "after the batch from task %d: %s", base, stats.Unbalanced)
	}
}

// account checks what the whole run left. A run that ended early has its
// finding already, and its unreached tasks are not lost.
func (t *trial) account(ledger *Ledger, ran *tally) {
	ended := t.found.none()
	if t.accountFor(ledger); !ended {
		return
	}
	completed, idle := ran.sum()
	if ran.workers() == 0 {
		return // the ledger has said it
	}
	if completed != uint64(t.spec.Tasks) {
		t.found.add(record.Contract, "%d tasks completed of %d", completed, t.spec.Tasks)
	}
	t.value("workers", float64(ran.workers()-len(idle)))
	// With fewer tasks in flight than workers, not every worker can have one.
	if want := min(ran.workers(), t.spec.Batch); ran.workers()-len(idle) < want {
		t.found.add(record.Contract, "workers %v ran no task; at least %d of %d must", idle, want, ran.workers())
	}
}

// tally counts the probes of each worker. The counts are plain: two
// goroutines that run one worker at a time are a data race here.
type tally struct {
	each []padded
	mu   sync.Mutex
	rest uint64 // guarded by mu; of goroutines that are no worker
}

type padded struct {
	n uint64
	_ [120]byte // the next worker's count
}

func newTally(workers int) *tally { return &tally{each: make([]padded, workers)} }

func (t *tally) workers() int { return len(t.each) }

// count counts nothing where workers cannot be told: what all tasks write to would
// order them among themselves, and hide the subject's races.
func (t *tally) count(worker int) {
	if each := t.each; uint(worker) < uint(len(each)) {
		each[worker].n++
	} else if len(each) > 0 {
		t.countRest()
	}
}

func (t *tally) countRest() {
	t.mu.Lock()
	t.rest++
	t.mu.Unlock()
}

// sum returns how many probes ran, and the workers that ran none. Every
// handle has been waited for, but a subject that runs a task twice may do so late.
func (t *tally) sum() (completed uint64, idle []int) {
	t.mu.Lock()
	completed = t.rest
	t.mu.Unlock()
	for i := range t.each {
		completed += t.each[i].n
		if t.each[i].n == 0 {
			idle = append(idle, i)
		}
	}
	return completed, idle
}

// meeting holds the first tasks of a run until each worker has one of them: a
// worker that nobody wakes, or that does not steal, is a stall and no chance.
type meeting struct {
	size int
	mu   sync.Mutex
	cond sync.Cond
	here int // guarded by mu
}

func newMeeting(size int) *meeting {
	m := &meeting{size: size}
	m.cond.L = &m.mu
	return m
}

func (m *meeting) arrive() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.here++
	m.cond.Broadcast()
	for m.here < m.size {
		m.cond.Wait()
	}
}
