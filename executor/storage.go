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
	h, err := s.next()
	if err != nil {
		return nil, fmt.Errorf("executor: submit: %w", err)
	}
	s.used++ // first: an accepted task may use s before this call returns
	if err := e.submit(ctx, h.prepare(fn)); err != nil {
		s.used--
		return nil, fmt.Errorf("executor: submit: %w", err)
	}
	return h, nil
}

// Spawn is the function Spawn with a handle of s. It returns an error that is
// ErrStorage, and fn is refused, when all are in use.
func (s *Storage[R]) Spawn(w *Worker, fn func(*Worker) (R, error)) (*Handle[R], error) {
	h, err := s.next()
	if err != nil {
		return nil, fmt.Errorf("executor: spawn: %w", err)
	}
	s.used++
	w.spawn(h.prepare(fn))
	return h, nil
}

func (s *Storage[R]) next() (*Handle[R], error) {
	if s.used == len(s.handles) {
		return nil, fmt.Errorf("all %d taken: %w", s.used, ErrStorage)
	}
	return &s.handles[s.used], nil
}

// Reset makes all handles unused. It returns an error that is ErrStorage, and
// does nothing, while a task of one of them has not left its worker, or was
// cancelled and has not left its queue. The handles given out so far must not
// be used any more.
func (s *Storage[R]) Reset() error {
	used := s.handles[:s.used]
	for i := range used {
		if !used[i].recycled() {
			return fmt.Errorf("executor: reset: task %d of %d is %s: %w", i, s.used, used[i].State(), ErrStorage)
		}
	}
	clear(used)
	s.used = 0
	return nil
}
