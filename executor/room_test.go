package executor_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

// filled is an executor with one worker and no free slot. release lets the
// worker go on.
func filled(t *testing.T, capacity int) (e *executor.Executor, release func()) {
	t.Helper()
	e = start(t, executor.Config{Workers: 1, Capacity: capacity, Seed: seed(t)})
	release = gated(t, e)
	for range capacity - 1 {
		submit(t, e, nothing)
	}
	if s := e.Stats(); s.Stored != capacity || s.Queued != capacity-1 || s.Running != 1 {
		t.Fatalf("not full: %+v", s)
	}
	return e, release
}

// X10: a full executor refuses a TrySubmit, whose task never runs, and lets a
// Submit wait for the first slot that is freed.
func TestFullX10(t *testing.T) {
	for _, capacity := range []int{1, 2, 64, 65} {
		watchdog(t)
		e, release := filled(t, capacity)
		refused := func(*executor.Worker) (int, error) { t.Error("a refused task ran"); return 0, nil }
		for range 100 {
			if _, err := executor.TrySubmit(e, refused); !errors.Is(err, executor.ErrSaturated) {
				t.Fatalf("capacity %d: got %v", capacity, err)
			}
		}
		blocked := make(chan *executor.Handle[int])
		go func() {
			h, err := executor.Submit(background, e, func(*executor.Worker) (int, error) { return 7, nil })
			if err != nil {
				t.Error(err)
			}
			blocked <- h
		}()
		until(func() bool { return executor.Waiting(e) == 1 })
		release()
		if got, err := (<-blocked).Wait(background); got != 7 || err != nil {
			t.Errorf("capacity %d: got %d, %v", capacity, got, err)
		}
		drained(t, e)
		if s := e.Stats(); s.HighWater != capacity || s.Submitted != uint64(capacity)+1 {
			t.Errorf("capacity %d: %+v", capacity, s)
		}
	}
}

// X10, E26: a context that has ended is refused, always and at any door,
// although there is room.
func TestEndedContextIsRefusedX10(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1})
	storage := executor.NewStorage[int](e, 1)
	ctx, cancel := context.WithCancel(background)
	cancel()
	refused := func(*executor.Worker) (int, error) { t.Error("a refused task ran"); return 0, nil }
	for range 1000 {
		_, one := executor.Submit(ctx, e, refused)
		accepted, all := executor.SubmitAll(ctx, e, []func(*executor.Worker) (int, error){refused, refused})
		_, stored := storage.Submit(ctx, refused)
		for _, err := range []error{one, all, stored} {
			if !errors.Is(err, context.Canceled) || len(accepted) != 0 {
				t.Fatalf("got %v, %d accepted", err, len(accepted))
			}
		}
	}
	if _, err := storage.Submit(background, nothing); err != nil {
		t.Errorf("the refused tasks keep the storage: %v", err)
	}
}

// X10, E11: whoever waits for a slot is let go when its context ends, and all
// when the executor is shut down.
func TestBlockedSubmittersAreReleasedX10(t *testing.T) {
	for _, way := range []string{"context", "shutdown", "stop"} {
		watchdog(t)
		e, release := filled(t, 2)
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		errs := make(chan error)
		for range 4 {
			go func() {
				_, err := executor.Submit(ctx, e, func(*executor.Worker) (int, error) { t.Error("a refused task ran"); return 0, nil })
				errs <- err
			}()
		}
		until(func() bool { return executor.Waiting(e) == 4 })
		want := executor.ErrShutdown
		var ending sync.WaitGroup
		switch way {
		case "context":
			want = context.Canceled
			cancel()
		case "shutdown":
			ending.Go(func() { _ = e.Shutdown(background) })
		case "stop":
			ending.Go(func() { _ = e.Stop() })
		}
		for range 4 {
			if err := <-errs; !errors.Is(err, want) {
				t.Errorf("%s: got %v", way, err)
			}
		}
		release()
		ending.Wait()
		drained(t, e)
	}
}

// X10, E26: when a slot is freed at the moment the context ends, either may
// win, and no slot is lost.
func TestNoSlotIsLostX10(t *testing.T) {
	watchdog(t)
	const capacity = 2
	e := start(t, executor.Config{Workers: 1, Capacity: capacity, Seed: seed(t)})
	won, lost := 0, 0
	for i := 0; i < rounds(20000) || won == 0 || lost == 0; i++ {
		release := gated(t, e)
		last := submit(t, e, nothing)
		ctx, cancel := context.WithCancel(background)
		result := make(chan error)
		go func() {
			_, err := executor.Submit(ctx, e, nothing)
			result <- err
		}()
		if i%2 == 0 {
			until(func() bool { return executor.Waiting(e) == 1 })
		}
		if i%4 < 2 { // who begins alternates
			go release()
			cancel()
		} else {
			go cancel()
			release()
		}
		switch err := <-result; {
		case err == nil:
			won++
		case errors.Is(err, context.Canceled):
			lost++
		default:
			t.Fatal(err)
		}
		if _, err := last.Wait(background); err != nil {
			t.Fatal(err)
		}
		until(func() bool { return e.Stats().Stored == 0 })
		cancel()
	}
	until(func() bool { return executor.Waiting(e) == 0 })
	release := gated(t, e)
	for range capacity - 1 {
		if _, err := executor.TrySubmit(e, nothing); err != nil {
			t.Errorf("a slot was lost: %v", err)
		}
	}
	release()
}

// X10: on a full pool a spawn runs the task before it returns, and however
// that task ends, its spawner goes on with what it had.
func TestSpawnInPlaceX10L10(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1, Capacity: 1})
	boom := errors.New("boom")
	var nested atomic.Int64
	outer := func(w *executor.Worker) (int, error) {
		ctx := w.Context()
		ran := false
		ok := executor.Spawn(w, func(in *executor.Worker) (int, error) {
			ran = true
			if in != w || in.Context() == ctx {
				return 0, fmt.Errorf("worker %v, context of the spawner: %v", in, in.Context() == ctx)
			}
			executor.Spawn(in, tree(&nested, 3)) // in place in place
			return 1, nil
		})
		if !ran || nested.Load() == 0 {
			t.Error("spawn returned before its task had run")
		}
		failed := executor.Spawn(w, func(*executor.Worker) (int, error) { return 2, boom })
		panicked := executor.Spawn(w, func(*executor.Worker) (int, error) { panic(boom) })
		gone := executor.Spawn(w, func(*executor.Worker) (int, error) { runtime.Goexit(); return 4, nil })
		if _, err := ok.Wait(background); err != nil {
			t.Error(err)
		}
		for _, h := range []*executor.Handle[int]{failed, panicked} {
			if _, err := h.Wait(background); !errors.Is(err, boom) {
				t.Errorf("got %v", err)
			}
		}
		if _, err := gone.Wait(background); !errors.Is(err, executor.ErrGoexit) {
			t.Errorf("got %v", err)
		}
		if gone.Cancel(nil) || ctx.Err() != nil || w.Context() != ctx {
			t.Errorf("the spawner's context: %v", ctx.Err())
		}
		return 7, nil
	}
	h := submit(t, e, outer)
	if got, err := h.Wait(background); got != 7 || err != nil {
		t.Errorf("the spawner got %d, %v", got, err)
	}
	if s := e.Stats(); s.InPlace != s.Spawned || s.Spawned != 4+15 || nested.Load() != 15 || s.Completed != 17 || s.Failed != 3 {
		t.Errorf("%d nested, %+v", nested.Load(), s)
	}
}
