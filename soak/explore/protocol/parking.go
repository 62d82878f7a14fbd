package protocol

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues/mutex"
	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/atomic"
)

var background = context.Background()

// pool is an executor in one execution, and what it was given.
type pool struct {
	*executor.Executor
	tasks []*task
	left  atomic.Bool // Shutdown or Stop has returned: nobody runs anything
	late  atomic.Bool // somebody did
}

// task is one that somebody tried to submit, or spawned.
type task struct {
	ran       atomic.Int64
	accepted  bool // these by the thread that submits it
	cancelled bool // a Cancel was told so
	value     int
	err       error
	resolved  bool
}

// start makes the executor. It is called by a thread: the workers are threads of its.
func (p *pool) start(workers int) {
	cfg := executor.Config{Workers: workers, Capacity: 64, Seed: 1}
	for _, b := range mutex.Backends[executor.Task]() {
		if b.Injector != nil {
			cfg.Injector = b
		} else {
			cfg.Deque = b
		}
	}
	var err error
	if p.Executor, err = executor.New(cfg); err != nil {
		panic(err)
	}
}

// body counts a run of t.
func (p *pool) body(t *task) func(*executor.Worker) (int, error) {
	return func(*executor.Worker) (int, error) {
		t.ran.Add(1)
		if p.left.Load() {
			p.late.Store(true)
		}
		return 7, nil
	}
}

// submit waits for t's end, if it is accepted, and for the child's, if t is to spawn
// one.
func (p *pool) submit(t, child *task, cancel bool) {
	var h, spawned *executor.Handle[int]
	fn := p.body(t)
	if child != nil {
		fn = func(w *executor.Worker) (int, error) {
			child.accepted = true
			spawned = executor.Spawn(w, p.body(child))
			return p.body(t)(w)
		}
	}
	explore.Call("submit", func() { h, t.err = executor.Submit(background, p.Executor, fn) })
	if t.err != nil {
		return
	}
	t.accepted = true
	if cancel {
		explore.Call("cancel", func() { t.cancelled = h.Cancel(nil) })
	}
	explore.Call("wait", func() { t.wait(h) })
	if spawned != nil {
		explore.Call("wait for the child", func() { child.wait(spawned) })
	}
}

func (t *task) wait(h *executor.Handle[int]) {
	t.value, t.err = h.Wait(background)
	t.resolved = true
}

// end shuts down or stops.
func (p *pool) end(stop bool) {
	if stop {
		explore.Call("stop", func() { p.must(p.Stop()) })
	} else {
		explore.Call("shutdown", func() { p.must(p.Shutdown(background)) })
	}
	p.left.Store(true)
}

func (p *pool) must(err error) {
	if err != nil {
		panic(err)
	}
}

// judge holds what happened against the laws.
func (p *pool) judge(stopped bool) error {
	if p.late.Load() {
		return errors.New("a task ran after the executor had left")
	}
	for i, t := range p.tasks {
		ran := t.ran.Load()
		switch {
		case ran > 1:
			return fmt.Errorf("task %d ran %d times: %d too often", i+1, ran, ran-1)
		case !t.accepted && ran > 0:
			return fmt.Errorf("task %d was refused and ran", i+1)
		case !t.accepted:
			if t.err != nil && !errors.Is(t.err, executor.ErrShutdown) {
				return fmt.Errorf("task %d was refused by %w", i+1, t.err)
			}
		case !t.resolved:
			return fmt.Errorf("task %d is lost: it was accepted and its handle does not resolve", i+1)
		case t.err == nil && (ran != 1 || t.value != 7 || t.cancelled):
			return fmt.Errorf("task %d is lost: it ran %d times, its handle says %d, it was cancelled: %v", i+1, ran, t.value, t.cancelled)
		case t.err != nil && !t.cancelled && !stopped:
			return fmt.Errorf("task %d was accepted and ended with %w", i+1, t.err)
		case t.err != nil && !errors.Is(t.err, executor.ErrCancelled):
			return fmt.Errorf("task %d was abandoned and ended with %w", i+1, t.err)
		}
	}
	return nil
}

// plot is what the threads beside the one that ends the executor do.
type plot struct {
	name    string
	workers int
	large   bool
	submits []submit // a thread each
	after   bool     // the executor ends when they have ended, and not meanwhile
	stop    bool     // it abandons
	twice   bool     // another thread shuts down as well
}

// submit is a thread's tasks, one after the other.
type submit struct {
	tasks  int
	spawn  bool // each spawns one more and waits for it
	cancel bool // and is cancelled
}

var one = submit{tasks: 1}

func plots() []plot {
	cancelled, spawning, again := submit{tasks: 1, cancel: true}, submit{tasks: 1, spawn: true}, submit{tasks: 2}
	return []plot{
		{name: "1-worker/shutdown", workers: 1},
		{name: "1-worker/submit-shutdown", workers: 1, large: true, submits: []submit{one}},
		{name: "1-worker/again", workers: 1, large: true, submits: []submit{again}, after: true},
		{name: "1-worker/cancel-shutdown", workers: 1, large: true, submits: []submit{cancelled}},
		{name: "1-worker/stop", workers: 1, large: true, submits: []submit{one}, stop: true},
		{name: "1-worker/submit-submit", workers: 1, large: true, submits: []submit{one, one}, after: true},
		{name: "2-workers/shutdown", workers: 2, large: true},
		{name: "2-workers/submit-shutdown", workers: 2, large: true, submits: []submit{one}},
		{name: "2-workers/two-shutdowns", workers: 2, large: true, twice: true},
		{name: "2-workers/spawn-steal", workers: 2, large: true, submits: []submit{spawning}},
		{name: "2-workers/cancel-shutdown", workers: 2, large: true, submits: []submit{cancelled}},
		{name: "2-workers/stop", workers: 2, large: true, submits: []submit{one}, stop: true},
	}
}

func parking() (all []*program) {
	for _, pl := range plots() {
		counts := tally{}
		all = append(all, &program{
			protocol: "parking", name: pl.name, threads: 1, large: pl.large, counts: counts,
			body: func(t *explore.T) { pl.body(t, counts) },
		})
	}
	return all
}

// body is the program: one thread makes the executor and ends it.
func (pl plot) body(t *explore.T, counts tally) {
	p := new(pool)
	t.Go(func() {
		p.start(pl.workers)
		var done atomic.Int64
		for _, s := range pl.submits {
			todo := p.plan(s)
			explore.Go(func() {
				for _, pair := range todo {
					p.submit(pair[0], pair[1], s.cancel)
				}
				if done.Add(1) == int64(len(pl.submits)) && pl.after {
					p.end(pl.stop)
				}
			})
		}
		if pl.twice {
			explore.Go(func() { p.end(false) })
		}
		if !pl.after {
			p.end(pl.stop)
		}
	})
	t.Check(func() error {
		s := p.Stats()
		counts.meet("parked", s.Parks > 0)
		counts.meet("woken", s.Wakes > 0)
		counts.meet("stolen", s.Stolen > 0)
		counts.meet("refused", slices.ContainsFunc(p.tasks, func(t *task) bool { return !t.accepted }))
		counts.meet("cancelled", slices.ContainsFunc(p.tasks, func(t *task) bool { return t.accepted && t.err != nil }))
		return p.judge(pl.stop)
	})
}

// plan makes the tasks of a thread, each with its child or nil.
func (p *pool) plan(s submit) (all [][2]*task) {
	for range s.tasks {
		pair := [2]*task{new(task)}
		p.tasks = append(p.tasks, pair[0])
		if s.spawn {
			pair[1] = new(task)
			p.tasks = append(p.tasks, pair[1])
		}
		all = append(all, pair)
	}
	return all
}
