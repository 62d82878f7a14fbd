package jobs_test

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/jobs"
	"github.com/exactlyonce/certify/internal/stress"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var background = context.Background()

// rig is a supervisor with an executor of its own. At the end of the test both
// must be empty.
type rig struct {
	*jobs.Supervisor
	exec      *executor.Executor
	recovered jobs.Recovery
}

func newRig(t *testing.T, workers int, cfg jobs.Config) rig {
	t.Helper()
	stress.Watchdog(t)
	e, err := executor.New(executor.Config{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	s, recovered, err := jobs.New(e, cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := rig{s, e, recovered}
	t.Cleanup(func() { r.drained(t) })
	return r
}

func (r rig) drained(t *testing.T) {
	t.Helper()
	if err := r.Close(background); err != nil {
		t.Error(err)
	}
	if err := r.exec.Shutdown(background); err != nil {
		t.Error(err)
	}
	if left := r.List(); len(left) != 0 {
		t.Errorf("left in the registry: %v", left)
	}
	if s := r.exec.Stats(); s.Stored != 0 || s.Running != 0 || s.Queued != 0 {
		t.Errorf("left in the executor: %+v", s)
	}
}

func (r rig) start(t *testing.T, id string, job jobs.Job) *jobs.Handle {
	t.Helper()
	h, err := r.Start(background, id, job)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

type body = func(context.Context, *executor.Worker) ([]byte, error)

// quick is a job that completes with output.
func quick(output string) jobs.Job {
	return jobs.Job{Run: func(context.Context, *executor.Worker) ([]byte, error) { return []byte(output), nil }}
}

// gated is a job whose body reports that it runs and then waits for release;
// it ignores its context.
func gated() (job jobs.Job, running, release chan struct{}) {
	running, release = make(chan struct{}), make(chan struct{})
	job.Run = func(context.Context, *executor.Worker) ([]byte, error) {
		close(running)
		<-release
		return []byte("ok"), nil
	}
	return job, running, release
}

// obedient waits for its context.
func obedient(ctx context.Context, _ *executor.Worker) ([]byte, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

var (
	errBody = errors.New("the body failed")
	errCopy = errors.New("no room for artifacts")
	errDisk = errors.New("the disk is full")
	errStop = errors.New("not wanted any more")
)

// is checks an error against a sentinel, nil included.
func is(t *testing.T, what string, got, want error) {
	t.Helper()
	if want == nil && got != nil || !errors.Is(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
