package soak

import (
	"context"

	"github.com/exactlyonce/certify/executor"
)

// Tasks is a Subject with the whole task model: handles, cancellation, spawns
// from inside, bounded room. Every drill but exactly-once needs one. Its methods
// may be called from any goroutine at any time, Close and Stop too, and more
// than once.
//
// A task ends exactly once: with what its body returned, with an error that
// says that it panicked or called runtime.Goexit, or cancelled. Options.Capacity
// is how many accepted tasks may be stored at once, and not more.
type Tasks interface {
	Subject

	// Submit gives a task from outside, waiting for room until ctx ends. When ctx
	// has ended, it is refused with its error; after Close or Stop with
	// ErrShutdown. A refused body never runs.
	Submit(ctx context.Context, body Body) (Task, error)

	// TrySubmit is Submit that returns ErrSaturated instead of waiting.
	TrySubmit(body Body) (Task, error)

	// Stop cancels what is queued, ends the context of what runs, and returns
	// when nothing is left. Close lets everything accepted run first.
	Stop() error
}

// Polls is a Tasks that can run tasks in steps.
type Polls interface {
	Tasks

	// SubmitPoll gives a task whose body is called until it is ready, and again
	// only after wake was called once more.
	SubmitPoll(ctx context.Context, body PollBody) (Task, error)
}

// Body is what a task does.
type Body func(in Inside) (int, error)

// PollBody is one step of a task. wake may be called from any goroutine at any
// time, also late and more than once; one that is called during the step leads
// to another.
type PollBody func(wake func()) (value int, ready bool)

// Task is the handle of a task.
type Task interface {
	// Wait returns what the body returned, once it has left its worker; an error
	// that is ErrCancelled and wraps the cause; or ctx's. It may be called
	// inside another task.
	Wait(ctx context.Context) (int, error)
	// Cancel is true for exactly the call that cancelled the task.
	Cancel(cause error) bool
}

// Inside is what a body may do.
type Inside interface {
	// Worker is the index of the worker, or -1 where there is none.
	Worker() int
	// Context ends when the task is cancelled, with the cause.
	Context() context.Context
	// Spawn gives a task from inside. It is never refused: with no room left it
	// runs before Spawn returns.
	Spawn(body Body) Task
	// Block calls wait, which may block, and holds up nobody else meanwhile.
	Block(wait func())
}

// The errors that a Tasks tells apart, through errors.Is.
var (
	ErrShutdown  = executor.ErrShutdown
	ErrSaturated = executor.ErrSaturated
	ErrCancelled = executor.ErrCancelled
)

func (s *workStealing) Submit(ctx context.Context, body Body) (Task, error) {
	h, err := executor.Submit(ctx, s.exec, body.inside())
	if err != nil {
		return nil, err // a nil handle in an interface is not nil
	}
	return h, nil
}

func (s *workStealing) TrySubmit(body Body) (Task, error) {
	h, err := executor.TrySubmit(s.exec, body.inside())
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (s *workStealing) SubmitPoll(ctx context.Context, body PollBody) (Task, error) {
	h, err := executor.SubmitPoll[int](ctx, s.exec, executor.Normal, poller{body})
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (s *workStealing) Stop() error { return s.exec.Stop() }

// native is a subject of our executor, for drills of what is built on it.
type native interface{ Native() *executor.Executor }

// Native is that executor.
func (s *workStealing) Native() *executor.Executor { return s.exec }

func (b Body) inside() func(*executor.Worker) (int, error) {
	return func(w *executor.Worker) (int, error) { return b(inside{w}) }
}

type inside struct{ w *executor.Worker }

func (in inside) Worker() int              { return in.w.Index() }
func (in inside) Context() context.Context { return in.w.Context() }
func (in inside) Spawn(body Body) Task     { return executor.Spawn(in.w, body.inside()) }
func (in inside) Block(wait func())        { in.w.Block(wait) }

type poller struct{ body PollBody }

func (p poller) Poll(_ *executor.Worker, k executor.Waker) (int, bool, error) {
	value, ready := p.body(k.Wake)
	return value, ready, nil
}

func (p poller) Drop() {}
