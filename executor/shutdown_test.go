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
	"github.com/exactlyonce/certify/executor/lifecycle"
)

// X6, X7, Q17: a drain runs everything that was accepted, and what that still
// spawns, however soon it begins.
func TestShutdownDrainsX6X7(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Capacity = 256
		for cfg.Workers = range 9 {
			for _, roots := range []int{1, 2, 5, 32} {
				e, err := executor.New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				var ran atomic.Int64
				for range roots {
					submit(t, e, tree(&ran, 4))
				}
				drained(t, e)
				if want := int64(roots * 31); ran.Load() != want {
					t.Errorf("%d workers: %d ran, want %d", cfg.Workers, ran.Load(), want)
				}
			}
		}
	})
}

// X6, E13: submitters race the end. Each task is accepted or ErrShutdown; the
// accepted ones run, or are Cancelled by a Stop, and nothing is between.
func TestSubmitRacesEndX6(t *testing.T) {
	ends := []struct {
		name string
		end  func(*executor.Executor) error
	}{
		{"shutdown", func(e *executor.Executor) error { return e.Shutdown(background) }},
		{"stop", (*executor.Executor).Stop},
	}
	for _, end := range ends {
		t.Run(end.name, func(t *testing.T) {
			watchdog(t)
			var total race
			n := rounds(500)
			want := end.name == "stop" // only a Stop cancels
			for i := 0; i < n || total.counts.ran == 0 || want && total.counts.cancelled == 0; i++ {
				total.round(t, executor.Config{Workers: i%4 + 1, Capacity: 8, Seed: uint64(i)}, end.end)
			}
			if total.counts.refused == 0 || total.counts.cancelled > 0 != want {
				t.Errorf("no race: %+v", total.counts)
			}
		})
	}
}

type race struct {
	counts struct{ ran, cancelled, refused int64 }
}

func (r *race) round(t *testing.T, cfg executor.Config, end func(*executor.Executor) error) {
	e, err := executor.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var accepted, refused, executed atomic.Int64
	var submitters, enough sync.WaitGroup
	enough.Add(4)
	for range 4 {
		submitters.Go(func() {
			for i := range 1 << 20 {
				if i == 10 {
					enough.Done()
				}
				_, err := executor.Submit(background, e, func(*executor.Worker) (int, error) { executed.Add(1); return 0, nil })
				if err != nil {
					if !errors.Is(err, executor.ErrShutdown) {
						t.Errorf("got %v", err)
					}
					refused.Add(1)
					return
				}
				accepted.Add(1)
			}
		})
	}
	enough.Wait()
	if err := end(e); err != nil {
		t.Error(err)
	}
	submitters.Wait()
	s := e.Stats()
	if executed.Load() != int64(s.Completed) || accepted.Load() != int64(s.Completed+s.Cancelled) || s.Submitted != s.Completed+s.Cancelled || s.Stored != 0 {
		t.Errorf("%d accepted, %d executed, %+v", accepted.Load(), executed.Load(), s)
	}
	r.counts.ran += executed.Load()
	r.counts.cancelled += int64(s.Cancelled)
	r.counts.refused += refused.Load()
}

// X7: a Shutdown whose context ends goes on draining, and can be called again.
func TestShutdownContextX7(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 2})
	release := gated(t, e)
	ctx, cancel := context.WithCancel(background)
	first := make(chan error)
	go func() { first <- e.Shutdown(ctx) }()
	until(func() bool { _, err := executor.TrySubmit(e, nothing); return errors.Is(err, executor.ErrShutdown) })
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := e.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("again, with an ended context: got %v", err)
	}
	release()
	for range 2 {
		if err := e.Shutdown(background); err != nil {
			t.Errorf("again: %v", err)
		}
	}
	if err := e.Shutdown(ctx); err != nil {
		t.Errorf("drained, with an ended context: got %v", err)
	}
	if _, err := executor.Submit(background, e, nothing); !errors.Is(err, executor.ErrShutdown) {
		t.Errorf("submit after the end: got %v", err)
	}
	if h, err := executor.SubmitAll(background, e, []func(*executor.Worker) (int, error){nothing}); len(h) != 0 || !errors.Is(err, executor.ErrShutdown) {
		t.Errorf("submit all after the end: got %d handles, %v", len(h), err)
	}
}

// X7, E11: Shutdown and Stop, together and twice, from three goroutines.
func TestEndsTogetherX7(t *testing.T) {
	watchdog(t)
	for i := range rounds(300) {
		e, err := executor.New(executor.Config{Workers: i%3 + 1, Seed: uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		var ran atomic.Int64
		for range 20 {
			submit(t, e, tree(&ran, 2))
		}
		var callers sync.WaitGroup
		for k := range 3 {
			callers.Go(func() {
				for j := range 2 {
					end := e.Stop
					if (i+j+k)%2 == 0 {
						end = func() error { return e.Shutdown(background) }
					}
					if err := end(); err != nil {
						t.Error(err)
					}
				}
			})
		}
		callers.Wait()
		drained(t, e)
		if s := e.Stats(); s.Completed != uint64(ran.Load()) {
			t.Fatalf("%d ran, %+v", ran.Load(), s)
		}
	}
}

// X7, E23: a task that ends its own executor is told, and nothing has changed.
// In a task that runs in place too.
func TestEndFromInsideX7(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1, Capacity: 1})
	inside := func(*executor.Worker) (int, error) {
		for _, err := range []error{e.Shutdown(background), e.Stop()} {
			if !errors.Is(err, executor.ErrInsideTask) {
				return 0, fmt.Errorf("got %w", err)
			}
		}
		return 7, nil
	}
	for range 3 {
		got, err := submit(t, e, func(w *executor.Worker) (int, error) {
			inPlace := executor.Spawn(w, inside)
			if n, err := inPlace.Wait(background); n != 7 || err != nil {
				return 0, fmt.Errorf("in place: %d, %w", n, err)
			}
			executor.Spawn(w, func(*executor.Worker) (int, error) { runtime.Goexit(); return 0, nil })
			return inside(w)
		}).Wait(background)
		if got != 7 || err != nil {
			t.Fatalf("got %d, %v", got, err)
		}
	}
	if s := e.Stats(); s.InPlace != 6 {
		t.Errorf("not in place: %+v", s)
	}
	other := start(t, executor.Config{Workers: 1})
	if _, err := submit(t, e, func(*executor.Worker) (int, error) { return 0, other.Shutdown(background) }).Wait(background); err != nil {
		t.Errorf("end of another executor: %v", err)
	}
}

// E37: an executor can be started, ended and started again any number of times.
func TestStartAndEndAgainX1(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		for i := range rounds(100) {
			cfg.Workers = i%5 + 1
			e, err := executor.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			h := submit(t, e, func(*executor.Worker) (int, error) { return i, nil })
			drained(t, e)
			if got, err := h.Wait(background); got != i || err != nil || h.State() != lifecycle.Completed {
				t.Fatalf("got %d, %v, %s", got, err, h.State())
			}
		}
	})
}
