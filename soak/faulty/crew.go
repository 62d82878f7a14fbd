package faulty

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
)

// crew is a correct soak.Polls in the plainest way: everything under one lock,
// every body on a goroutine of its own, a helper for whoever waits. It is the
// control that must survive; the faults make it wrong, each in one way.
type crew struct {
	faults   crewFaults
	workers  int
	capacity int

	mu       sync.Mutex
	cond     sync.Cond // of any change
	queue    []*job    // guarded by mu, like all that follows
	stored   int       // accepted and not over
	closed   bool
	sleeping int
	ended    uint64
	idles    map[*job]bool
	alive    int // workers and helpers
	kept     []*job
	mishaps  mishaps
}

// crewFaults are what a crew can have wrong.
type crewFaults struct {
	loseWake, doubleWake      bool // of a task that is polled
	finishUndoesCancel        bool
	runCancelled, bothTold    bool
	causeLost                 bool
	panicTakesWorker          bool
	dropAtClose, runRefused   bool
	waitHolds, waiterRunsAny  bool
	acceptEnded, dropWhenFull bool
	loseSignal, busyWait      bool
	leakGoroutine, leakMemory bool
	gauge                     int64
	unbalanced, swallowPanic  bool
	resolveEarly              bool
	dropPermit, goexitCounts  bool
	sleepAtClose, keepTasks   bool

	looksWake, lateSleep, latchSearch, retireDrift bool
	oneShort, restartsEmpty, noWorkers             bool
	closeTellsOne, checkThenSend, touchClosed      bool
	dropRest, keepWaiters                          bool
}

type jobState int

const (
	queued jobState = iota
	running
	notified
	idle
	over
)

type job struct {
	p         *crew
	body      soak.Body
	poll      soak.PollBody
	state     jobState
	cancelled error // the cause
	value     int
	err       error
	ctx       context.Context
	cancel    context.CancelCauseFunc
}

func newCrew(o soak.Options, f crewFaults) *crew {
	p := &crew{workers: o.Workers, capacity: o.Capacity, faults: f, idles: map[*job]bool{}}
	if p.workers == 0 {
		p.workers = runtime.GOMAXPROCS(0)
	}
	p.cond.L = &p.mu
	p.mu.Lock()
	defer p.mu.Unlock()
	for w := range p.hired() {
		p.start(w, func() bool { return p.closed && p.stored == 0 && !(w == 0 && p.faults.sleepAtClose) })
	}
	return p
}

// start has a goroutine work until done says so. mu is held. A count under mu
// and not a WaitGroup: a waiter outside may start a helper after the last
// worker has ended, while Close is coming back.
func (p *crew) start(worker int, done func() bool) {
	p.alive++
	go func() {
		p.work(worker, done)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.alive--
		p.cond.Broadcast()
	}()
}

// join waits for them all. mu is held.
func (p *crew) join() {
	for p.alive > 0 {
		p.cond.Wait()
	}
}

// work runs jobs until done says so, which is called with mu held.
func (p *crew) work(worker int, done func() bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !done() {
		if len(p.queue) == 0 {
			p.sleep(worker)
			continue
		}
		j := p.queue[0]
		p.queue = p.queue[1:]
		if j.state == queued && !p.run(j, worker) || p.drifted() {
			return
		}
	}
}

func (p *crew) sleep(worker int) {
	if worker >= 0 {
		p.sleeping++
		defer p.awake()
	}
	if p.faults.busyWait {
		p.mu.Unlock()
		runtime.Gosched()
		p.mu.Lock()
		return
	}
	p.beforeSleep()
	p.cond.Wait()
}

// run runs one step of a job on a goroutine of its own. mu is held, but not
// meanwhile. It is false when the worker is lost.
func (p *crew) run(j *job, worker int) (ok bool) {
	j.state = running
	p.mu.Unlock()
	var ready, returned bool
	var step sync.WaitGroup
	step.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				j.err = fmt.Errorf("panicked: %v", v)
			} else if !returned {
				j.err = errGoexit
			}
		}()
		if j.poll != nil {
			j.value, ready = j.poll(j.wake)
		} else {
			j.value, j.err = j.body(crewInside{j, worker})
			ready = true
		}
		returned = true
	})
	step.Wait()
	p.mu.Lock()
	switch {
	case returned && !ready && j.cancelled == nil:
		p.pend(j)
	default:
		if !returned && p.faults.swallowPanic {
			j.err = nil
		}
		if p.faults.finishUndoesCancel {
			j.cancelled = nil
		}
		if !returned {
			p.badEnd()
		}
		p.end(j)
		return returned || !p.faults.panicTakesWorker
	}
	return true
}

// pend is a step that was not ready. mu is held.
func (p *crew) pend(j *job) {
	if j.state == notified {
		p.enqueue(j)
		return
	}
	j.state = idle
	p.idles[j] = true
}

// end resolves a job. mu is held.
func (p *crew) end(j *job) {
	if j.cancelled != nil {
		j.value, j.err = 0, fmt.Errorf("%w: %w", soak.ErrCancelled, j.cancelled)
		if p.faults.causeLost {
			j.err = soak.ErrCancelled
		}
	}
	if j.state != over && !p.forgets(j) {
		p.stored--
		p.ended++
	}
	j.state = over
	delete(p.idles, j)
	j.cancel(j.cancelled)
	p.cond.Broadcast()
}

// forgets: the end of the job is not counted.
func (p *crew) forgets(j *job) bool {
	return p.faults.dropPermit && j.cancelled != nil || p.faults.goexitCounts && errors.Is(j.err, errGoexit)
}

var errGoexit = errors.New("called Goexit")

// enqueue makes a job queued. mu is held.
func (p *crew) enqueue(j *job) {
	j.state = queued
	delete(p.idles, j)
	p.queue = append(p.queue, j)
	if p.mishaps.searching == 0 && (!p.faults.loseSignal || len(p.queue) > 1 || p.sleeping < p.workers) {
		p.cond.Broadcast()
	}
}

// accept stores a job and queues it. mu is held.
func (p *crew) accept(j *job) *job {
	j.p = p
	j.ctx, j.cancel = context.WithCancelCause(context.Background())
	p.stored++
	p.enqueue(j)
	if p.faults.keepTasks {
		p.kept = append(p.kept, j)
	}
	return j
}

func (p *crew) submit(ctx context.Context, try bool, j *job) (soak.Task, error) {
	if err := ctx.Err(); err != nil && !p.faults.acceptEnded {
		p.expired()
		return nil, err
	}
	defer context.AfterFunc(ctx, p.changed)()
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed && p.stored >= p.capacity {
		if try {
			return nil, soak.ErrSaturated
		}
		if err := ctx.Err(); err != nil {
			p.expired()
			return nil, err
		}
		p.cond.Wait()
		p.closedToldOne()
	}
	if p.closed {
		if p.faults.runRefused && j.body != nil {
			p.mu.Unlock()
			_, _ = j.body(crewInside{&job{p: p, ctx: context.Background()}, -1})
			p.mu.Lock()
		}
		return nil, soak.ErrShutdown
	}
	p.beforeSend()
	defer p.afterSend()
	return p.accept(j), nil
}

func (p *crew) Submit(ctx context.Context, body soak.Body) (soak.Task, error) {
	return p.submit(ctx, false, &job{body: body})
}

func (p *crew) TrySubmit(body soak.Body) (soak.Task, error) {
	return p.submit(context.Background(), true, &job{body: body})
}

func (p *crew) SubmitPoll(ctx context.Context, body soak.PollBody) (soak.Task, error) {
	return p.submit(ctx, false, &job{poll: body})
}

func (p *crew) Workers() int { return p.workers }

func (p *crew) Batch(int, soak.Probe, func(int, int, error)) (int, error) {
	return 0, errors.New("a crew has no batches")
}

func (p *crew) Stats() soak.Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looked()
	s := soak.Stats{
		Progress: p.ended,
		Gauges: []soak.Gauge{
			{Name: soak.SleepingGauge, Value: int64(p.sleeping), Max: int64(p.workers), Quiet: -1},
			{Name: "level", Value: p.faults.gauge + p.mishaps.late, Max: 1, Quiet: -1},
		},
		Counts: []record.Value{{Unit: "ended", Value: float64(p.ended)}},
	}
	if p.faults.unbalanced {
		s.Unbalanced = "2 in, 1 out"
	}
	return s
}

func (p *crew) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.faults.dropAtClose {
		for _, j := range p.queue {
			if j.state == queued && j.cancelled == nil {
				p.end(j)
			}
		}
	}
	p.cond.Broadcast()
	p.join()
	p.leak()
	p.mishaps.over = true
	return nil
}

func (p *crew) Stop() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, j := range p.queue {
		if j.state == queued {
			j.cancelled = errors.New("stopped")
			p.end(j)
		}
	}
	for j := range p.idles {
		j.cancelled = errors.New("stopped")
		p.end(j)
	}
	p.cond.Broadcast()
	p.join()
	return nil
}

// leaked is what faulty crews leave.
var leaked struct {
	mu     sync.Mutex
	memory [][]byte
}

func (p *crew) leak() {
	if p.faults.leakGoroutine {
		go func() { select {} }()
	}
	if p.faults.leakMemory {
		leaked.mu.Lock()
		leaked.memory = append(leaked.memory, make([]byte, 4096))
		leaked.mu.Unlock()
	}
}
