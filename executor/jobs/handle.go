package jobs

import (
	"context"
	"fmt"

	"github.com/exactlyonce/certify/executor"
)

// none is the result of a job's task: what it has to say is in the handle.
type none = struct{}

// Handle is the starter's side of one job. It is safe for any goroutine.
type Handle struct {
	s   *Supervisor
	id  string
	job Job // cleared by release

	// phase, cause and task are guarded by s.mu. cause is the first accepted
	// cancel's, nil before. task goes once from nil to the executor's task, by
	// launch, before launched is closed.
	phase Phase
	cause error
	task  *executor.Handle[none]

	// abort ends the wait for room in the executor. Set before the handle is
	// shared.
	abort context.CancelCauseFunc

	// launched is closed when launch has returned, done when the job is gone.
	launched, done chan none

	// The rest is written by the one goroutine that runs the job, first its
	// task, then watch, and read by others after done.
	entered bool // the task was called, and has done all that is to be done
	outcome Outcome
}

// ID is the job's id.
func (h *Handle) ID() string { return h.id }

// Phase is where the job is now.
func (h *Handle) Phase() Phase {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	return h.phase
}

// Cancel is Supervisor.Cancel for this job, never for a later one of the same
// id: once the job is gone the error is ErrUnknown.
func (h *Handle) Cancel(cause error) error {
	if cause == nil {
		cause = ErrCancelled
	}
	task, err := h.s.cancel(h, cause)
	if err != nil {
		return fmt.Errorf("jobs: cancel %q: %w", h.id, err)
	}
	h.abort(cause)
	if task != nil {
		task.Cancel(cause)
	}
	return nil
}

// Done is closed when the job is gone.
func (h *Handle) Done() <-chan struct{} { return h.done }

// Wait returns the outcome once the job is gone, with an error that names the
// job and wraps Outcome.Err. When ctx ends first, or when the job would wait
// for itself, it returns that error and the zero Outcome. Other tasks of the
// executor may call it: it does not hold their worker.
func (h *Handle) Wait(ctx context.Context) (Outcome, error) {
	if err := h.await(ctx); err != nil {
		return Outcome{}, fmt.Errorf("jobs: wait for %q: %w", h.id, err)
	}
	if err := h.outcome.Err(); err != nil {
		return h.outcome, fmt.Errorf("jobs: job %q: %w", h.id, err)
	}
	return h.outcome, nil
}

// await returns nil when the job is gone. It waits for the task in the
// executor's way, which finds cycles and keeps workers busy; what comes
// before and after is short.
func (h *Handle) await(ctx context.Context) error {
	if err := wait(ctx, h.launched); err != nil {
		return err
	}
	if task := h.task; task != nil {
		_, err := task.Wait(ctx)
		select {
		case <-task.Done(): // err is the task's, and in the outcome
		default:
			return err
		}
	}
	return wait(ctx, h.done)
}

// wait prefers what has happened to a ctx that has ended.
func wait(ctx context.Context, happened <-chan none) error {
	select {
	case <-happened:
		return nil
	default:
	}
	select {
	case <-happened:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
