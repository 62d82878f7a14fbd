package executor

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/exactlyonce/certify/executor/lifecycle"
	"github.com/exactlyonce/certify/queues"
)

// Executor runs tasks. Make one with New and end it with Shutdown or Stop.
// Its methods may be called from any goroutine.
type Executor struct {
	cfg   Config
	spins int // how often an idle worker looks everywhere before it sleeps
	// slab goes once from nil to the room of tasks with handles, before the first has
	// a slot; who only gives light tasks never pays for it.
	slab    atomic.Pointer[slab]
	light   light
	joins   *Fork[func(*Worker), struct{}]
	loops   *Fork[span, struct{}]
	intake  intake
	sleep   sleepers
	room    line
	outside outside
	waits   waits
	runners runners
	shelves []shelf // by worker number

	// mu guards who the workers are, which changes when a task waits.
	mu      sync.Mutex
	workers []*Worker        // by number
	away    map[*Worker]bool // those that gave their place to another
	gone    counters         // the sum of those that were away and have ended

	// ctx is the parent of the tasks' contexts; cancel is called by Stop.
	ctx    context.Context
	cancel context.CancelCauseFunc
	// stopped is set once, by Stop, before it looks for queued tasks to
	// cancel; workers load it before they claim one.
	stopped atomic.Bool

	closing sync.Once
	alive   atomic.Int64 // workers that have not left, the away included
	left    *waitpoint   // passed by the last worker that leaves
}

// New starts an executor, or returns a *ConfigError and starts nothing.
func New(cfg Config) (*Executor, error) {
	cfg, err := cfg.resolve()
	if err != nil {
		return nil, err
	}
	e := &Executor{cfg: cfg, spins: spins(), left: newWaitpoint(0), away: map[*Worker]bool{}}
	if err := e.intake.init(&e.cfg); err != nil {
		return nil, fmt.Errorf("executor: new: %w", err)
	}
	if err := e.makeWorkers(); err != nil {
		return nil, err
	}
	e.light.init(e)
	e.joins = NewFork(e, func(w *Worker, f func(*Worker)) (none struct{}) { f(w); return none })
	e.loops = NewFork(e, runSpan)
	e.ctx, e.cancel = context.WithCancelCause(context.Background())
	e.alive.Store(int64(cfg.Workers))
	for _, w := range e.workers {
		go w.main()
	}
	return e, nil
}

// makeWorkers makes every worker before the first one starts.
func (e *Executor) makeWorkers() error {
	e.workers = make([]*Worker, e.cfg.Workers)
	e.shelves = make([]shelf, e.cfg.Workers)
	for i := range e.workers {
		w := newWorker(e, i)
		if w.deque == nil {
			return fmt.Errorf("executor: new: back end %s made no deque", e.cfg.Deque.Name)
		}
		e.workers[i] = w
	}
	for _, w := range e.workers {
		w.steal = make([]queues.Stealer[*Task], len(e.workers))
		for i, victim := range e.workers {
			w.steal[i] = victim.deque.Stealer()
		}
	}
	return nil
}

// slots is the slab, made when it is first asked for.
func (e *Executor) slots() *slab {
	if s := e.slab.Load(); s != nil {
		return s
	}
	s := newSlab(e, e.cfg.Capacity)
	if e.slab.CompareAndSwap(nil, s) { // publishes it; pairs with the loads
		return s
	}
	return e.slab.Load()
}

// spins is 1 where nobody can make work while a worker looks for it.
func spins() int {
	if runtime.GOMAXPROCS(0) == 1 {
		return 1
	}
	return 8
}

// Workers is how many workers there are.
func (e *Executor) Workers() int { return e.cfg.Workers }

// free gives back the room of a task whose generation g ended as end, which
// resolves its handle, and tells who waits for room.
func (e *Executor) free(t *slot, g lifecycle.Gen, end lifecycle.State) {
	t.gen = g + 1
	if i := t.index; i != stored {
		e.slab.Load().put(i)
	}
	t.word.Recycle(g, end)
	e.room.freed(1)
	t.wake(g)
}

func (e *Executor) workerLeft() {
	if e.alive.Add(-1) == 0 {
		e.left.pass()
	}
}
