package peers

import (
	"context"
	"fmt"
	"sync"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues/catalog"
)

var background = context.Background()

// backEnds are the names of an injector and a deque. Without names they are what the
// executor takes that is told nothing.
type backEnds struct{ injector, deque string }

func (b backEnds) open(o Options) (*executor.Executor, error) {
	c := executor.Config{Workers: o.Workers, Capacity: o.Room}
	if b.injector != "" {
		injector, err := catalog.Injector[executor.Task](b.injector)
		if err != nil {
			return nil, fmt.Errorf("peers: open: %w", err)
		}
		deque, err := catalog.Deque[executor.Task](b.deque)
		if err != nil {
			return nil, fmt.Errorf("peers: open: %w", err)
		}
		c.Injector, c.Deque = injector, deque
	}
	return executor.New(c)
}

// lightTasks are those of a Group, by Go and Spawn.
type lightTasks struct {
	exec  *executor.Executor
	group *executor.Group
}

func openLight(b backEnds) open[executor.Func] {
	return func(o Options) (Pool[executor.Func], error) { return newLight(b, o) }
}

func newLight(b backEnds, o Options) (*lightTasks, error) {
	e, err := b.open(o)
	if err != nil {
		return nil, err
	}
	return &lightTasks{e, executor.NewGroup(e)}, nil
}

func (p *lightTasks) Begin(int) {}

func (p *lightTasks) Task(body Body) executor.Func {
	return func(w *executor.Worker, _ any) { body(w) }
}

func (p *lightTasks) Submit(t executor.Func) error { return p.group.Go(t, nil) }

func (p *lightTasks) Spawn(w *executor.Worker, t executor.Func) error {
	p.group.Spawn(w, t, nil)
	return nil
}

func (p *lightTasks) Wait() error { return p.group.Wait(background) }

func (p *lightTasks) Close() error { return p.exec.Shutdown(background) }

func (p *lightTasks) Wakes() uint64 { return p.exec.Stats().Wakes }

// goAll is light tasks that are given many at once.
type goAll struct{ *lightTasks }

func openGoAll(o Options) (Pool[executor.Func], error) {
	p, err := newLight(backEnds{}, o)
	return goAll{p}, err
}

// arguments are those of as many tasks as are given at once.
var arguments [256]any

func (p goAll) SubmitMany(t executor.Func, n int) error {
	for ; n > 0; n -= len(arguments) {
		if _, err := p.group.GoAll(t, arguments[:min(n, len(arguments))]); err != nil {
			return err
		}
	}
	return nil
}

// handled is the task of those that have handles.
type handled = func(*executor.Worker) (struct{}, error)

// handles is tasks by the function Submit, each with a handle. The handles are not
// kept: a WaitGroup counts the ends, as for pools that have no other wait.
type handles struct {
	exec    *executor.Executor
	pending sync.WaitGroup
}

func openHandles(b backEnds) open[handled] {
	return func(o Options) (Pool[handled], error) {
		e, err := b.open(o)
		return &handles{exec: e}, err
	}
}

func (p *handles) Begin(n int) { p.pending.Add(n) }

func (p *handles) Task(body Body) handled {
	return func(w *executor.Worker) (none struct{}, err error) {
		body(w)
		p.pending.Done()
		return none, nil
	}
}

func (p *handles) Submit(t handled) error {
	_, err := executor.Submit(background, p.exec, t)
	return err
}

func (p *handles) Spawn(w *executor.Worker, t handled) error {
	executor.Spawn(w, t)
	return nil
}

func (p *handles) Wait() error {
	p.pending.Wait()
	return nil
}

func (p *handles) Close() error { return p.exec.Shutdown(background) }

func (p *handles) Wakes() uint64 { return p.exec.Stats().Wakes }
