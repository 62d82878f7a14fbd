package peers

import (
	"github.com/sourcegraph/conc"
	concpool "github.com/sourcegraph/conc/pool"
	"golang.org/x/sync/errgroup"

	"github.com/exactlyonce/certify/executor"
)

// The pools of this file are for one batch each: Begin makes a new one.

// errGroup is golang.org/x/sync/errgroup: a goroutine a task, at most limit at once.
type errGroup struct {
	limit int
	group *errgroup.Group
}

func openErrGroup(o Options) (Pool[func() error], error) { return newErrGroup(o.Workers), nil }

// openErrGroupFree has no limit, as the group has unless told.
func openErrGroupFree(Options) (Pool[func() error], error) { return newErrGroup(-1), nil }

func newErrGroup(limit int) *errGroup {
	p := &errGroup{limit: limit}
	p.Begin(0)
	return p
}

func (p *errGroup) Begin(int) {
	p.group = new(errgroup.Group)
	p.group.SetLimit(p.limit)
}

func (p *errGroup) Task(body Body) func() error {
	return func() error {
		body(nil)
		return nil
	}
}

func (p *errGroup) Submit(t func() error) error {
	p.group.Go(t)
	return nil
}

func (p *errGroup) Spawn(_ *executor.Worker, t func() error) error { return p.Submit(t) }

func (p *errGroup) Wait() error { return p.group.Wait() }

func (p *errGroup) Close() error { return nil }

// concPool is github.com/sourcegraph/conc/pool: lasting goroutines that receive from
// a channel without room.
type concPool struct {
	plain
	workers int
	pool    *concpool.Pool
}

func openConcPool(o Options) (Pool[func()], error) {
	p := &concPool{workers: o.Workers}
	p.Begin(0)
	return p, nil
}

func (p *concPool) Begin(int) { p.pool = concpool.New().WithMaxGoroutines(p.workers) }

func (p *concPool) Submit(t func()) error {
	p.pool.Go(t)
	return nil
}

func (p *concPool) Spawn(_ *executor.Worker, t func()) error { return p.Submit(t) }

func (p *concPool) Wait() error {
	p.pool.Wait()
	return nil
}

func (p *concPool) Close() error { return nil }

// concGroup is conc.WaitGroup: a goroutine a task, whose panics are handed on.
type concGroup struct {
	plain
	group conc.WaitGroup
}

func openConcGroup(Options) (Pool[func()], error) { return new(concGroup), nil }

func (p *concGroup) Submit(t func()) error {
	p.group.Go(t)
	return nil
}

func (p *concGroup) Spawn(_ *executor.Worker, t func()) error { return p.Submit(t) }

func (p *concGroup) Wait() error {
	p.group.Wait()
	return nil
}

func (p *concGroup) Close() error { return nil }
