package jobs

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/exactlyonce/certify/executor"
)

// Job is what a job does.
type Job struct {
	// Run is the body. It is called at most once, by a worker of the executor,
	// which is for executor.Spawn and may be ignored. ctx ends, with the cause,
	// when the job is cancelled.
	Run func(ctx context.Context, w *executor.Worker) ([]byte, error)
	// Finalize, if any, is called once after a body that began, however that
	// ended: to copy artifacts, to remove what is left. The outcome is
	// decided; an error is reported beside it. It may block, and ctx never
	// ends: nothing can cancel it any more, so it brings its own deadlines.
	Finalize func(ctx context.Context, o Outcome) error
}

// Start runs a job under an id of 1 to 255 bytes of printable UTF-8. In this
// order: the id is checked (*IDError) and the job (ErrNoRun), the id and a place are reserved
// (*DuplicateError, ErrCapacity, ErrClosed), the reservation is recorded
// (*StoreError), and the executor gets the task: for that Start waits until
// ctx ends. ctx does not reach into the job. After an error the body will
// never run, and place and id are free; the record is gone, unless the error
// says otherwise. A record of an earlier job of that id is replaced, also by
// a start that is refused after its own was written.
func (s *Supervisor) Start(ctx context.Context, id string, job Job) (*Handle, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	if job.Run == nil {
		return nil, fmt.Errorf("jobs: start %q: %w", id, ErrNoRun)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("jobs: start %q: %w", id, err)
	}
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	h := &Handle{s: s, id: id, job: job, abort: abort, launched: make(chan none), done: make(chan none)}
	if err := s.reserve(h); err != nil {
		return nil, err
	}
	if err := s.launch(ctx, h); err != nil {
		return nil, fmt.Errorf("jobs: start %q: %w", id, err)
	}
	return h, nil
}

// launch records the reservation and submits. The job is its own until the
// executor has the task, then watch's.
func (s *Supervisor) launch(ctx context.Context, h *Handle) error {
	own := true
	defer func() {
		if own { // an error, or a panic or Goexit of the store
			s.release(h)
		}
		close(h.launched)
	}()
	if err := s.put(Record{ID: h.id, Phase: Reserved}); err != nil {
		return err
	}
	task, err := executor.Submit(ctx, s.exec, func(w *executor.Worker) (none, error) { return none{}, s.run(w, h) })
	if err != nil {
		return s.unreserve(h, h.refusal(err))
	}
	own = false
	go s.watch(h, task)
	if cause := s.submitted(h, task); cause != nil {
		task.Cancel(cause)
	}
	return nil
}

// refusal is the error of a submit, or of the cancel that ended it.
func (h *Handle) refusal(err error) error {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	if h.cause != nil {
		return fmt.Errorf("%w: %w", ErrCancelled, h.cause)
	}
	return err
}

// submitted shows the task to cancellers and returns the cause of one that
// came before.
func (s *Supervisor) submitted(h *Handle, task *executor.Handle[none]) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.task = task
	return h.cause
}

// run is the task:
//
//  1. record the beginning
//  2. go from Reserved to Running, unless cancelled
//  3. call the body
//  4. go to Finalizing: cancellation is closed, the end decided
//  5. call Finalize, if the body began
//  6. record the end
//
// The beginning is durable before the body runs, so what is found reserved
// after a crash has not run. 1 holds the worker, as the body does that it is
// part of: inside Block every job that begins would add a worker, and no
// number of workers would bound how many bodies run. 5 and 6 are inside Block,
// since nothing but the end of the task follows. They are deferred, so that a
// Goexit in a step leaves out none of those after it.
func (s *Supervisor) run(w *executor.Worker, h *Handle) error {
	h.entered = true
	var err error
	defer s.end(w, h, &err)
	if s.begin(w, h, &err) { // 1, 2
		h.outcome.Began = true
		guard(&err, func() (err error) { // 3
			h.outcome.Output, err = h.job.Run(w.Context(), w)
			return err
		})
	}
	return err
}

// begin is steps 1 and 2. False means that the body must not run.
func (s *Supervisor) begin(w *executor.Worker, h *Handle, err *error) bool {
	if s.cancelled(h) != nil {
		return false
	}
	if guard(err, func() error { return s.put(Record{ID: h.id, Phase: Running}) }); *err != nil {
		return false
	}
	ctx := w.Context()
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.cause != nil || ctx.Err() != nil {
		return false
	}
	h.phase = Running
	return true
}

func (s *Supervisor) cancelled(h *Handle) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return h.cause
}

// end is steps 4 to 6. err is how the body ended.
func (s *Supervisor) end(w *executor.Worker, h *Handle, err *error) {
	s.decide(h, *err, w.Context()) // 4
	w.Block(func() {
		defer s.record(h) // 6
		if h.outcome.Began && h.job.Finalize != nil {
			ctx := context.WithoutCancel(w.Context())
			guard(&h.outcome.Finalize, func() error { return h.job.Finalize(ctx, h.outcome) }) // 5
		}
	})
}

// decide closes cancellation and decides the end by what came before: a
// cancel, else a stop of the executor, which ended ctx, else what the body
// returned.
func (s *Supervisor) decide(h *Handle, err error, ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.phase = Finalizing
	o := &h.outcome
	switch {
	case h.cause != nil:
		o.End, o.Cause = Cancelled, h.cause
	case ctx.Err() != nil:
		o.End, o.Cause = Cancelled, context.Cause(ctx)
	case err != nil:
		o.End, o.Cause = Failed, err
	default:
		o.End = Completed
		return
	}
	o.Output = nil
}

// record is step 6.
func (s *Supervisor) record(h *Handle) {
	guard(&h.outcome.Record, func() error { return s.put(h.outcome.record(h.id)) })
}

// watch owns the job from its submission on. What the executor cancelled in
// its queue, for us or because it was stopped, nobody else would end.
func (s *Supervisor) watch(h *Handle, task *executor.Handle[none]) {
	defer s.release(h)
	<-task.Done()
	if !h.entered {
		_, err := task.Wait(context.Background())
		ctx, end := context.WithCancelCause(context.Background())
		end(err)
		s.decide(h, nil, ctx)
		s.record(h)
	}
}

// guard calls f and sets err to what it returns, or to the panic or Goexit it
// ends with. A Goexit goes on, which is why err is not a result.
func guard(err *error, f func() error) {
	*err = executor.ErrGoexit
	defer func() {
		if value := recover(); value != nil {
			*err = &executor.PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	*err = f()
}
