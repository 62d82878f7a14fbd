package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/exactlyonce/certify/executor"
)

// DefaultCapacity is how many jobs there are at once when Config.Capacity
// is 0.
const DefaultCapacity = 1024

// Config is what New needs. The zero Config works.
type Config struct {
	// Capacity is how many jobs are reserved, running or finalizing at once.
	// 0 means DefaultCapacity.
	Capacity int
	// Store keeps records beyond the life of the supervisor. The caller closes
	// it, after Close. Nil means that nothing is kept: the registry in memory
	// is all there is.
	Store Store
}

// Supervisor runs jobs by name. It is safe for any goroutine.
type Supervisor struct {
	exec     *executor.Executor
	store    Store
	capacity int

	mu sync.Mutex
	// active has the jobs that are not gone. Guarded by mu.
	//
	// Invariant: len(active) <= capacity.
	active map[string]*Handle
	closed bool // guarded by mu; from false to true
}

// New returns a supervisor of jobs that run on e, and what the store knows of
// earlier ones. The executor may be shared, and should be shut down after
// Close.
func New(e *executor.Executor, cfg Config) (*Supervisor, Recovery, error) {
	if cfg.Capacity < 0 {
		return nil, Recovery{}, &ConfigError{"Capacity", cfg.Capacity, "0 or more"}
	}
	if cfg.Capacity == 0 {
		cfg.Capacity = DefaultCapacity
	}
	if cfg.Store == nil {
		cfg.Store = discard{}
	}
	stored, err := cfg.Store.Load()
	if err != nil {
		return nil, Recovery{}, fmt.Errorf("jobs: new: load: %w", err)
	}
	recovered, err := recovery(stored)
	if err != nil {
		return nil, Recovery{}, fmt.Errorf("jobs: new: load: %w", err)
	}
	s := &Supervisor{exec: e, store: cfg.Store, capacity: cfg.Capacity, active: map[string]*Handle{}}
	return s, recovered, nil
}

// reserve takes the id and a place, both or neither.
func (s *Supervisor) reserve(h *Handle) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("jobs: start %q: %w", h.id, ErrClosed)
	}
	if other := s.active[h.id]; other != nil {
		return &DuplicateError{h.id, other.phase}
	}
	if len(s.active) >= s.capacity {
		return fmt.Errorf("jobs: start %q: %w: %d of %d", h.id, ErrCapacity, len(s.active), s.capacity)
	}
	h.phase = Reserved
	s.active[h.id] = h
	return nil
}

// release is the one place where a job lets go of its place and its id.
// Whoever owns the job defers it: launch until the executor has the task,
// then watch. The executor's slot is free by then; the id comes last.
func (s *Supervisor) release(h *Handle) {
	s.mu.Lock()
	h.phase = Gone
	h.job = Job{}
	delete(s.active, h.id)
	s.mu.Unlock()
	close(h.done)
}

// Cancel ends the job of that id as Cancelled; nil stands for ErrCancelled as
// the cause. It returns nil when the job will end so (the first cause stays),
// an error that is ErrFinalizing when its end was decided before, or one that
// is ErrUnknown. A reserved job never runs; a running one is asked to return
// by its context. The cancel itself is not recorded: when the process dies
// before the end is, the job is recovered as pending or interrupted.
func (s *Supervisor) Cancel(id string, cause error) error {
	s.mu.Lock()
	h := s.active[id]
	s.mu.Unlock()
	if h == nil {
		return fmt.Errorf("jobs: cancel %q: %w", id, ErrUnknown)
	}
	return h.Cancel(cause)
}

// cancel decides, and returns what is then to be told, under one lock.
func (s *Supervisor) cancel(h *Handle, cause error) (*executor.Handle[none], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch h.phase {
	case Finalizing:
		return nil, ErrFinalizing
	case Gone:
		return nil, ErrUnknown
	}
	if h.cause == nil {
		h.cause = cause
	}
	return h.task, nil
}

// Status is a job that is not gone.
type Status struct {
	ID        string
	Phase     Phase
	Cancelled bool // a Cancel was accepted
}

// List returns the jobs that are not gone, sorted by id.
func (s *Supervisor) List() []Status {
	s.mu.Lock()
	all := make([]Status, 0, len(s.active))
	for id, h := range s.active {
		all = append(all, Status{id, h.phase, h.cause != nil})
	}
	s.mu.Unlock()
	slices.SortFunc(all, func(a, b Status) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// Close refuses new starts and returns when all jobs are gone. When ctx ends
// first it returns ctx's error; it may be called again. A job that calls it
// gets an *executor.CycleError, as it would wait for itself.
func (s *Supervisor) Close(ctx context.Context) error {
	for h := s.shut(); h != nil; h = s.shut() {
		if err := h.await(ctx); err != nil {
			return fmt.Errorf("jobs: close: %w", err)
		}
	}
	return nil
}

// shut returns one of the jobs that are left, or nil.
func (s *Supervisor) shut() *Handle {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, h := range s.active {
		return h
	}
	return nil
}

// put records a step of a job.
func (s *Supervisor) put(r Record) error {
	if err := s.store.Put(r); err != nil {
		return &StoreError{r.ID, r.Phase, err}
	}
	return nil
}

// unreserve takes the record of a refused start back. When that fails too the
// record stays, and says truly that the body did not run.
func (s *Supervisor) unreserve(h *Handle, refused error) error {
	if err := s.store.Delete(h.id); err != nil {
		return errors.Join(refused, fmt.Errorf("delete its record: %w", err))
	}
	return refused
}
