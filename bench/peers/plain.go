package peers

import (
	"sync"

	"github.com/exactlyonce/certify/executor"
)

// goroutines is no pool: a goroutine a task. Nothing limits how many run.
type goroutines struct{ counted }

func openGoroutines(Options) (Pool[func()], error) { return new(goroutines), nil }

func (p *goroutines) Submit(t func()) error {
	go t()
	return nil
}

func (p *goroutines) Spawn(_ *executor.Worker, t func()) error { return p.Submit(t) }

func (p *goroutines) Close() error { return p.Wait() }

// channel is the pool that people write by hand: workers that receive from one
// channel. A task that finds it full runs what it wanted to give, else all workers
// could come to wait for room.
type channel struct {
	counted
	jobs    chan func()
	workers sync.WaitGroup
}

func openChannel(o Options) (Pool[func()], error) {
	p := &channel{jobs: make(chan func(), o.Room)}
	for range o.Workers {
		p.workers.Go(func() {
			for job := range p.jobs {
				job()
			}
		})
	}
	return p, nil
}

func (p *channel) Submit(t func()) error {
	p.jobs <- t
	return nil
}

func (p *channel) Spawn(_ *executor.Worker, t func()) error {
	select {
	case p.jobs <- t:
	default:
		t()
	}
	return nil
}

func (p *channel) Close() error {
	close(p.jobs)
	p.workers.Wait()
	return nil
}
