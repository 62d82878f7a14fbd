package executor

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/exactlyonce/certify/queues"
)

// Priority says which of two tasks that wait in the injector goes first. It
// does not interrupt a task that runs, nor does it reach into the deques: what
// a task spawns, and what a worker has taken along, keeps its place.
type Priority uint8

const (
	Normal Priority = iota
	High            // before all that is Normal or Low
	Low             // after all that is High or Normal
)

var priorities = [...]string{"normal", "high", "low"}

func (p Priority) String() string {
	if int(p) < len(priorities) {
		return priorities[p]
	}
	return fmt.Sprintf("priority %d", uint8(p))
}

// Of the visits that a worker pays to the injectors every normalTurn-th begins
// with Normal tasks and every lowTurn-th with Low ones, so that a stream of
// more urgent work cannot hold them up for ever: strict otherwise. A visit
// takes little along while there are several, since that will stand before
// what is urgent and comes later.
const (
	normalTurn    = 4
	lowTurn       = 16
	priorityBatch = 8
)

// intake is how work enters: an injector a priority. Those of High and Low are
// made when the first such task comes; until then they cost one load a visit.
type intake struct {
	cfg    *Config
	normal queues.Injector[*Task]
	// others goes once from nil to the other injectors, before the first task
	// is pushed there; a worker that loads it sees them whole.
	others   atomic.Pointer[others]
	mu       sync.Mutex // held while others are made
	overflow overflow
	room     [len(priorities)]line // of bounded injectors, by priority
}

type others struct{ high, low queues.Injector[*Task] }

func (in *intake) init(cfg *Config) (err error) {
	in.cfg = cfg
	in.normal, err = in.injector()
	return err
}

func (in *intake) injector() (queues.Injector[*Task], error) {
	b := in.cfg.Injector
	if q := b.Injector(in.cfg.options(b)); q != nil {
		return q, nil
	}
	return nil, fmt.Errorf("back end %s made no injector", b.Name)
}

// admits makes sure that there is an injector for p.
func (in *intake) admits(p Priority) error {
	switch {
	case p == Normal:
		return nil
	case int(p) >= len(priorities):
		return fmt.Errorf("%w: %d", ErrPriority, uint8(p))
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.others.Load() != nil {
		return nil
	}
	high, err := in.injector()
	if err != nil {
		return err
	}
	low, err := in.injector()
	if err == nil {
		in.others.Store(&others{high, low})
	}
	return err
}

// of is the injector of p, which admits has seen.
func (in *intake) of(p Priority) queues.Injector[*Task] {
	switch p {
	case High:
		return in.others.Load().high
	case Low:
		return in.others.Load().low
	}
	return in.normal
}

// push is false when the injector of p is bounded and full.
func (in *intake) push(t *Task, p Priority) bool { return in.of(p).Push(t) }

// disperse wakes all who wait for room.
func (in *intake) disperse() {
	for p := range in.room {
		in.room[p].disperse()
	}
}

// len is 0 only if every push that has returned was undone by a pop.
func (in *intake) len() int {
	n := in.normal.Len() + int(in.overflow.n.Load())
	if o := in.others.Load(); o != nil {
		n += o.high.Len() + o.low.Len()
	}
	return n
}

// pop takes any task, for who empties all.
func (in *intake) pop() (*Task, bool) {
	if t := in.overflow.pop(); t != nil {
		return t, true
	}
	if o := in.others.Load(); o != nil {
		for _, q := range []queues.Injector[*Task]{o.high, o.low} {
			if t, ok := q.Pop(); ok {
				return t, true
			}
		}
	}
	return in.normal.Pop()
}

// overflow takes the polled tasks that are to be polled again and that a
// bounded injector refuses: they were accepted, so nobody can be told no. Each
// has its slot, so there are never more than those.
type overflow struct {
	n     atomic.Int64 // = len(tasks) whenever mu is free; looked at before mu is taken
	mu    sync.Mutex
	tasks []*Task // guarded by mu; oldest first
}

func (o *overflow) push(t *Task) {
	o.mu.Lock()
	o.tasks = append(o.tasks, t)
	o.n.Add(1)
	o.mu.Unlock()
}

// pop returns the oldest, or nil.
func (o *overflow) pop() *Task {
	if o.n.Load() == 0 {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.tasks) == 0 {
		return nil
	}
	t := o.tasks[0]
	o.tasks[0] = nil
	if o.tasks = o.tasks[1:]; len(o.tasks) == 0 {
		o.tasks = nil
	}
	o.n.Add(-1)
	return t
}

// inject takes one task from the injectors, and with it the worker's share of
// those that are behind it.
func (w *Worker) inject() *Task {
	in := &w.exec.intake
	o := in.others.Load()
	if o == nil && in.overflow.n.Load() == 0 {
		return w.injectFrom(Normal, w.batch)
	}
	w.visits++
	if w.visits%2 == 1 { // the turns of age are even
		if t := w.injectOverflow(); t != nil {
			return t
		}
	}
	if o != nil {
		if t := w.injectByPriority(); t != nil {
			return t
		}
	} else if t := w.injectFrom(Normal, w.batch); t != nil {
		return t
	}
	return w.injectOverflow()
}

func (w *Worker) injectByPriority() (t *Task) {
	batch := min(w.batch, priorityBatch)
	if w.visits%lowTurn == 0 {
		t = w.injectFrom(Low, 1)
	} else if w.visits%normalTurn == 0 {
		t = w.injectFrom(Normal, 1)
	}
	if t == nil {
		t = w.injectFrom(High, batch)
	}
	if t == nil {
		t = w.injectFrom(Normal, batch)
	}
	if t == nil {
		t = w.injectFrom(Low, 1)
	}
	return t
}

// injectFrom takes at most most tasks from the injector of p.
func (w *Worker) injectFrom(p Priority, most int) *Task {
	e := w.exec
	q := e.intake.of(p)
	n := q.PopInto(w.loot[:1])
	if n == 0 {
		return nil
	}
	if share := min(q.Len()/len(w.steal), most-1); share > 0 {
		n += q.PopInto(w.loot[1 : 1+share])
	}
	if e.cfg.Injector.Promises.Bounded {
		e.intake.room[p].freed(n)
	}
	w.n.injected.Add(uint64(n))
	t := w.keep(n)
	// Who looked while the others were in w.loot saw them in no queue. A
	// searcher's own wake comes later, in foundWhileSearching.
	if n > 1 {
		w.wakePeer()
	}
	return t
}

func (w *Worker) injectOverflow() *Task {
	t := w.exec.intake.overflow.pop()
	if t != nil {
		w.n.injected.Add(1)
	}
	return t
}
