package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/jobs"
	"github.com/exactlyonce/certify/internal/stress"
)

func TestInvalidIDsV1(t *testing.T) {
	store := &badStore{}
	r := newRig(t, 1, jobs.Config{Store: store})
	for _, row := range []struct {
		id, problem string
		at          int
	}{
		{"", "empty", 0},
		{strings.Repeat("x", 256), "longer than 255 bytes", 255},
		{"a\nb", "not printable", 1},
		{"\u200b", "not printable", 0},
		{"ab\x00", "not printable", 2},
		{"ab\xff", "invalid UTF-8", 2},
		{"é\xc3", "invalid UTF-8", 2},
	} {
		_, err := r.Start(background, row.id, quick(""))
		is(t, "start", err, jobs.ErrInvalidID)
		var detail *jobs.IDError
		if !errors.As(err, &detail) || detail.Problem != row.problem || detail.At != row.at || detail.ID != row.id {
			t.Errorf("%q: got %v, want %s at %d", row.id, err, row.problem, row.at)
		}
		if len(err.Error()) > 200 {
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
	}
	if store.writes != 0 {
		t.Errorf("%d writes before validation", store.writes)
	}
	for _, id := range []string{"/", "../../etc/passwd", `..\x`, "a b", "日本", "\ufffd", strings.Repeat("x", 255)} {
		if _, err := r.start(t, id, quick("")).Wait(background); err != nil {
			t.Error(err)
		}
	}
}

// An invalid id is told as such also when there is no place, and a duplicate
// before a lack of places.
func TestOrderOfRefusalsV1(t *testing.T) {
	store := &badStore{}
	r := newRig(t, 1, jobs.Config{Capacity: 1, Store: store})
	job, running, release := gated()
	r.start(t, "a", job)
	<-running
	writes := store.writes
	for id, want := range map[string]error{"": jobs.ErrInvalidID, "a": jobs.ErrDuplicateID, "b": jobs.ErrCapacity} {
		_, err := r.Start(background, id, quick(""))
		is(t, "start of "+id, err, want)
		ended, end := context.WithCancel(background)
		end()
		_, err = r.Start(ended, "b", quick(""))
		is(t, "start with an ended ctx", err, context.Canceled)
	}
	_, err := r.Start(background, "a", jobs.Job{})
	is(t, "start of no job", err, jobs.ErrNoRun)
	if store.writes != writes {
		t.Error("a refused start wrote")
	}
	close(release)
}

// The refusal names the phase in which the other one is, up to its very end.
func TestDuplicateNamesPhaseV1(t *testing.T) {
	for _, p := range points[:len(points)-1] {
		s := stage{p.name, make(chan struct{}), make(chan struct{})}
		r := newRig(t, 1, jobs.Config{Store: s.store()})
		began := false
		started := make(chan *jobs.Handle, 1)
		go func() { started <- r.start(t, "a", s.job(ways["completed"].run, &began)) }()
		<-s.there
		_, err := r.Start(background, "a", quick(""))
		var duplicate *jobs.DuplicateError
		if !errors.As(err, &duplicate) || duplicate.Phase != p.phase {
			t.Errorf("%s: got %v, want phase %s", p.name, err, p.phase)
		}
		close(s.leave)
		if o, err := (<-started).Wait(background); err != nil || string(o.Output) != "ok" {
			t.Errorf("%s: the first: %+v, %v", p.name, o, err)
		}
	}
}

// Of many concurrent starts of one id, one wins; the others wrote nothing.
func TestConcurrentStartsOneWinnerV1(t *testing.T) {
	const starters = 64
	for range stress.Rounds(200) {
		store := &badStore{}
		r := newRig(t, 2, jobs.Config{Store: store})
		job, _, release := gated()
		var won, lost atomic.Int32
		var all sync.WaitGroup
		barrier := make(chan struct{})
		for range starters {
			all.Go(func() {
				<-barrier
				switch _, err := r.Start(background, "a", job); {
				case err == nil:
					won.Add(1)
				case errors.Is(err, jobs.ErrDuplicateID):
					lost.Add(1)
				}
			})
		}
		close(barrier)
		all.Wait()
		if won.Load() != 1 || lost.Load() != starters-1 || store.count(jobs.Reserved) != 1 {
			t.Errorf("%d won, %d lost, %d reservations", won.Load(), lost.Load(), store.count(jobs.Reserved))
		}
		close(release)
		r.drained(t)
	}
}

func TestCapacityV3(t *testing.T) {
	r := newRig(t, 1, jobs.Config{Capacity: 2})
	job, running, release := gated()
	a := r.start(t, "a", job)
	<-running
	finalizing, finish := make(chan struct{}), make(chan struct{})
	slow := quick("")
	slow.Finalize = func(context.Context, jobs.Outcome) error { close(finalizing); <-finish; return nil }
	b := r.start(t, "b", slow)
	_, err := r.Start(background, "c", quick(""))
	is(t, "third", err, jobs.ErrCapacity)
	close(release)
	<-finalizing
	<-a.Done()
	c := r.start(t, "c", quick("")) // in the place of a
	if _, err := c.Wait(background); err != nil {
		t.Error(err)
	}
	d, running, release := gated()
	r.start(t, "d", d)
	<-running
	_, err = r.Start(background, "e", quick(""))
	is(t, "beside one that is finalizing", err, jobs.ErrCapacity)
	close(finish)
	b.Wait(background)
	r.start(t, "e", quick(""))
	close(release)
}

// Finalize holds no worker: all run at once. And the records that come before
// the body do not let more bodies run than there are workers.
func TestWorkersBoundBodiesNotFinalizesV3(t *testing.T) {
	const workers, many = 2, 40
	r := newRig(t, workers, jobs.Config{Store: &badStore{}})
	var now, most, finalizing atomic.Int32
	leave, all, finish := make(chan struct{}), make(chan struct{}), make(chan struct{})
	job := jobs.Job{
		Run: func(context.Context, *executor.Worker) ([]byte, error) {
			for n, m := now.Add(1), most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			<-leave
			now.Add(-1)
			return nil, nil
		},
		Finalize: func(context.Context, jobs.Outcome) error {
			if finalizing.Add(1) == many {
				close(all)
			}
			<-finish
			return nil
		},
	}
	for i := range many {
		r.start(t, fmt.Sprint(i), job)
	}
	for left := int32(many); left > 0; left-- { // one leaves when all may be in
		stress.Until(func() bool { return now.Load() >= min(left, workers) })
		leave <- struct{}{}
	}
	<-all
	if most.Load() != workers {
		t.Errorf("%d bodies at once, %d workers", most.Load(), workers)
	}
	close(finish)
}

func TestConfigV1(t *testing.T) {
	var bad *jobs.ConfigError
	if _, _, err := jobs.New(nil, jobs.Config{Capacity: -1}); !errors.As(err, &bad) || bad.Field != "Capacity" {
		t.Errorf("got %v", err)
	}
}
