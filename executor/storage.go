package executor

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/exactlyonce/certify/executor/lifecycle"
)

// Storage is room for a fixed number of tasks of one result type, to use again
// and again: a task given through it allocates nothing but what its function
// captures. It bounds its tasks itself; they take no slot of Config.Capacity.
//
// Its methods belong to one goroutine at a time. Handing it to a task and back
// through the task's handle is an order of that kind.
type Storage[R any] struct {
	exec   *Executor
	cells  []cell[R]
	used   int
	waited int // cells whose end Wait has seen
	// lingering: one of those was cancelled, or run by its waiter, and may still
	// be in its queue.
	lingering bool
	high      atomic.Int64 // the most ever used, as of the last Reset
}

// cell is a handle and the task that it is of in all of its lives.
type cell[R any] struct {
	handle Handle[R]
	task   slot
}

// NewStorage returns storage for n tasks of e.
func NewStorage[R any](e *Executor, n int) *Storage[R] {
	s := &Storage[R]{exec: e, cells: make([]cell[R], n)}
	for i := range s.cells {
		s.cells[i].renew(e)
	}
	e.outside.storages.Add(uint64(n))
	return s
}

// renew makes the cell as new, but for the generation.
func (c *cell[R]) renew(e *Executor) {
	c.handle = Handle[R]{}
	c.handle.self, c.handle.task = &c.handle, &c.task
	c.task.head, c.task.exec, c.task.index = &c.handle.head, e, stored
	c.task.arg = &c.task
}

// HighWater is the most tasks that were in it at once, as of the last Reset.
// Any goroutine may call it.
func (s *Storage[R]) HighWater() int { return int(s.high.Load()) }

// Submit is the function Submit with room of s, of which it needs none in the
// executor. It returns an error that is ErrStorage, and fn is refused, when
// there is none.
func (s *Storage[R]) Submit(ctx context.Context, fn func(*Worker) (R, error)) (*Handle[R], error) {
	c := s.next(fn) // first: an accepted task may use s before this call returns
	if c == nil {
		return nil, fmt.Errorf("executor: submit: %w", s.refusal(fn))
	}
	if err := s.exec.submitStored(ctx, &c.task); err != nil {
		s.used--
		c.handle.fn = nil // refused, and not kept
		return nil, fmt.Errorf("executor: submit: %w", err)
	}
	return &c.handle, nil
}

// Spawn is the function Spawn with room of s. It returns an error that is
// ErrStorage, and fn is refused, when there is none.
func (s *Storage[R]) Spawn(w *Worker, fn func(*Worker) (R, error)) (*Handle[R], error) {
	c := s.next(fn)
	if c == nil {
		return nil, fmt.Errorf("executor: spawn: %w", s.refusal(fn))
	}
	w.push(&c.task.Task)
	return &c.handle, nil
}

// SpawnAll is Spawn for many, in order, at less cost a task. It is all or
// nothing: with too little room it returns an error that is ErrStorage.
func (s *Storage[R]) SpawnAll(w *Worker, fns []func(*Worker) (R, error)) error {
	if room := len(s.cells) - s.used; room < len(fns) {
		return fmt.Errorf("executor: spawn %d with room for %d: %w", len(fns), room, ErrStorage)
	}
	for i, fn := range fns {
		if fn == nil {
			return fmt.Errorf("executor: spawn %d of %d: %w", i+1, len(fns), ErrNilTask)
		}
	}
	w.n.spawned.Add(uint64(len(fns)))
	for len(fns) > 0 {
		n := min(len(fns), len(w.loot))
		for i, fn := range fns[:n] {
			w.loot[i] = &s.next(fn).task.Task
		}
		w.giveAll(w.loot[:n])
		w.wakePeer() // those who are awake wake others while there is more than they take
		fns = fns[n:]
	}
	return nil
}

// next takes a cell for a task, or returns nil.
func (s *Storage[R]) next(fn func(*Worker) (R, error)) *cell[R] {
	used, cells := s.used, s.cells
	if used == len(cells) || fn == nil {
		return nil
	}
	s.used = used + 1
	c := &cells[used]
	c.handle.fn, c.handle.gen = fn, c.task.gen
	return c
}

func (s *Storage[R]) refusal(fn func(*Worker) (R, error)) error {
	if fn == nil {
		return ErrNilTask
	}
	return fmt.Errorf("all %d taken: %w", len(s.cells), ErrStorage)
}

// Wait waits for all tasks in s, in the order in which they were given, and
// calls each with what Handle.Wait returns for the i-th. It stops with ctx's
// error when that ends first.
func (s *Storage[R]) Wait(ctx context.Context, each func(i int, result R, err error)) error {
	cells := s.cells[:s.used]
	for i := s.waited; i < len(cells); i++ {
		h := &cells[i].handle
		state, over := h.ended()
		if !over {
			if err := h.await(ctx); err != nil {
				s.waited = i
				return fmt.Errorf("executor: wait for task %d of %d: %w", i, len(cells), err)
			}
			state, _ = h.ended()
		}
		if state == lifecycle.Completed && !h.helped {
			each(i, h.result, nil)
			continue
		}
		s.lingering = s.lingering || state == lifecycle.Cancelled || h.helped
		each(i, h.result, h.outcomeError(state))
	}
	s.waited = len(cells)
	return nil
}

// Reset makes all room free again and forgets the results. It returns an error
// that is ErrStorage, and does nothing, while a task in s has not left its
// worker, or was cancelled and has not left its queue. The handles given out so
// far must not be used any more.
func (s *Storage[R]) Reset() error {
	cells, seen := s.cells[:s.used], s.waited
	if s.lingering {
		seen = 0
	}
	for i := seen; i < len(cells); i++ {
		if h := &cells[i].handle; !h.recycled() {
			return fmt.Errorf("executor: reset: task %d of %d is %s: %w", i, len(cells), h.State(), ErrStorage)
		}
	}
	for i := range cells {
		cells[i].reset(s.exec)
	}
	s.high.Store(max(s.high.Load(), int64(s.used)))
	s.used, s.waited, s.lingering = 0, 0, false
	return nil
}

// reset forgets what the task has left. The common way through a task's life
// leaves nothing but its result.
func (c *cell[R]) reset(e *Executor) {
	var none R
	h := &c.handle
	h.result = none
	if h.outcome != lifecycle.Completed || h.helped || h.asked || h.cancelled.Load() != nil {
		c.renew(e)
	}
}
