package soak

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/exactlyonce/certify/reports/record"
)

// trial is one run of a drill.
type trial struct {
	spec     Spec
	executor Executor // makes further subjects
	subject  Subject  // made for the drill; closed after it
	// watched is the subject in use, of whose gauges the watch takes samples.
	watched atomic.Pointer[Subject]
	fault   fault
	watch   *watch
	began   time.Time
	found   findings
	values  []record.Value
	counts  []record.Value // of subjects that were closed
	gone    atomic.Bool    // given up: what spins must end
	alone   bool           // in the process: see growth
	growth  growth
	idleCPU time.Duration // what the process used while the executor had nothing to do
}

// batches runs f for each batch with its first task and its size, until
// something was found: what comes after a violation explains nothing.
func (t *trial) batches(f func(base, n int)) {
	for base := 0; base < t.spec.Tasks && t.found.none(); base += t.spec.Batch {
		t.readGrowth(base)
		t.watch.batch.Add(1)
		f(base, min(t.spec.Batch, t.spec.Tasks-base))
	}
}

// spin yields, and is false once the trial was given up.
func (t *trial) spin() bool {
	runtime.Gosched()
	return !t.gone.Load()
}

// tasks is the subject in use of a drill that needs them.
func (t *trial) tasks() Tasks { return (*t.watched.Load()).(Tasks) }

// submitter is what takes tasks one by one: a Tasks, or a pool.
type submitter interface {
	Subject
	Submit(ctx context.Context, body Body) (Task, error)
}

func (t *trial) submitter() submitter { return (*t.watched.Load()).(submitter) }

// atOnce is how many tasks s runs at once, at least.
func atOnce(s Subject) int {
	if p, ok := s.(*pooled); ok {
		return p.atOnce()
	}
	return s.Workers()
}

func (t *trial) use(s Subject) { t.watched.Store(&s) }

// open makes one more subject and uses it. It was made like that before, so a
// failure now is a finding; the first subject stands in for it.
func (t *trial) open(o Options) Tasks { return t.another(o).(Tasks) }

func (t *trial) another(o Options) Subject {
	if o.Capacity == 0 {
		o.Capacity = t.spec.Batch + 1
	}
	o.Seed = t.spec.Seed
	s, err := t.executor.New(o)
	if err != nil {
		t.found.add(record.Contract, "make %s: %v", t.executor.Name, err)
		return t.subject
	}
	t.use(s)
	return s
}

// shut closes a subject that open made.
func (t *trial) shut(s Tasks) {
	if err := s.Close(); err != nil {
		t.found.add(record.Contract, "close: %v", err)
	}
	t.retire(s)
}

// retire adds what happened in a subject that has been closed to what the trial
// records.
func (t *trial) retire(s Subject) {
	for _, c := range s.Stats().Counts {
		i := slices.IndexFunc(t.counts, func(v record.Value) bool { return v.Unit == c.Unit })
		if i < 0 {
			t.counts = append(t.counts, c)
		} else {
			t.counts[i].Value += c.Value
		}
	}
}

// checkEnd waits for a task that returns its number.
func (t *trial) checkEnd(id int, task Task) {
	if e := waitFor(task); e.err != nil || e.value != id {
		t.found.add(record.Contract, "the handle of task %d returned %d, %v", id, e.value, e.err)
	}
}

// checkQuiet checks the counters of the subject in use once every task that was
// given since the round or task at from has ended.
func (t *trial) checkQuiet(from int) {
	stats := (*t.watched.Load()).Stats()
	t.checkGauges(stats, false)
	if stats.Unbalanced != "" {
		t.found.add(record.Contract, "after the tasks from %d on: %s", from, stats.Unbalanced)
	}
}

// accountFor checks that every task ran exactly once.
func (t *trial) accountFor(ledger *Ledger) {
	a := ledger.Account()
	t.value("lost", float64(a.Lost))
	t.value("duplicated", float64(a.Duplicated))
	t.value("alien", float64(a.Alien))
	if a.Duplicated+a.Alien > 0 {
		t.found.add(record.Duplicated, "%s", a)
	}
	if t.found.none() && a.Lost > 0 { // a run that ended early has its finding
		t.found.add(record.Lost, "%s", a)
	}
}

// liveHeap is what is reachable, in bytes.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC() // what the first one's cleanups let go of
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
