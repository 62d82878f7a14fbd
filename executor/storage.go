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
	exec    *Executor
	handles []Handle[R]
	tasks   []Task // tasks[i] is of handles[i], in all of its lives
	used    int
	waited  int // handles that Wait has seen ended
	// lingering: one of those was cancelled, and may still be in its queue.
	lingering bool
	high      atomic.Int64 // the most ever used, as of the last Reset
}

// NewStorage returns storage for n tasks of e.
func NewStorage[R any](e *Executor, n int) *Storage[R] {
	s := &Storage[R]{exec: e, handles: make([]Handle[R], n), tasks: make([]Task, n)}
	for i := range s.tasks {
		s.tasks[i].exec, s.tasks[i].slot = e, -1
	}
	e.outside.storages.Add(uint64(n))
	return s
}

// HighWater is the most tasks that were in it at once, as of the last Reset.
// Any goroutine may call it.
func (s *Storage[R]) HighWater() int { return int(s.high.Load()) }

// Submit is the function Submit with room of s, of which it needs none in the
// executor. It returns an error that is ErrStorage, and fn is refused, when
// there is none.
func (s *Storage[R]) Submit(ctx context.Context, fn func(*Worker) (R, error)) (*Handle[R], error) {
	t := s.next(fn) // first: an accepted task may use s before this call returns
	if t == nil {
		return nil, fmt.Errorf("executor: submit: %w", s.full())
	}
	h := &s.handles[s.used-1]
	if err := s.exec.submitStored(ctx, t); err != nil {
		s.used--
		return nil, fmt.Errorf("executor: submit: %w", err)
	}
	return h, nil
}

// Spawn is the function Spawn with room of s. It returns an error that is
// ErrStorage, and fn is refused, when there is none.
func (s *Storage[R]) Spawn(w *Worker, fn func(*Worker) (R, error)) (*Handle[R], error) {
	t := s.next(fn)
	if t == nil {
		return nil, fmt.Errorf("executor: spawn: %w", s.full())
	}
	h := &s.handles[s.used-1]
	w.push(t)
	return h, nil
}

// next takes room for a task.
func (s *Storage[R]) next(fn func(*Worker) (R, error)) *Task {
	used := s.used
	if used == len(s.handles) {
		return nil
	}
	s.used = used + 1
	t := &s.tasks[used]
	t.bind(&s.handles[used].prepare(fn).head)
	return t
}

func (s *Storage[R]) full() error { return fmt.Errorf("all %d taken: %w", len(s.handles), ErrStorage) }

// Wait waits for all tasks in s, in the order in which they were given, and
// calls each with what Handle.Wait returns for the i-th. It stops with ctx's
// error when that ends first.
func (s *Storage[R]) Wait(ctx context.Context, each func(i int, result R, err error)) error {
	used := s.handles[:s.used]
	for i := s.waited; i < len(used); i++ {
		h := &used[i]
		state, over := h.ended()
		if !over {
			if err := h.await(ctx); err != nil {
				s.waited = i
				return fmt.Errorf("executor: wait for task %d of %d: %w", i, len(used), err)
			}
			state, _ = h.ended()
		}
		if state == lifecycle.Completed {
			each(i, h.result, nil)
			continue
		}
		s.lingering = s.lingering || state == lifecycle.Cancelled
		each(i, h.result, h.outcomeError(state))
	}
	s.waited = len(used)
	return nil
}

// Reset makes all room free again and forgets the results. It returns an error
// that is ErrStorage, and does nothing, while a task in s has not left its
// worker, or was cancelled and has not left its queue. The handles given out so
// far must not be used any more.
func (s *Storage[R]) Reset() error {
	used, seen := s.handles[:s.used], s.waited
	if s.lingering {
		seen = 0
	}
	for i := seen; i < len(used); i++ {
		if !used[i].recycled() {
			return fmt.Errorf("executor: reset: task %d of %d is %s: %w", i, len(used), used[i].State(), ErrStorage)
		}
	}
	s.high.Store(max(s.high.Load(), int64(s.used)))
	clear(used)
	s.used, s.waited, s.lingering = 0, 0, false
	return nil
}
