package jobs_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/jobs"
	"github.com/exactlyonce/certify/internal/stress"
)

// ways are how a body can end.
var ways = map[string]struct {
	run body
	end jobs.End
}{
	"completed": {func(context.Context, *executor.Worker) ([]byte, error) { return []byte("ok"), nil }, jobs.Completed},
	"failed":    {func(context.Context, *executor.Worker) ([]byte, error) { return nil, errBody }, jobs.Failed},
	"panic":     {func(context.Context, *executor.Worker) ([]byte, error) { panic(errBody) }, jobs.Failed},
	"goexit":    {func(context.Context, *executor.Worker) ([]byte, error) { runtime.Goexit(); return nil, nil }, jobs.Failed},
}

// points are where a job is stopped to be cancelled, and what then holds.
var points = []struct {
	name   string
	phase  jobs.Phase
	answer error
	began  bool // the body runs in spite of the cancel
}{
	{"reservation is written", jobs.Reserved, nil, false},
	{"beginning is written", jobs.Reserved, nil, false},
	{"body", jobs.Running, nil, true},
	{"finalize", jobs.Finalizing, jobs.ErrFinalizing, true},
	{"end is written", jobs.Finalizing, jobs.ErrFinalizing, true},
	{"gone", jobs.Gone, jobs.ErrUnknown, true},
}

// stage stops a job at the point it is told, and tells when it is there.
type stage struct {
	at           string
	there, leave chan struct{}
}

func (s *stage) pass(point string) {
	if point == s.at {
		close(s.there)
		<-s.leave
	}
}

func (s *stage) store() *badStore {
	return &badStore{before: func(r jobs.Record) {
		s.pass(map[jobs.Phase]string{
			jobs.Reserved: "reservation is written",
			jobs.Running:  "beginning is written",
			jobs.Gone:     "end is written",
		}[r.Phase])
	}}
}

func (s *stage) job(run body, began *bool) jobs.Job {
	return jobs.Job{
		Run: func(ctx context.Context, w *executor.Worker) ([]byte, error) {
			*began = true
			s.pass("body")
			return run(ctx, w)
		},
		Finalize: func(context.Context, jobs.Outcome) error { s.pass("finalize"); return nil },
	}
}

// Every point of a job's life with every way to end: what Cancel answers, and
// that the outcome agrees with it.
func TestEveryPhaseTimesCancelV2V6(t *testing.T) {
	for _, p := range points {
		for name, way := range ways {
			t.Run(p.name+"/"+name, func(t *testing.T) {
				s := stage{p.name, make(chan struct{}), make(chan struct{})}
				r := newRig(t, 1, jobs.Config{Store: s.store()})
				began := false
				var h *jobs.Handle
				var startErr error
				started := make(chan struct{})
				go func() {
					defer close(started)
					h, startErr = r.Start(background, "a", s.job(way.run, &began))
				}()
				if p.phase == jobs.Gone {
					<-started
					<-h.Done()
				} else {
					<-s.there
					if list := r.List(); len(list) != 1 || list[0] != (jobs.Status{ID: "a", Phase: p.phase}) {
						t.Errorf("list %v, want a in phase %s", list, p.phase)
					}
				}
				is(t, "cancel", r.Cancel("a", errStop), p.answer)
				is(t, "second cancel", r.Cancel("a", errBody), p.answer)
				close(s.leave)
				<-started
				if began = checkStaged(t, h, startErr, p.answer == nil, way.end) && began; began != p.began {
					t.Errorf("the body began: %v, want %v", began, p.began)
				}
			})
		}
	}
}

// checkStaged returns whether the job was started and says that it began.
func checkStaged(t *testing.T, h *jobs.Handle, startErr error, cancelled bool, end jobs.End) bool {
	t.Helper()
	if startErr != nil { // cancelled before the executor had it
		is(t, "start", startErr, jobs.ErrCancelled)
		is(t, "start", startErr, errStop)
		return false
	}
	o, err := h.Wait(background)
	if cancelled {
		is(t, "wait", err, errStop)
		is(t, "wait", err, jobs.ErrCancelled)
		end = jobs.Cancelled
	}
	if o.End != end || o.End != jobs.Completed && o.Output != nil || (o.Cause == nil) != (o.End == jobs.Completed) {
		t.Errorf("outcome %+v, want it %s", o, end)
	}
	return o.Began
}

// A job that waits in the executor's queue is reserved: a cancel ends it
// without a worker.
func TestCancelOfQueuedV2(t *testing.T) {
	store := &badStore{}
	r := newRig(t, 1, jobs.Config{Store: store})
	job, running, release := gated()
	r.start(t, "first", job)
	<-running
	h := r.start(t, "queued", quick("never"))
	if got := h.Phase(); got != jobs.Reserved {
		t.Errorf("phase %s", got)
	}
	is(t, "cancel", h.Cancel(nil), nil)
	o, err := h.Wait(background) // while the worker is still busy
	is(t, "wait", err, jobs.ErrCancelled)
	if o.Began || o.End != jobs.Cancelled || o.Record != nil {
		t.Errorf("outcome %+v", o)
	}
	is(t, "cancel when gone", h.Cancel(nil), jobs.ErrUnknown)
	again := r.start(t, "queued", quick("now"))
	is(t, "cancel by the old handle", h.Cancel(errStop), jobs.ErrUnknown)
	close(release)
	if o, err := again.Wait(background); err != nil || string(o.Output) != "now" {
		t.Errorf("retry: %+v, %v", o, err)
	}
}

// Cancel against the close of cancellation: one of them is first, and the
// outcome says which. Both orders must have been seen.
func TestCancelAgainstCloseV6(t *testing.T) {
	r := newRig(t, 2, jobs.Config{})
	accepted, refused := 0, 0
	for round := 0; round < stress.Rounds(5000) || accepted == 0 || refused == 0; round++ {
		job, running, release := gated()
		h := r.start(t, "a", job)
		<-running
		var answer error
		var both sync.WaitGroup
		both.Go(func() { answer = h.Cancel(errStop) })
		both.Go(func() {
			for range round % 4 { // so that either may come first
				runtime.Gosched()
			}
			close(release)
		})
		both.Wait()
		o, _ := h.Wait(background)
		switch {
		case answer == nil && o.End == jobs.Cancelled && errors.Is(o.Cause, errStop):
			accepted++
		case (errors.Is(answer, jobs.ErrFinalizing) || errors.Is(answer, jobs.ErrUnknown)) && o.End == jobs.Completed:
			refused++
		default:
			t.Fatalf("round %d: cancel said %v, and the outcome is %+v", round, answer, o)
		}
	}
	t.Logf("%d accepted, %d refused", accepted, refused)
}

// The store forgets a running job, and the job is cancelled all the same. A
// job of that id in another life of the store is not touched.
func TestMetadataLossV4(t *testing.T) {
	store := &badStore{}
	r := newRig(t, 1, jobs.Config{Store: store})
	running := make(chan struct{})
	h := r.start(t, "a", jobs.Job{Run: func(ctx context.Context, w *executor.Worker) ([]byte, error) {
		close(running)
		return obedient(ctx, w)
	}})
	<-running
	if err := store.Memory.Delete("a"); err != nil {
		t.Fatal(err)
	}
	_, err := r.Start(background, "a", quick(""))
	is(t, "start beside it", err, jobs.ErrDuplicateID)
	is(t, "cancel", r.Cancel("a", errStop), nil)
	o, err := h.Wait(background)
	is(t, "wait", err, errStop)
	if o.End != jobs.Cancelled || o.Record != nil {
		t.Errorf("outcome %+v", o)
	}
}
