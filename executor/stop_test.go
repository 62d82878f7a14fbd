package executor_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/lifecycle"
)

// X7, L8, L9: Stop cancels what is queued, in the injector and in deques, and
// resolves those handles while the workers are busy; the contexts of running
// tasks end with ErrStopped.
func TestStopCancelsX7(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 2
		e := start(t, cfg)
		var ran atomic.Int64
		count := func(*executor.Worker) (int, error) { ran.Add(1); return 1, nil }
		spawned, gate := make(chan []*executor.Handle[int], 2), make(chan struct{})
		var busy []*executor.Handle[error]
		var both sync.WaitGroup
		both.Add(2)
		for range 2 {
			busy = append(busy, submit(t, e, func(w *executor.Worker) (error, error) {
				both.Done()
				both.Wait() // no worker is left to steal
				var queued []*executor.Handle[int]
				for range 10 {
					queued = append(queued, executor.Spawn(w, count))
				}
				ctx := w.Context()
				spawned <- queued
				<-ctx.Done()
				<-gate
				// Accepted by a stopped executor, and cancelled by whoever comes to it.
				late := executor.Spawn(w, count)
				if s := late.State(); s != lifecycle.Queued && s != lifecycle.Cancelled {
					t.Errorf("late task is %s", s)
				}
				return context.Cause(ctx), nil
			}))
		}
		queued := append(<-spawned, <-spawned...)
		for range 10 {
			queued = append(queued, submit(t, e, count))
		}
		stopped := make(chan error)
		go func() { stopped <- e.Stop() }()
		for i, h := range queued {
			if got, err := h.Wait(background); got != 0 || !errors.Is(err, executor.ErrCancelled) || !errors.Is(err, executor.ErrStopped) {
				t.Errorf("queued task %d: got %d, %v", i, got, err)
			}
		}
		if s := e.Stats(); s.Cancelled != 30 || s.Running != 2 || s.Queued != 0 {
			t.Errorf("%+v", s)
		}
		close(gate)
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		for _, h := range busy {
			if cause, err := h.Wait(background); err != nil || cause != executor.ErrStopped {
				t.Errorf("running task: cause %v, %v", cause, err)
			}
		}
		if s := e.Stats(); s.Cancelled != 32 || s.Completed != 2 || ran.Load() != 0 {
			t.Errorf("%d ran, %+v", ran.Load(), s)
		}
	})
}

// X6, X7, X10: what a stopped executor would have to run in place is Cancelled
// like everything else that has not begun.
func TestStopCancelsInPlaceX7X10(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1, Capacity: 1})
	running := make(chan struct{})
	h := submit(t, e, func(w *executor.Worker) (*executor.Handle[int], error) {
		ctx := w.Context()
		close(running)
		<-ctx.Done()
		return executor.Spawn(w, func(*executor.Worker) (int, error) { t.Error("ran"); return 1, nil }), nil
	})
	<-running
	if err := e.Stop(); err != nil {
		t.Error(err)
	}
	inPlace, err := h.Wait(background)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := inPlace.Wait(background); got != 0 || !errors.Is(err, executor.ErrStopped) || !errors.Is(err, executor.ErrCancelled) || inPlace.State() != lifecycle.Cancelled {
		t.Errorf("got %d, %v, %s", got, err, inPlace.State())
	}
	if s := e.Stats(); s.Cancelled != 1 || s.InPlace != 1 || s.Spawned != 1 {
		t.Errorf("%+v", s)
	}
}

// X7: Stop does not cancel a task that runs, by its waiter neither: it sees its
// context end, and what it returns counts. Nor does a wait that begins later.
func TestStopLeavesRunningOnesX7(t *testing.T) {
	watchdog(t)
	pairs(t, func(t *testing.T, cfg executor.Config) {
		for _, workers := range []int{1, 2} {
			cfg.Workers = workers
			e := start(t, cfg)
			entered := make(chan struct{})
			child := func(w *executor.Worker) (int, error) {
				ctx := w.Context()
				close(entered)
				<-ctx.Done()
				if !errors.Is(context.Cause(ctx), executor.ErrStopped) {
					t.Errorf("the context ended with %v", context.Cause(ctx))
				}
				return 7, nil
			}
			var inner *executor.Handle[int]
			h := submit(t, e, func(w *executor.Worker) (int, error) {
				inner = executor.Spawn(w, child) // its entry stays queued while its waiter runs it
				return inner.Wait(background)
			})
			<-entered
			if err := e.Stop(); err != nil {
				t.Error(err)
			}
			for _, h := range []*executor.Handle[int]{h, inner} {
				if n, err := h.Wait(background); n != 7 || err != nil {
					t.Errorf("%d workers: got %d, %v", workers, n, err)
				}
			}
			quiet(t, e)
		}
	})
}
