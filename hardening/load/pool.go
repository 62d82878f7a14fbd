package main

import (
	"context"

	"github.com/exactlyonce/certify/executor"
)

var background = context.Background()

// body is the function of a task with a handle.
type body = func(*executor.Worker) (int, error)

// pool is an executor as the load sees it. The tests put faulty ones in its place.
type pool interface {
	submit(body) (*executor.Handle[int], error)
	trySubmit(body) (*executor.Handle[int], error)
	submitAll([]body) ([]*executor.Handle[int], error)
	spawn(*executor.Worker, body) *executor.Handle[int]

	newGroup() *executor.Group
	give(g *executor.Group, fn executor.Func, arg any) error // no group: alone
	tryGive(fn executor.Func, arg any) error
	giveAll(g *executor.Group, fn executor.Func, args []any) (int, error)
	spawnLight(w *executor.Worker, g *executor.Group, fn executor.Func, arg any)
	wait(g *executor.Group) error

	newFork(leaf func([]mark) int) *executor.Fork[[]mark, int]
	end(stop bool) error
	stats() executor.Stats
}

// real is the executor itself.
type real struct{ e *executor.Executor }

func newPool(cfg executor.Config) (pool, error) {
	e, err := executor.New(cfg)
	return real{e}, err
}

func (p real) submit(fn body) (*executor.Handle[int], error) {
	return executor.Submit(background, p.e, fn)
}

func (p real) trySubmit(fn body) (*executor.Handle[int], error) { return executor.TrySubmit(p.e, fn) }

func (p real) submitAll(fns []body) ([]*executor.Handle[int], error) {
	return executor.SubmitAll(background, p.e, fns)
}

func (p real) spawn(w *executor.Worker, fn body) *executor.Handle[int] {
	return executor.Spawn(w, fn)
}

func (p real) newGroup() *executor.Group { return executor.NewGroup(p.e) }

func (p real) give(g *executor.Group, fn executor.Func, arg any) error {
	if g == nil {
		return p.e.Go(fn, arg)
	}
	return g.Go(fn, arg)
}

func (p real) tryGive(fn executor.Func, arg any) error { return p.e.TryGo(fn, arg) }

func (p real) giveAll(g *executor.Group, fn executor.Func, args []any) (int, error) {
	return g.GoAll(fn, args)
}

func (p real) spawnLight(w *executor.Worker, g *executor.Group, fn executor.Func, arg any) {
	g.Spawn(w, fn, arg)
}

func (p real) wait(g *executor.Group) error { return g.Wait(background) }

// newFork halves what it gets down to leaves of one.
func (p real) newFork(leaf func([]mark) int) *executor.Fork[[]mark, int] {
	var f *executor.Fork[[]mark, int]
	f = executor.NewFork(p.e, func(w *executor.Worker, ms []mark) int {
		if len(ms) < 2 {
			return leaf(ms)
		}
		a, b := f.Both(w, ms[:len(ms)/2], ms[len(ms)/2:])
		return a + b
	})
	return f
}

func (p real) end(stop bool) error {
	if stop {
		return p.e.Stop()
	}
	return p.e.Shutdown(background)
}

func (p real) stats() executor.Stats { return p.e.Stats() }
