package executor

import (
	"context"
	"fmt"
)

// Storage is handles to use again: tasks given through it allocate nothing
// but what their functions capture. Its methods belong to one goroutine at a
// time; handing it to a task and back through the task's handle is an order
// of that kind.
type Storage[R any] struct {
	handles []Handle[R]
	used    int
}

// NewStorage returns storage for n handles.
func NewStorage[R any](n int) *Storage[R] {
	return &Storage[R]{handles: make([]Handle[R], n)}
}

// Submit is the function Submit with a handle of s. It returns an error that
// is ErrStorage, and fn is refused, when all are in use.
func (s *Storage[R]) Submit(ctx context.Context, e *Executor, fn func(*Worker) (R, error)) (*Handle[R], error) {
	h := s.next(fn) // first: an accepted task may use s before this call returns
	if h == nil {
		return nil, fmt.Errorf("executor: submit: %w", s.full())
	}
	if err := e.submit(ctx, &h.head); err != nil {
		s.used--
		return nil, fmt.Errorf("executor: submit: %w", err)
	}
	return h, nil
}

// Spawn is the function Spawn with a handle of s. It returns an error that is
// ErrStorage, and fn is refused, when all are in use.
func (s *Storage[R]) Spawn(w *Worker, fn func(*Worker) (R, error)) (*Handle[R], error) {
	h := s.next(fn)
	if h == nil {
		return nil, fmt.Errorf("executor: spawn: %w", s.full())
	}
	w.spawn(&h.head)
	return h, nil
}

func (s *Storage[R]) next(fn func(*Worker) (R, error)) *Handle[R] {
	used := s.used
	if used == len(s.handles) {
		return nil
	}
	s.used = used + 1
	return s.handles[used].prepare(fn)
}

func (s *Storage[R]) full() error { return fmt.Errorf("all %d taken: %w", s.used, ErrStorage) }

// Reset makes all handles unused and forgets their results. It returns an
// error that is ErrStorage, and does nothing, while a task of one of them has
// not left its worker, or was cancelled and has not left its queue. The
// handles given out so far must not be used any more.
func (s *Storage[R]) Reset() error {
	used := s.handles[:s.used]
	if !s.empty() {
		for i := range used {
			if !used[i].recycled() {
				return fmt.Errorf("executor: reset: task %d of %d is %s: %w", i, len(used), used[i].State(), ErrStorage)
			}
		}
	}
	clear(used)
	s.used = 0
	return nil
}

// empty tells whether the executor has no task at all, which is seen faster
// than that none of these handles has one. Whoever sets a slot's bit does not
// touch the handle afterwards.
func (s *Storage[R]) empty() bool {
	if s.used == 0 {
		return true
	}
	t := s.handles[0].task
	return t != nil && t.exec.slab.stored() == 0
}
