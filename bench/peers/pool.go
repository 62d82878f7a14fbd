package peers

import (
	"sync"

	"github.com/exactlyonce/certify/executor"
)

// Body is what a task does. w is nil but in our executor.
type Body func(w *executor.Worker)

// Pool is a pool whose own form of a task is T. One batch is given at a time, by any
// number of goroutines.
type Pool[T any] interface {
	// Task is body in the form that the pool takes, to be given any number of times.
	Task(body Body) T
	// Begin says that n tasks are about to be given, and that those before have ended.
	Begin(n int)
	// Submit gives a task from outside. It waits while the pool has no room.
	Submit(t T) error
	// Spawn gives a task from inside the one that received w.
	Spawn(w *executor.Worker, t T) error
	// Wait returns when every task has ended. A task must not be given meanwhile.
	Wait() error
	// Close ends the pool, and what it has started.
	Close() error
}

// many is a Pool that takes several tasks in one call.
type many[T any] interface {
	SubmitMany(t T, n int) error
}

// Wakes is a Pool that counts the workers it had to wake.
type Wakes interface{ Wakes() uint64 }

// counted is the end of tasks for pools that have no wait of their own. It is told of
// a whole batch before, which is one shared write a task less than the usual form.
type counted struct{ pending sync.WaitGroup }

func (c *counted) Begin(n int) { c.pending.Add(n) }

func (c *counted) Task(body Body) func() {
	return func() {
		body(nil)
		c.pending.Done()
	}
}

func (c *counted) Wait() error {
	c.pending.Wait()
	return nil
}

// plain is the task of pools that wait by themselves.
type plain struct{}

func (plain) Begin(int) {}

func (plain) Task(body Body) func() { return func() { body(nil) } }
