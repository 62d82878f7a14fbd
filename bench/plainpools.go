package bench

import "sync"

// none is what tasks receive that need nothing in order to spawn.
type none = struct{}

// inline is no pool: tasks run where they are given. Its time is the loop's own
// and that of the problem, on one processor, which is what a pool must beat.
type inline struct{}

// result is what a body has returned.
type result struct {
	value int
	err   error
}

func openInline(int) (Pool[none, result], error) { return inline{}, nil }

func (inline) Submit(body func(none) (int, error)) (result, error) {
	return inline{}.Spawn(none{}, body), nil
}

func (inline) Spawn(_ none, body func(none) (int, error)) result {
	v, err := body(none{})
	return result{v, err}
}

func (inline) Await(r result) (int, error) { return r.value, r.err }

func (inline) Join(_ none, r result) (int, error) { return r.value, r.err }

func (inline) Close() error { return nil }

// future is the result of a task, of which there is room for one.
type future chan result

func (f future) get() (int, error) {
	r := <-f
	return r.value, r.err
}

func (f future) run(body func(none) (int, error)) {
	v, err := body(none{})
	f <- result{v, err}
}

// goroutines is no pool: a goroutine a task. It has no workers to count.
type goroutines struct{ running sync.WaitGroup }

func openGoroutines(int) (Pool[none, future], error) { return new(goroutines), nil }

func (p *goroutines) Submit(body func(none) (int, error)) (future, error) {
	return p.Spawn(none{}, body), nil
}

func (p *goroutines) Spawn(_ none, body func(none) (int, error)) future {
	f := make(future, 1)
	p.running.Go(func() { f.run(body) })
	return f
}

func (p *goroutines) Await(f future) (int, error) { return f.get() }

func (p *goroutines) Join(_ none, f future) (int, error) { return f.get() }

func (p *goroutines) Close() error {
	p.running.Wait()
	return nil
}

// channelPool is the pool that people write by hand: workers that receive from
// one channel. A task that joins runs others meanwhile, else all workers could
// come to wait for what is in the channel.
type channelPool struct {
	jobs    chan job
	workers sync.WaitGroup
}

type job struct {
	body   func(none) (int, error)
	future future
}

// channelRoom is the capacity of the channel, as of our executor.
const channelRoom = 1 << 14

func openChannelPool(workers int) (Pool[none, future], error) {
	p := &channelPool{jobs: make(chan job, channelRoom)}
	for range workers {
		p.workers.Go(func() {
			for j := range p.jobs {
				j.future.run(j.body)
			}
		})
	}
	return p, nil
}

func (p *channelPool) Submit(body func(none) (int, error)) (future, error) {
	j := job{body, make(future, 1)}
	p.jobs <- j
	return j.future, nil
}

func (p *channelPool) Await(f future) (int, error) { return f.get() }

func (p *channelPool) Spawn(_ none, body func(none) (int, error)) future {
	j := job{body, make(future, 1)}
	select {
	case p.jobs <- j:
	default:
		j.future.run(body)
	}
	return j.future
}

func (p *channelPool) Join(_ none, f future) (int, error) {
	for {
		select {
		case r := <-f:
			return r.value, r.err
		case j := <-p.jobs:
			j.future.run(j.body)
		}
	}
}

// Close may be called when every task has been awaited, or joined by one that
// was: then nobody sends any more.
func (p *channelPool) Close() error {
	close(p.jobs)
	p.workers.Wait()
	return nil
}
