package peers

import (
	"fmt"
	"math"
	"time"

	"github.com/alitto/pond/v2"
	"github.com/bytedance/gopkg/util/gopool"
	"github.com/gammazero/workerpool"
	"github.com/panjf2000/ants/v2"

	"github.com/exactlyonce/certify/executor"
)

// antsPool is github.com/panjf2000/ants: lasting goroutines, a submitter hands its
// task to one that is free.
type antsPool struct {
	counted
	pool *ants.Pool
}

func openAnts(o Options) (Pool[func()], error) { return newAnts(o.Workers) }

// openAntsFree is as large as the pool of ants.Submit.
func openAntsFree(Options) (Pool[func()], error) { return newAnts(math.MaxInt32) }

func newAnts(size int) (Pool[func()], error) {
	p, err := ants.NewPool(size)
	if err != nil {
		return nil, fmt.Errorf("peers: open ants of %d: %w", size, err)
	}
	return &antsPool{pool: p}, nil
}

func (p *antsPool) Submit(t func()) error { return p.pool.Submit(t) }

func (p *antsPool) Spawn(_ *executor.Worker, t func()) error { return p.pool.Submit(t) }

func (p *antsPool) Close() error {
	if err := p.pool.ReleaseTimeout(closing); err != nil {
		return fmt.Errorf("peers: close ants: %w", err)
	}
	return nil
}

// closing is how long a pool that was given nothing more may take to end.
const closing = time.Minute

// pondPool is github.com/alitto/pond: workers that come when there is work and go when
// there is none, and a queue without bound.
type pondPool struct {
	counted
	pool pond.Pool
}

func openPond(o Options) (Pool[func()], error) {
	return &pondPool{pool: pond.NewPool(o.Workers)}, nil
}

func (p *pondPool) Submit(t func()) error { return p.pool.Go(t) }

func (p *pondPool) Spawn(_ *executor.Worker, t func()) error { return p.pool.Go(t) }

func (p *pondPool) Close() error {
	p.pool.StopAndWait()
	return nil
}

// pondGroup is the form for batches: tasks have results, and a group waits for them.
type pondGroup struct {
	plain
	pool  pond.Pool
	group pond.TaskGroup
}

func openPondGroup(o Options) (Pool[func()], error) {
	p := &pondGroup{pool: pond.NewPool(o.Workers)}
	p.Begin(0)
	return p, nil
}

func (p *pondGroup) Begin(int) { p.group = p.pool.NewGroup() }

func (p *pondGroup) Submit(t func()) error {
	p.group.Submit(t)
	return nil
}

func (p *pondGroup) Spawn(_ *executor.Worker, t func()) error { return p.Submit(t) }

func (p *pondGroup) Wait() error { return p.group.Wait() }

func (p *pondGroup) Close() error {
	p.pool.StopAndWait()
	return nil
}

// goPool is github.com/bytedance/gopkg/util/gopool: a list of tasks without bound, and
// goroutines that end when it is empty.
type goPool struct {
	counted
	pool gopool.Pool
}

func openGoPool(o Options) (Pool[func()], error) { return newGoPool(o.Workers) }

// openGoPoolFree is as large as the pool of gopool.Go.
func openGoPoolFree(Options) (Pool[func()], error) { return newGoPool(math.MaxInt32) }

func newGoPool(size int) (Pool[func()], error) {
	return &goPool{pool: gopool.NewPool("peers", int32(size), gopool.NewConfig())}, nil
}

func (p *goPool) Submit(t func()) error {
	p.pool.Go(t)
	return nil
}

func (p *goPool) Spawn(_ *executor.Worker, t func()) error { return p.Submit(t) }

// Close has nothing to do: the goroutines end by themselves.
func (p *goPool) Close() error { return p.Wait() }

// workerPool is github.com/gammazero/workerpool: one goroutine hands tasks out to
// workers, and queues without bound.
type workerPool struct {
	counted
	pool *workerpool.WorkerPool
}

func openWorkerPool(o Options) (Pool[func()], error) {
	return &workerPool{pool: workerpool.New(o.Workers)}, nil
}

func (p *workerPool) Submit(t func()) error {
	p.pool.Submit(t)
	return nil
}

func (p *workerPool) Spawn(_ *executor.Worker, t func()) error { return p.Submit(t) }

func (p *workerPool) Close() error {
	p.pool.StopWait()
	return nil
}
