package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/jobs"
	"github.com/exactlyonce/certify/reports/record"
)

const (
	rivals     = 3 // goroutines that start the same id
	jobCancels = 2 // that cancel whatever has it
)

var errStore = errors.New("the store fails by design")

// jobRace: rivals start the same id while others cancel it and the store fails
// at any of its writes. One of the starts has the id at a time; what Cancel said
// agrees with the outcome; whatever happened, the id is free again.
func (t *trial) jobRace() {
	store := &failingStore{every: 7}
	store.failing.Store(true)
	s, _, err := jobs.New(t.subject.(native).Native(), jobs.Config{Capacity: t.spec.Batch * rivals, Store: store})
	if err != nil {
		t.found.add(record.Contract, "new supervisor: %v", err)
		return
	}
	var sum jobCounts
	t.batches(func(base, n int) {
		for round := base; round < base+n && t.found.none(); round++ {
			r := &jobRound{trial: t, round: round, s: s, id: fmt.Sprintf("job-%d", round%8)}
			r.run()
			sum.add(r.counts)
		}
		store.failing.Store(false)
		t.checkFree(s, base)
		store.failing.Store(true)
		t.checkQuiet(base)
	})
	if err := s.Close(context.Background()); err != nil {
		t.found.add(record.Contract, "close of the supervisor: %v", err)
	}
	t.value("jobs", float64(sum.accepted))
	t.value("jobs-refused", float64(sum.refused))
	t.value("jobs-cancelled", float64(sum.cancelled))
	t.value("store-failures", float64(store.failures.Load()))
}

type jobCounts struct{ accepted, refused, cancelled int }

func (c *jobCounts) add(o jobCounts) {
	c.accepted, c.refused, c.cancelled = c.accepted+o.accepted, c.refused+o.refused, c.cancelled+o.cancelled
}

// jobRound is one round: the starts of one id.
type jobRound struct {
	*trial
	round  int
	s      *jobs.Supervisor
	id     string
	in     atomic.Int32 // bodies and finalizations of the id under way
	starts [rivals]jobStart
	counts jobCounts
}

// jobStart is one start, and what happened to it.
type jobStart struct {
	handle  atomic.Pointer[jobs.Handle] // nil: refused, or not yet
	err     error
	ran     atomic.Int32
	finals  atomic.Int32
	cancels atomic.Int32 // that were accepted
}

func (r *jobRound) run() {
	var crew sync.WaitGroup
	for i := range r.starts {
		crew.Go(func() { r.start(&r.starts[i]) })
	}
	for c := range jobCancels {
		rng := rand.New(rand.NewPCG(r.spec.Seed, uint64(r.round*jobCancels+c)))
		crew.Go(func() { r.cancel(rng) })
	}
	crew.Wait()
	r.strike(r.round)
	for i := range r.starts {
		r.check(&r.starts[i])
	}
}

func (r *jobRound) start(st *jobStart) {
	enter := func() {
		if n := r.in.Add(1); n > 1 {
			r.found.add(record.Duplicated, "round %d: %d jobs named %s at once", r.round, n, r.id)
		}
	}
	h, err := r.s.Start(context.Background(), r.id, jobs.Job{
		Run: func(ctx context.Context, _ *executor.Worker) ([]byte, error) {
			enter()
			defer r.in.Add(-1)
			st.ran.Add(1)
			if r.round%3 == 0 {
				return nil, errChurn
			}
			runtime.Gosched()
			return []byte(r.id), nil
		},
		Finalize: func(context.Context, jobs.Outcome) error {
			enter()
			defer r.in.Add(-1)
			st.finals.Add(1)
			runtime.Gosched()
			return nil
		},
	})
	if st.err = err; err == nil {
		st.handle.Store(h)
	}
}

// cancel cancels whichever start has been accepted, as long as none has been
// told no.
func (r *jobRound) cancel(rng *rand.Rand) {
	for range rng.IntN(12) {
		runtime.Gosched()
	}
	for i := range r.starts {
		h := r.starts[i].handle.Load()
		if h == nil {
			continue
		}
		switch err := h.Cancel(errCause); {
		case err == nil:
			r.starts[i].cancels.Add(1)
		case !errors.Is(err, jobs.ErrFinalizing) && !errors.Is(err, jobs.ErrUnknown):
			r.found.add(record.Contract, "round %d: cancel of %s: %v", r.round, r.id, err)
		}
	}
}

func (r *jobRound) check(st *jobStart) {
	if h := st.handle.Load(); h != nil {
		o, _ := h.Wait(context.Background())
		r.judge(st, o)
		return
	}
	r.counts.refused++
	if st.ran.Load()+st.finals.Load() > 0 {
		r.found.add(record.Duplicated, "round %d: a start of %s that was refused with %v ran", r.round, r.id, st.err)
	}
	if !errors.Is(st.err, jobs.ErrDuplicateID) && !errors.Is(st.err, errStore) {
		r.found.add(record.Contract, "round %d: a start of %s was refused with %v", r.round, r.id, st.err)
	}
}

// judge compares how an accepted job ended with what happened to it.
func (r *jobRound) judge(st *jobStart, o jobs.Outcome) {
	r.counts.accepted++
	cancelled := o.End == jobs.Cancelled
	if cancelled {
		r.counts.cancelled++
	}
	ran, finals := st.ran.Load(), st.finals.Load()
	failed := errors.Is(o.Cause, errStore) // its beginning could not be recorded
	switch {
	case cancelled != (st.cancels.Load() > 0):
		r.found.add(record.Contract, "round %d: job %s ended as %s, and %d cancels were accepted", r.round, r.id, o.End, st.cancels.Load())
	case ran > 1 || finals > 1:
		r.found.add(record.Duplicated, "round %d: job %s ran %d times and was finalized %d times", r.round, r.id, ran, finals)
	case o.Began != (ran == 1) || ran != finals:
		r.found.add(record.Lost, "round %d: job %s began: %t, ran %d times, finalized %d times", r.round, r.id, o.Began, ran, finals)
	case !cancelled && !failed && (ran == 0 || (o.End == jobs.Failed) != (r.round%3 == 0)):
		r.found.add(record.Contract, "round %d: job %s ended as %s: %v", r.round, r.id, o.End, o.Cause)
	}
}

// checkFree starts every id once more, with a store that works.
func (t *trial) checkFree(s *jobs.Supervisor, base int) {
	if left := s.List(); len(left) > 0 {
		t.found.add(record.Contract, "after the rounds from %d on the supervisor has %v", base, left)
	}
	for i := range 8 {
		id := fmt.Sprintf("job-%d", i)
		h, err := s.Start(context.Background(), id, jobs.Job{Run: func(context.Context, *executor.Worker) ([]byte, error) { return nil, nil }})
		if err != nil {
			t.found.add(record.Contract, "after the rounds from %d on %s is not free: %v", base, id, err)
			continue
		}
		if o, err := h.Wait(context.Background()); err != nil || o.End != jobs.Completed {
			t.found.add(record.Contract, "after the rounds from %d on %s ended as %s: %v", base, id, o.End, err)
		}
	}
}

// failingStore fails at every some-th write, before or after it has written.
type failingStore struct {
	jobs.Memory
	every    int64
	failing  atomic.Bool
	writes   atomic.Int64
	failures atomic.Int64
}

func (s *failingStore) Put(r jobs.Record) error {
	n := s.writes.Add(1)
	fails := s.failing.Load() && n%s.every == 0
	if !fails || n%(2*s.every) == 0 {
		if err := s.Memory.Put(r); err != nil {
			return err
		}
	}
	if fails {
		s.failures.Add(1)
		return errStore
	}
	return nil
}
