package executor

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/exactlyonce/certify/executor/lifecycle"
)

// Submit gives fn to the executor from outside and returns its handle. When
// all slots are taken it waits for one until ctx ends. A ctx that has ended
// is refused always. Refused means that fn will never run, with an error that
// is ErrShutdown or ctx's. ctx does not reach into the task: Cancel does.
func Submit[R any](ctx context.Context, e *Executor, fn func(*Worker) (R, error)) (*Handle[R], error) {
	return SubmitAt(ctx, e, Normal, fn)
}

// SubmitAt is Submit for a task that is not of Normal priority. An unknown
// priority is refused with an error that is ErrPriority.
func SubmitAt[R any](ctx context.Context, e *Executor, p Priority, fn func(*Worker) (R, error)) (*Handle[R], error) {
	h, err := prepare(e, p, fn)
	if err == nil {
		err = e.submit(ctx, &h.head)
	}
	if err != nil {
		return nil, fmt.Errorf("executor: submit: %w", err)
	}
	return h, nil
}

// TrySubmit is Submit that returns ErrSaturated instead of waiting.
func TrySubmit[R any](e *Executor, fn func(*Worker) (R, error)) (*Handle[R], error) {
	return TrySubmitAt(e, Normal, fn)
}

// TrySubmitAt is SubmitAt that returns ErrSaturated instead of waiting.
func TrySubmitAt[R any](e *Executor, p Priority, fn func(*Worker) (R, error)) (*Handle[R], error) {
	h, err := prepare(e, p, fn)
	if err == nil {
		err = e.submitNow(&h.head)
	}
	if err != nil {
		return nil, fmt.Errorf("executor: submit: %w", err)
	}
	return h, nil
}

// SubmitAll is Submit for many, in order, with one push and one wake for as many as
// there is room for. It returns the handles of those that were accepted, a prefix of
// fns, which is shorter only with an error.
func SubmitAll[R any](ctx context.Context, e *Executor, fns []func(*Worker) (R, error)) ([]*Handle[R], error) {
	handles, heads := make([]*Handle[R], 0, len(fns)), make([]*head, 0, len(fns))
	var bad error
	for _, fn := range fns {
		h, err := prepare(e, Normal, fn)
		if bad = err; err != nil {
			break // those before it are accepted
		}
		handles, heads = append(handles, h), append(heads, &h.head)
	}
	n, err := e.submitMany(ctx, heads)
	if err == nil {
		err = bad
	}
	if err != nil {
		return handles[:n], fmt.Errorf("executor: submit %d of %d: %w", n+1, len(fns), err)
	}
	return handles, nil
}

// Spawn gives fn to the worker's own deque from inside a task and returns its
// handle. It is never refused: when all slots are taken it runs fn before it
// returns, and when the executor is stopped the task ends as Cancelled. A nil
// fn is a task that fails with ErrNilTask.
func Spawn[R any](w *Worker, fn func(*Worker) (R, error)) *Handle[R] {
	if fn == nil {
		fn = func(*Worker) (none R, err error) { return none, ErrNilTask }
	}
	h := newHandle(fn)
	w.spawn(&h.head)
	return h
}

// prepare makes the handle of a task that can be submitted.
func prepare[R any](e *Executor, p Priority, fn func(*Worker) (R, error)) (*Handle[R], error) {
	if fn == nil {
		return nil, ErrNilTask
	}
	h := newHandle(fn)
	h.priority = p
	return h, e.intake.admits(p)
}

func newHandle[R any](fn func(*Worker) (R, error)) *Handle[R] {
	h := new(Handle[R])
	h.fn, h.self = fn, h
	return h
}

// outside is what all goroutines that are not workers share. It is written a
// few times a submit, never by a task that runs.
type outside struct {
	// gate counts the submitters between enter and exit, plus closedBit once
	// Shutdown or Stop was called. A submitter that counted itself before the
	// bit was set is waited for, one that comes later sees it: so a task is
	// accepted or refused, and nothing between.
	gate atomic.Uint64

	place           atomic.Uint32 // word where the slab had a free slot last
	storages        atomic.Uint64 // room of all storages; only rises
	submitted       atomic.Uint64
	wakes           atomic.Uint64
	cancelledQueued atomic.Uint64 // by whoever cancelled, before the handle resolves
	// roused counts polled tasks that were taken from Idle, by whoever did.
	roused atomic.Uint64
	// cancelledRunning counts tasks cancelled while they ran, overridden those of
	// them that Stop has ended before their function was called.
	cancelledRunning, overridden atomic.Uint64
}

const closedBit = 1 << 63

func (o *outside) enter() bool {
	if o.gate.Add(1)&closedBit != 0 {
		o.exit()
		return false
	}
	return true
}

func (o *outside) exit() { o.gate.Add(^uint64(0)) }

// close refuses whoever enters from now on and waits for those inside, who
// are at most a push away from leaving.
func (o *outside) close() {
	o.gate.Or(closedBit)
	for o.gate.Load() != closedBit {
		runtime.Gosched()
	}
}

func (e *Executor) submit(ctx context.Context, h *head) error {
	return e.refuse(h, e.retry(ctx, h.priority, func() error { return e.trySubmit(h) }))
}

func (e *Executor) submitNow(h *head) error { return e.refuse(h, e.trySubmit(h)) }

// refuse gives back the slot, if it got one, of a task that err refuses.
func (e *Executor) refuse(h *head, err error) error {
	if t := h.task; err != nil && t != nil {
		t.word.Cancel(h.gen) // nobody has the handle
		t.head = nil
		e.free(t, h.gen, lifecycle.Cancelled)
	}
	return err
}

// submitStored is submit for a task that has its room already. Only a bounded
// injector can make it wait.
func (e *Executor) submitStored(ctx context.Context, t *slot) error {
	return e.retry(ctx, t.head.priority, func() error {
		if !e.outside.enter() {
			return ErrShutdown
		}
		defer e.outside.exit()
		return e.admit(t)
	})
}

// errInjector is that a bounded injector is full.
var errInjector = fmt.Errorf("%w: its injector is full", ErrSaturated)

// retry calls try, for a task of priority p, until it returns something else than
// ErrSaturated or errInjector.
func (e *Executor) retry(ctx context.Context, p Priority, try func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := try()
	for err == ErrSaturated || err == errInjector {
		lacking, in := err, &e.room
		if lacking == errInjector {
			in = &e.intake.room[p]
		}
		waited := in.wait(ctx, func() bool {
			err = try()
			return err != lacking
		})
		if waited != nil {
			return waited
		}
	}
	return err
}

// trySubmit keeps the slot of a task that the injector refused: giving it back
// would wake who waits for a slot, the caller among them, and for nothing.
func (e *Executor) trySubmit(h *head) error {
	if !e.outside.enter() {
		return ErrShutdown
	}
	defer e.outside.exit()
	if h.task == nil {
		at := place{word: e.outside.place.Load()}
		if e.slots().take(&at, h) == nil {
			return ErrSaturated
		}
		e.outside.place.Store(at.word)
	}
	return e.admit(h.task)
}

// admit counts the task before a worker can end it. A bounded injector that is
// full is a saturated executor.
func (e *Executor) admit(t *slot) error {
	e.outside.submitted.Add(1)
	if !e.intake.push(&t.Task, t.head.priority) {
		e.outside.submitted.Add(^uint64(0))
		return errInjector
	}
	e.published()
	return nil
}
