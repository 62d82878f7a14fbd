package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/jobs"
	"github.com/exactlyonce/certify/internal/stress"
)

// try starts a job on a goroutine of its own, since a store may end that by a
// panic or Goexit, and waits for its end.
func try(r rig, id string, job jobs.Job) (o jobs.Outcome, startErr error) {
	done := make(chan struct{})
	go func() {
		startErr = executor.ErrGoexit
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				startErr, _ = v.(error)
			}
		}()
		h, err := r.Start(background, id, job)
		if startErr = err; err == nil {
			o, _ = h.Wait(background)
		}
	}()
	<-done
	return o, startErr
}

// The n-th write of a job fails, for every n and in every manner. Each time
// the job's own account is right, its only place is free, and the same id can
// be started again.
func TestEveryFailingWriteReleasesV3(t *testing.T) {
	for _, f := range []fault{returns, panics, exits} {
		for n := 1; ; n++ {
			store := &badStore{fault: f, failAt: n}
			r := newRig(t, 1, jobs.Config{Capacity: 1, Store: store})
			ran := 0
			job := jobs.Job{
				Run:      func(context.Context, *executor.Worker) ([]byte, error) { ran++; return []byte("ok"), nil },
				Finalize: func(context.Context, jobs.Outcome) error { return nil },
			}
			o, err := try(r, "a", job)
			if !store.failed() {
				if n != 4 || err != nil || o.Err() != nil {
					t.Errorf("%d writes, then %+v, %v; want 3 and all well", n-1, o, err)
				}
				break
			}
			checkFailedWrite(t, f, n, o, err, ran)
			if left := r.List(); len(left) != 0 {
				t.Errorf("%s of write %d: left: %v", f, n, left)
			}
			if o, err := try(r, "a", job); err != nil || o.Err() != nil || string(o.Output) != "ok" {
				t.Errorf("%s of write %d: retry: %+v, %v", f, n, o, err)
			}
		}
	}
}

func checkFailedWrite(t *testing.T, f fault, n int, o jobs.Outcome, startErr error, ran int) {
	t.Helper()
	want := errDisk
	if f == exits {
		want = executor.ErrGoexit
	}
	var stored *jobs.StoreError
	ok := false
	switch n {
	case 1: // the reservation: Start says it
		ok = errors.Is(startErr, want) && ran == 0 && (f != returns || errors.As(startErr, &stored) && stored.Phase == jobs.Reserved)
	case 2: // the beginning: the body must not run
		ok = startErr == nil && o.End == jobs.Failed && !o.Began && errors.Is(o.Cause, want) && o.Record == nil && ran == 0
	case 3: // the end: true, and not durable
		ok = startErr == nil && o.End == jobs.Completed && string(o.Output) == "ok" && errors.Is(o.Record, want) && ran == 1
	}
	if !ok {
		t.Errorf("%s of write %d: start %v, outcome %+v, ran %d times", f, n, startErr, o, ran)
	}
}

// A submit that the executor refuses takes the record back, and when that
// fails too, says so.
func TestRefusedSubmitReleasesV3(t *testing.T) {
	for failAt, want := range map[int]int{0: 0, 2: 1} {
		store := &badStore{failAt: failAt}
		r := newRig(t, 1, jobs.Config{Capacity: 1, Store: store})
		if err := r.exec.Shutdown(background); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second finds place and id free
			_, err := r.Start(background, "a", quick(""))
			is(t, "start", err, executor.ErrShutdown)
			if failAt > 0 {
				is(t, "start", err, errDisk)
			}
			stored, _ := store.Load()
			if len(stored.Records) != want {
				t.Errorf("%d records, want %d", len(stored.Records), want)
			}
			store.failAt += 2
		}
	}
}

// A full executor holds Start up; a cancel, or its ctx, ends that.
func TestStartThatWaitsForRoomV3(t *testing.T) {
	e, err := executor.New(executor.Config{Workers: 1, Capacity: 1})
	if err != nil {
		t.Fatal(err)
	}
	stress.Watchdog(t)
	store := &badStore{}
	s, _, err := jobs.New(e, jobs.Config{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	r := rig{s, e, jobs.Recovery{}}
	job, running, release := gated()
	r.start(t, "first", job)
	<-running
	ctx, cancel := context.WithCancel(background)
	for _, row := range []struct {
		stop func()
		want error
	}{
		{func() { is(t, "cancel", r.Cancel("second", errStop), nil) }, errStop},
		{cancel, context.Canceled},
		{func() {}, context.Canceled}, // refused at once
	} {
		reserved := store.count(jobs.Reserved)
		failed := make(chan error)
		go func() {
			_, err := r.Start(ctx, "second", quick(""))
			failed <- err
		}()
		stress.Until(func() bool { return ctx.Err() != nil || store.count(jobs.Reserved) != reserved })
		row.stop()
		is(t, "start", <-failed, row.want)
	}
	close(release)
	r.drained(t)
	if stored, _ := store.Load(); len(stored.Records) != 1 {
		t.Errorf("stored: %v, want the first only", stored.Records)
	}
}

// However Run and Finalize end, the place is free afterwards, and Finalize ran
// once and was told how Run ended.
func TestEveryEndOfRunAndFinalizeReleasesV3V5(t *testing.T) {
	finals := map[string]func() error{
		"well":   func() error { return nil },
		"error":  func() error { return errCopy },
		"panic":  func() error { panic(errCopy) },
		"goexit": func() error { runtime.Goexit(); return nil },
	}
	for _, workers := range []int{1, 2} {
		store := &badStore{}
		r := newRig(t, workers, jobs.Config{Capacity: 1, Store: store})
		for name, way := range ways {
			for final, f := range finals {
				finalized := 0
				h := r.start(t, "a", jobs.Job{Run: way.run, Finalize: func(_ context.Context, o jobs.Outcome) error {
					if finalized++; o.End != way.end {
						t.Errorf("%s: Finalize was told %+v", name, o)
					}
					return f()
				}})
				o, _ := h.Wait(background)
				if o.End != way.end || finalized != 1 || (o.Finalize == nil) != (final == "well") || o.Record != nil {
					t.Errorf("run %s, finalize %s %d times: outcome %+v", name, final, finalized, o)
				}
				if got := store.last("a"); got.End != way.end || (got.Finalize == "") != (final == "well") {
					t.Errorf("run %s, finalize %s: recorded %+v", name, final, got)
				}
			}
		}
	}
}

// A failed body stays failed though its output was copied well, and a copy
// that failed does not undo what the body achieved.
func TestFailureStaysThoughCopiedWellV5(t *testing.T) {
	r := newRig(t, 1, jobs.Config{})
	copied := ""
	h := r.start(t, "a", jobs.Job{
		Run:      func(context.Context, *executor.Worker) ([]byte, error) { return []byte("half"), errBody },
		Finalize: func(context.Context, jobs.Outcome) error { copied = "half"; return nil },
	})
	o, err := h.Wait(background)
	is(t, "wait", err, errBody)
	if o.End != jobs.Failed || copied != "half" || o.Finalize != nil {
		t.Errorf("outcome %+v, copied %q", o, copied)
	}
}

// Stop of the executor: the queued job never runs, the running one is asked
// to return, and both end as cancelled and recorded.
func TestExecutorStopReleasesV3(t *testing.T) {
	store := &badStore{}
	r := newRig(t, 1, jobs.Config{Store: store})
	running := make(chan struct{})
	first := r.start(t, "first", jobs.Job{Run: func(ctx context.Context, w *executor.Worker) ([]byte, error) {
		close(running)
		return obedient(ctx, w)
	}})
	<-running
	second := r.start(t, "second", quick(""))
	if err := r.exec.Stop(); err != nil {
		t.Fatal(err)
	}
	for h, began := range map[*jobs.Handle]bool{first: true, second: false} {
		o, err := h.Wait(background)
		is(t, h.ID(), err, executor.ErrStopped)
		is(t, h.ID(), err, jobs.ErrCancelled)
		if o.Began != began || o.End != jobs.Cancelled || store.last(h.ID()).End != jobs.Cancelled {
			t.Errorf("%s: outcome %+v", h.ID(), o)
		}
	}
}

// A stop while the beginning is written: the body does not begin any more.
func TestExecutorStopBeforeBodyV3(t *testing.T) {
	s := stage{"beginning is written", make(chan struct{}), make(chan struct{})}
	r := newRig(t, 1, jobs.Config{Store: s.store()})
	began := false
	h := r.start(t, "a", s.job(ways["completed"].run, &began))
	<-s.there
	stopped := make(chan error)
	go func() { stopped <- r.exec.Stop() }()
	stress.Until(func() bool { return r.exec.Stats().Cancelled != 0 || refused(r) })
	close(s.leave)
	o, err := h.Wait(background)
	is(t, "wait", err, executor.ErrStopped)
	is(t, "stop", <-stopped, nil)
	if began || o.Began {
		t.Errorf("the body ran: %+v", o)
	}
}

// refused tells whether the executor is closed: Stop ends contexts before.
func refused(r rig) bool {
	_, err := executor.TrySubmit(r.exec, func(*executor.Worker) (int, error) { return 0, nil })
	return errors.Is(err, executor.ErrShutdown)
}

// A million handles are not needed to see what is kept: nothing.
func TestNothingIsLeftV3(t *testing.T) {
	r := newRig(t, 2, jobs.Config{Capacity: 4})
	for i := range stress.Rounds(2000) {
		h := r.start(t, fmt.Sprint("job ", i%7), quick("x"))
		if _, err := h.Wait(background); err != nil {
			t.Fatal(err)
		}
		if n := len(r.List()); n != 0 {
			t.Fatalf("%d jobs are left after a Wait", n)
		}
	}
}
