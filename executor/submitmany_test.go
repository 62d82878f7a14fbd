package executor_test

import (
	"context"
	"errors"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

// X5: SubmitAll accepts all in order, waits while there is no room, with a bounded
// injector too, and gives back the room of what it could not queue.
func TestSubmitAllX5(t *testing.T) {
	configs := map[string]executor.Config{
		"room":    {Workers: 2},
		"little":  {Workers: 2, Capacity: 3},
		"bounded": {Workers: 2, Capacity: 100, Injector: injectorOf(2, hooks{})},
	}
	for name, cfg := range configs {
		t.Run(name, func(t *testing.T) {
			watchdog(t)
			e := start(t, cfg)
			n := rounds(5000)
			fns := make([]func(*executor.Worker) (int, error), n)
			for i := range fns {
				fns[i] = func(*executor.Worker) (int, error) { return i, nil }
			}
			handles, err := executor.SubmitAll(background, e, fns)
			if err != nil || len(handles) != n {
				t.Fatal(len(handles), err)
			}
			for i, h := range handles {
				if v, err := h.Wait(background); v != i || err != nil {
					t.Fatal(i, v, err)
				}
			}
		})
	}
}

// What cannot be accepted any more is refused with those before it accepted.
func TestSubmitAllIsCutShort(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1, Capacity: 4})
	release := gated(t, e)
	ctx, cancel := context.WithCancel(background)
	fns := make([]func(*executor.Worker) (int, error), 10)
	for i := range fns {
		fns[i] = nothing
	}
	type result struct {
		handles []*executor.Handle[int]
		err     error
	}
	got := make(chan result)
	go func() {
		handles, err := executor.SubmitAll(ctx, e, fns)
		got <- result{handles, err}
	}()
	until(func() bool { return executor.Waiting(e) == 1 })
	cancel()
	r := <-got
	if len(r.handles) != 3 || !errors.Is(r.err, context.Canceled) {
		t.Errorf("%d, %v", len(r.handles), r.err)
	}
	release()
	for _, h := range r.handles {
		if _, err := h.Wait(background); err != nil {
			t.Error(err)
		}
	}
	fns[2] = nil
	handles, err := executor.SubmitAll(background, e, fns)
	if len(handles) != 2 || !errors.Is(err, executor.ErrNilTask) {
		t.Errorf("%d, %v", len(handles), err)
	}
}
