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

const (
	closingSubmitters = 3
	closingSubmits    = 6 // of each
)

// shutdownRace: an executor is closed, stopped, or both, while submitters are
// at work and tasks spawn. A task is accepted or refused, and nothing between:
// accepted it runs once, or Stop cancelled it; refused it never runs.
func (t *trial) shutdownRace() {
	var refused, abandoned, ran int
	t.batches(func(base, n int) {
		for round := base; round < base+n && t.found.none(); round++ {
			r := &closing{trial: t, round: round, rng: rand.New(rand.NewPCG(t.spec.Seed, uint64(round)))}
			r.run()
			refused, abandoned, ran = refused+r.refused, abandoned+r.abandoned, ran+r.completed
		}
	})
	t.value("refused", float64(refused))
	t.value("abandoned", float64(abandoned))
	t.value("completed", float64(ran))
}

// closing is one round of shutdown-race.
type closing struct {
	*trial
	round   int
	rng     *rand.Rand
	pool    submitter
	tasks   Tasks        // the same, if it is one: it can be stopped, is tried and spawns
	tried   atomic.Int32 // attempts that have begun
	begun   atomic.Bool  // Close or Stop is about to be called
	stopped atomic.Bool  // Stop is
	all     [closingSubmitters][closingSubmits]attempt

	refused, abandoned, completed int
}

// attempt is a task that was to be submitted, and its child.
type attempt struct {
	task       Task // nil: it was refused
	err        error
	ran, child atomic.Int32 // how often each body ran
	spawned    Task         // the child; written by the body
}

func (r *closing) run() {
	r.pool = r.another(Options{Workers: 1 + r.round%3, Capacity: 4}).(submitter)
	r.tasks, _ = r.pool.(Tasks)
	var crew sync.WaitGroup
	ready := newMeeting(closingSubmitters + 1)
	for s := range r.all {
		crew.Go(func() {
			ready.arrive()
			for i := range r.all[s] {
				r.submit(&r.all[s][i], i)
			}
		})
	}
	ready.arrive()
	k := int32(r.rng.IntN(closingSubmitters * closingSubmits))
	for n := 0; r.tried.Load() < k && n < 50; n++ { // some may be waiting for room
		runtime.Gosched()
	}
	r.begun.Store(true)
	r.end(&crew)
	crew.Wait()
	r.check()
}

// end closes the executor in one of four ways, or the one that a pool has.
func (r *closing) end(crew *sync.WaitGroup) {
	closed := func() {
		if err := r.pool.Close(); err != nil {
			r.found.add(record.Contract, "round %d: close: %v", r.round, err)
		}
	}
	stopped := func() {
		r.stopped.Store(true)
		if err := r.tasks.Stop(); err != nil {
			r.found.add(record.Contract, "round %d: stop: %v", r.round, err)
		}
	}
	switch how := r.rng.IntN(4); {
	case r.tasks == nil:
		closed()
	case how == 0:
		stopped()
	case how == 1:
		crew.Go(closed)
		stopped()
	case how == 2:
		crew.Go(closed)
		closed()
	default:
		closed()
	}
}

func (r *closing) submit(a *attempt, i int) {
	body := func(in Inside) (int, error) {
		a.ran.Add(1)
		for i == 0 && !r.begun.Load() && r.spin() { // so that work is queued then
		}
		if r.tasks == nil {
			return 1, nil
		}
		a.spawned = in.Spawn(func(Inside) (int, error) { return int(a.child.Add(1)), nil })
		if i%2 == 0 {
			return a.spawned.Wait(context.Background())
		}
		return 1, nil
	}
	if r.tried.Add(1); i%2 == 1 {
		runtime.Gosched()
	}
	if r.tasks == nil || i%3 == 0 {
		a.task, a.err = r.pool.Submit(context.Background(), body)
	} else {
		a.task, a.err = r.tasks.TrySubmit(body)
	}
}

// check looks at every attempt after everything is over.
func (r *closing) check() {
	r.strike(r.round)
	for s := range r.all {
		for i := range r.all[s] {
			a := &r.all[s][i]
			if a.task == nil {
				r.checkRefused(a)
			} else {
				r.checkAccepted(a)
			}
		}
	}
	r.checkQuiet(r.round)
	r.retire(r.pool)
}

func (r *closing) checkRefused(a *attempt) {
	r.refused++
	if a.ran.Load() != 0 {
		r.found.add(record.Duplicated, "round %d: a task that was refused with %v ran", r.round, a.err)
	}
	if r.tasks != nil && !errors.Is(a.err, ErrShutdown) && !errors.Is(a.err, ErrSaturated) {
		r.found.add(record.Contract, "round %d: a task was refused with %v", r.round, a.err)
	}
}

func (r *closing) checkAccepted(a *attempt) {
	e := waitFor(a.task)
	cancelled := errors.Is(e.err, ErrCancelled)
	ran := int(a.ran.Load())
	switch {
	case ran > 1 || a.child.Load() > 1:
		r.found.add(record.Duplicated, "round %d: a task ran %d times, its child %d times", r.round, ran, a.child.Load())
	case cancelled && !r.stopped.Load():
		r.found.add(record.Lost, "round %d: a task ended with %v, and nobody stopped the executor", r.round, e.err)
	case !cancelled && (e.err != nil || ran != 1):
		r.found.add(record.Lost, "round %d: a task ended with %d, %v after %d runs", r.round, e.value, e.err, ran)
	}
	if ran == 1 && r.tasks != nil {
		child := waitFor(a.spawned)
		if ranChild := a.child.Load(); (child.err == nil) != (ranChild == 1) || child.err != nil && !r.stopped.Load() {
			r.found.add(record.Lost, "round %d: a child ended with %v after %d runs", r.round, child.err, ranChild)
		}
	}
	if cancelled {
		r.abandoned++
	} else {
		r.completed++
	}
}
