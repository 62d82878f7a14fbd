package jobs_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/jobs"
)

// subject is a supervisor with one place and a store, as the laws see it.
type subject interface {
	start(id string, run, finalize func() error) (wait func() jobs.End, err error)
	cancel(id string) error
}

// real is ours.
type real struct{ rig }

func (r real) start(id string, run, finalize func() error) (func() jobs.End, error) {
	h, err := r.Start(background, id, jobs.Job{
		Run:      func(context.Context, *executor.Worker) ([]byte, error) { return nil, run() },
		Finalize: func(context.Context, jobs.Outcome) error { return finalize() },
	})
	if err != nil {
		return nil, err
	}
	return func() jobs.End { o, _ := h.Wait(background); return o.End }, nil
}

func (r real) cancel(id string) error { return r.Cancel(id, nil) }

// The faults of a toy, each of which breaks a law.
const (
	fChecksThenActs   = "looks for the id and takes it in two steps"
	fCancelFinalizing = "takes cancels while finalizing"
	fFreesEarly       = "frees the id before it finalizes"
	fKeepsOnCopy      = "keeps the place when finalizing fails"
	fKeepsOnWrite     = "keeps the place when the end cannot be written"
	fKeepsOnPanic     = "keeps the place when the body panics"
	fAsksStore        = "cancels only what the store knows"
	fCopyHeals        = "a good copy makes a failure good"
	fDropsCancel      = "forgets an accepted cancel"
	fRunsCancelled    = "runs what was cancelled while reserved"
	fWritesFirst      = "writes before it reserves"
)

// toy is a small supervisor with a fault, or none. Its jobs run on goroutines.
type toy struct {
	fault string
	store *badStore

	mu     sync.Mutex
	active map[string]*toyJob
	met    atomic.Int32 // starters between the two steps
}

type toyJob struct {
	phase     jobs.Phase
	cancelled bool
	end       jobs.End
	done      chan struct{}
}

func (y *toy) lock(f func()) { y.mu.Lock(); defer y.mu.Unlock(); f() }

func (y *toy) reserve(id string, j *toyJob) (err error) {
	if y.fault == fChecksThenActs {
		y.lock(func() {
			if y.active[id] != nil {
				err = jobs.ErrDuplicateID
			}
		})
		for y.met.Add(1); err == nil && y.met.Load() < 2; {
			runtime.Gosched()
		}
	}
	y.lock(func() {
		switch {
		case err != nil:
		case y.active[id] != nil && y.fault != fChecksThenActs:
			err = jobs.ErrDuplicateID
		case len(y.active) > 0 && y.fault != fChecksThenActs:
			err = jobs.ErrCapacity
		default:
			y.active[id] = j
		}
	})
	return err
}

func (y *toy) start(id string, run, finalize func() error) (func() jobs.End, error) {
	j := &toyJob{phase: jobs.Reserved, done: make(chan struct{})}
	put := func() error { return y.store.Put(jobs.Record{ID: id, Phase: jobs.Reserved}) }
	if y.fault == fWritesFirst {
		put()
	}
	if err := y.reserve(id, j); err != nil {
		return nil, err
	}
	if err := put(); err != nil {
		y.lock(func() { delete(y.active, id) })
		return nil, err
	}
	go y.live(id, j, run, finalize)
	return func() jobs.End { <-j.done; return j.end }, nil
}

// live mirrors the steps of run.go.
func (y *toy) live(id string, j *toyJob, run, finalize func() error) {
	defer close(j.done)
	begins := true
	y.store.Put(jobs.Record{ID: id, Phase: jobs.Running})
	y.lock(func() {
		if begins = !j.cancelled || y.fault == fRunsCancelled; begins {
			j.phase = jobs.Running
		}
	})
	var err error
	panicked := false
	if begins {
		err, panicked = call(run)
	}
	y.lock(func() {
		j.phase = jobs.Finalizing
		j.end = decide(err, j.cancelled && y.fault != fDropsCancel)
		if y.fault == fFreesEarly {
			delete(y.active, id)
		}
	})
	failed := begins && finalize() != nil
	if y.fault == fCopyHeals && !failed && j.end == jobs.Failed {
		j.end = jobs.Completed
	}
	unwritten := y.store.Put(jobs.Record{ID: id, Phase: jobs.Gone, End: j.end}) != nil
	y.lock(func() {
		keeps := y.fault == fKeepsOnCopy && failed || y.fault == fKeepsOnWrite && unwritten || y.fault == fKeepsOnPanic && panicked
		if y.fault == fCancelFinalizing && j.cancelled {
			j.end = jobs.Cancelled
		}
		if !keeps {
			delete(y.active, id)
		}
	})
}

func call(run func() error) (err error, panicked bool) {
	defer func() {
		if v := recover(); v != nil {
			err, panicked = errBody, true
		}
	}()
	return run(), false
}

func decide(err error, cancelled bool) jobs.End {
	switch {
	case cancelled:
		return jobs.Cancelled
	case err != nil:
		return jobs.Failed
	}
	return jobs.Completed
}

func (y *toy) cancel(id string) (err error) {
	if y.fault == fAsksStore && y.store.last(id).ID == "" {
		return jobs.ErrUnknown
	}
	y.lock(func() {
		switch j := y.active[id]; {
		case j == nil:
			err = jobs.ErrUnknown
		case j.phase == jobs.Finalizing && y.fault != fCancelFinalizing:
			err = jobs.ErrFinalizing
		default:
			j.cancelled = true
		}
	})
	return err
}

var errLaw = errors.New("law")
