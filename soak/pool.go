package soak

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Pool is the least that an executor must be: it takes functions and runs them.
// Its methods may be called from any goroutine; Close once.
type Pool interface {
	// Submit gives a task. After an error the task never runs.
	Submit(task func()) error
	// Close lets everything accepted run, and returns when nothing is left.
	Close() error
}

// OfPool makes an executor of pools. What open returns must run at least
// Options.Workers tasks at once, and may refuse or hold up the submitter of more
// than Options.Capacity.
//
// The drills exactly-once, panic, goexit and shutdown-race are for pools. An
// executor that is a Tasks, with handles of its own, fits more.
func OfPool(name, about string, open func(Options) (Pool, error)) Executor {
	return Executor{Name: name, About: about, kind: &pooled{}, New: func(o Options) (Subject, error) {
		p, err := open(o)
		if err != nil {
			return nil, err
		}
		return &pooled{Pool: p, workers: o.Workers, values: make([]int, o.Capacity)}, nil
	}}
}

// pooled is a Pool as a Subject. Nothing in it orders the tasks among themselves:
// each writes to a place of its own, and only the waiter reads them all.
type pooled struct {
	Pool
	workers int
	values  []int         // of a batch, each written by its task
	batches atomic.Uint64 // written by Batch
}

// Workers: which worker runs a task cannot be told.
func (p *pooled) Workers() int { return 0 }

// atOnce is how many tasks it must be able to run at once.
func (p *pooled) atOnce() int { return p.workers }

func (p *pooled) Batch(n int, probe Probe, each func(i, value int, err error)) (spawned int, err error) {
	var tasks sync.WaitGroup
	// Each goes from 0 to 1 when its task runs and to 2 when that has marked itself: so
	// a task that runs twice, however late, is found by the ledger, and is neither a
	// counter below 0 nor a race between its two marks.
	ran := make([]atomic.Uint32, n)
	for spawned < n {
		i := spawned
		tasks.Add(1)
		err = p.Pool.Submit(func() {
			if !ran[i].CompareAndSwap(0, 1) {
				for ran[i].Load() < 2 {
					runtime.Gosched()
				}
				probe(i, -1) // which the ledger sees
				return
			}
			defer tasks.Done()
			p.values[i] = probe(i, -1)
			ran[i].Store(2)
		})
		if err != nil {
			tasks.Done()
			break
		}
		spawned++
	}
	tasks.Wait()
	for i, v := range p.values[:spawned] {
		each(i, v, nil)
	}
	p.batches.Add(1)
	return spawned, err
}

func (p *pooled) Stats() Stats { return Stats{Progress: p.batches.Load()} }

// Submit gives a task with a handle of ours. What its body does to its goroutine
// goes on to the pool.
func (p *pooled) Submit(_ context.Context, body Body) (Task, error) {
	h := &poolTask{done: make(chan struct{})}
	if err := p.Pool.Submit(func() { h.run(body) }); err != nil {
		return nil, err
	}
	return h, nil
}

// poolTask is the handle of a pool's task.
type poolTask struct {
	ran   atomic.Bool
	done  chan struct{} // closed when the rest is written
	value int
	err   error
}

var errGoexit = errors.New("the body called runtime.Goexit")

func (h *poolTask) run(body Body) {
	if h.ran.Swap(true) {
		_, _ = body(poolInside{}) // which the drill sees
		return
	}
	h.err = errGoexit // unless it returns or panics
	defer func() {
		v := recover()
		if v != nil {
			h.err = fmt.Errorf("the body panicked: %v", v)
		}
		close(h.done)
		if v != nil {
			panic(v) // it is the pool's to deal with
		}
	}()
	h.value, h.err = body(poolInside{})
}

func (h *poolTask) Wait(ctx context.Context) (int, error) {
	select {
	case <-h.done:
		return h.value, h.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// Cancel: a pool has none.
func (h *poolTask) Cancel(error) bool { return false }

// poolInside is inside of a pool's task, from where nothing can be done.
type poolInside struct{}

func (poolInside) Worker() int              { return -1 }
func (poolInside) Context() context.Context { return context.Background() }
func (poolInside) Spawn(Body) Task          { return noTask{} }
func (poolInside) Block(wait func())        { wait() }
