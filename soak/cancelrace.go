package soak

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/exactlyonce/certify/reports/record"
)

// cancellers is how many goroutines cancel each task of cancel-race.
const cancellers = 2

var errCause = errors.New("cancelled by the drill")

// cancelRound is one task of cancel-race.
type cancelRound struct {
	task atomic.Pointer[Task] // set once the task was submitted
	wins atomic.Int32         // calls of Cancel that were true
	// ran and left count how often the body began and how often it returned. They
	// are plain: a body that runs after Wait, or twice at once, is a data race
	// here.
	ran, left int
}

// cancelRace: tasks are submitted while others cancel them, at every moment of
// their lives; some can be ended by nothing but their cancel.
func (t *trial) cancelRace() {
	var before, running, late int
	t.batches(func(base, n int) {
		t.cancelQueued(base)
		rounds := make([]cancelRound, n)
		var crew sync.WaitGroup
		for c := range cancellers {
			crew.Go(func() { t.cancelAll(rounds, c, rand.New(rand.NewPCG(t.spec.Seed, uint64(base*cancellers+c)))) })
		}
		for i := range rounds {
			task, err := t.tasks().Submit(context.Background(), t.cancelBody(rounds, base, i))
			if err != nil {
				t.found.add(record.Contract, "submit of task %d: %v", base+i, err)
				task = noTask{}
			}
			rounds[i].task.Store(&task)
		}
		ends := make([]end, n)
		for i := range rounds {
			ends[i] = waitFor(*rounds[i].task.Load())
			ends[i].ran, ends[i].left = rounds[i].ran, rounds[i].left
		}
		crew.Wait()
		for i := range rounds {
			t.checkCancel(base+i, &rounds[i], ends[i])
			switch cancelled := errors.Is(ends[i].err, ErrCancelled); {
			case cancelled && ends[i].ran == 0:
				before++
			case cancelled:
				running++
			default:
				late++
			}
		}
		t.checkQuiet(base)
	})
	t.value("cancelled-queued", float64(before))
	t.value("cancelled-running", float64(running))
	t.value("not-cancelled", float64(late))
}

// cancelQueued holds every worker and cancels tasks that are queued behind: each
// Cancel is true, resolves the handle at once, and the body never runs.
func (t *trial) cancelQueued(base int) {
	pool := t.tasks()
	n := min(8, t.spec.Batch+1-pool.Workers())
	if n < 1 {
		return
	}
	held, release := newMeeting(pool.Workers()+1), make(chan struct{})
	for range pool.Workers() {
		t.submit(base, func(Inside) (int, error) { held.arrive(); <-release; return 0, nil })
	}
	held.arrive()
	ran := make([]atomic.Int32, n)
	tasks := make([]Task, n)
	for i := range tasks {
		tasks[i] = t.submit(base, func(Inside) (int, error) { ran[i].Add(1); return 0, nil })
	}
	for _, task := range tasks {
		if won := task.Cancel(errCause); !won {
			t.found.add(record.Contract, "a queued task in the batch from %d could not be cancelled", base)
		}
		if e := waitFor(task); !errors.Is(e.err, ErrCancelled) || !errors.Is(e.err, errCause) {
			t.found.add(record.Contract, "a task that was cancelled while queued, in the batch from %d, ended with %v", base, e.err)
		}
	}
	close(release)
	t.meetAll(base) // behind them
	for i := range ran {
		if ran[i].Load() > 0 {
			t.found.add(record.Contract, "a task ran that was cancelled while queued, in the batch from %d", base)
		}
	}
}

// onlyByCancel tells which bodies wait for their cancel.
func onlyByCancel(i int) bool { return i%16 == 1 }

func (t *trial) cancelBody(rounds []cancelRound, base, i int) Body {
	return func(in Inside) (int, error) {
		r := &rounds[i]
		r.ran++
		defer func() { r.left++ }()
		t.strike(base + i)
		switch {
		case onlyByCancel(i):
			ctx := in.Context()
			in.Block(func() { <-ctx.Done() })
			if cause := context.Cause(ctx); !errors.Is(cause, errCause) {
				t.found.add(record.Contract, "the context of task %d ended with %v", base+i, cause)
			}
		case i%3 == 0:
			runtime.Gosched()
		}
		return base + i, nil
	}
}

// cancelAll cancels the tasks in their order, close behind their submits, and
// leaves some out.
func (t *trial) cancelAll(rounds []cancelRound, canceller int, rng *rand.Rand) {
	for i := range rounds {
		for rounds[i].task.Load() == nil {
			if !t.spin() {
				return
			}
		}
		for range rng.IntN(4) {
			runtime.Gosched()
		}
		if rng.IntN(3) > 0 || onlyByCancel(i) && canceller == 0 {
			if (*rounds[i].task.Load()).Cancel(errCause) {
				rounds[i].wins.Add(1)
			}
		}
	}
}

// end is how a task ended.
type end struct {
	value     int
	err       error
	ran, left int // as seen when Wait had returned
}

func waitFor(task Task) (e end) {
	e.value, e.err = task.Wait(context.Background())
	return e
}

func (t *trial) checkCancel(id int, r *cancelRound, e end) {
	cancelled, wins := errors.Is(e.err, ErrCancelled), r.wins.Load()
	switch {
	case wins > 1:
		t.found.add(record.Contract, "%d cancels of task %d were told that they did it", wins, id)
	case cancelled != (wins == 1):
		t.found.add(record.Contract, "task %d ended with %v, and %d cancels were told that they did it", id, e.err, wins)
	case cancelled && !errors.Is(e.err, errCause):
		t.found.add(record.Contract, "task %d was cancelled, but its error %v is not the cause", id, e.err)
	case !cancelled && (e.err != nil || e.value != id):
		t.found.add(record.Contract, "the handle of task %d returned %d, %v", id, e.value, e.err)
	case !cancelled && e.ran == 0:
		t.found.add(record.Lost, "task %d completed, but its body never ran", id)
	case e.ran > 1:
		t.found.add(record.Duplicated, "the body of task %d ran %d times", id, e.ran)
	case e.left != e.ran:
		t.found.add(record.Contract, "Wait returned while the body of task %d ran", id)
	case r.ran != e.ran:
		t.found.add(record.Contract, "the body of task %d ran after its Wait had returned", id)
	}
}

// noTask stands for a task that was refused.
type noTask struct{}

func (noTask) Wait(context.Context) (int, error) { return 0, ErrShutdown }
func (noTask) Cancel(error) bool                 { return false }
