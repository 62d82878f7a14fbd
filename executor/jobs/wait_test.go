package jobs_test

import (
	"context"
	"errors"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/jobs"
)

func TestCloseV3(t *testing.T) {
	r := newRig(t, 1, jobs.Config{})
	job, running, release := gated()
	h := r.start(t, "a", job)
	<-running
	ended, end := context.WithCancel(background)
	end()
	is(t, "close", r.Close(ended), context.Canceled)
	_, err := r.Start(background, "b", quick(""))
	is(t, "start", err, jobs.ErrClosed)
	if _, err := h.Wait(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("wait: %v", err)
	}
	close(release)
	is(t, "close again", r.Close(background), nil)
	if o, err := h.Wait(ended); err != nil || string(o.Output) != "ok" {
		t.Errorf("what has happened comes before a ctx that has ended: %+v, %v", o, err)
	}
}

// Close waits for a start that is still writing its reservation.
func TestCloseAgainstStartV3(t *testing.T) {
	s := stage{"reservation is written", make(chan struct{}), make(chan struct{})}
	r := newRig(t, 1, jobs.Config{Store: s.store()})
	began := false
	go r.Start(background, "a", s.job(ways["completed"].run, &began))
	<-s.there
	ended, end := context.WithCancel(background)
	end()
	is(t, "close", r.Close(ended), context.Canceled)
	close(s.leave)
	is(t, "close again", r.Close(background), nil)
	if !began {
		t.Error("the job was accepted and did not run")
	}
}

// A job may wait for another one with a single worker, and one that would
// wait for itself is told so, in the body and in Finalize.
func TestWaitInsideJobV3(t *testing.T) {
	r := newRig(t, 1, jobs.Config{})
	var self *jobs.Handle
	var inBody, inFinalize error
	ready := make(chan struct{})
	self = r.start(t, "outer", jobs.Job{
		Run: func(ctx context.Context, _ *executor.Worker) ([]byte, error) {
			<-ready
			_, inBody = self.Wait(ctx)
			inner, err := r.Start(ctx, "inner", quick("inner"))
			if err != nil {
				return nil, err
			}
			o, err := inner.Wait(ctx)
			return o.Output, err
		},
		Finalize: func(ctx context.Context, _ jobs.Outcome) error { _, inFinalize = self.Wait(ctx); return nil },
	})
	close(ready)
	if o, err := self.Wait(background); err != nil || string(o.Output) != "inner" {
		t.Errorf("got %+v, %v", o, err)
	}
	for _, err := range []error{inBody, inFinalize} {
		var cycle *executor.CycleError
		if !errors.As(err, &cycle) {
			t.Errorf("wait for itself: %v", err)
		}
	}
}

// A job that closes its own supervisor is told that it would wait for itself.
func TestCloseInsideJobV3(t *testing.T) {
	r := newRig(t, 1, jobs.Config{})
	h := r.start(t, "a", jobs.Job{Run: func(ctx context.Context, _ *executor.Worker) ([]byte, error) {
		return nil, r.Close(ctx)
	}})
	o, _ := h.Wait(background)
	var cycle *executor.CycleError
	if o.End != jobs.Failed || !errors.As(o.Cause, &cycle) {
		t.Errorf("outcome %+v", o)
	}
}

// A job forks on the worker it is given.
func TestJobForksV3(t *testing.T) {
	r := newRig(t, 1, jobs.Config{})
	h := r.start(t, "a", jobs.Job{Run: func(ctx context.Context, w *executor.Worker) ([]byte, error) {
		return executor.Spawn(w, func(*executor.Worker) ([]byte, error) { return []byte("child"), nil }).Wait(ctx)
	}})
	if o, err := h.Wait(background); err != nil || string(o.Output) != "child" {
		t.Errorf("got %+v, %v", o, err)
	}
}
