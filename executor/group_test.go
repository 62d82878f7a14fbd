package executor_test

import (
	"context"
	"errors"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

// A group is over when its last task is, however long other tasks of the workers go on
// which ran some of it; Wait takes a context, and a task that waits gives its place.
func TestGroupWait(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 2})
	g, other := executor.NewGroup(e), executor.NewGroup(e)
	gate := make(chan struct{})
	nothing := func(*executor.Worker, any) {}
	// One worker runs tasks of g and then a long one of another group, the other
	// spawns into g and goes on.
	long := func(*executor.Worker, any) { <-gate }
	root := func(w *executor.Worker, _ any) {
		for range 100 {
			g.Spawn(w, nothing, nil)
		}
		other.Spawn(w, long, nil)
		w.Block(func() { <-gate })
	}
	if err := other.Go(root, nil); err != nil {
		t.Fatal(err)
	}
	until(func() bool { return e.Stats().Spawned > 0 })
	if err := g.Wait(background); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(background)
	cancel()
	if err := other.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	inside := submit(t, e, func(w *executor.Worker) (int, error) {
		for range 10 {
			g.Spawn(w, nothing, nil)
		}
		return w.Index(), g.Wait(background)
	})
	if _, err := inside.Wait(background); err != nil {
		t.Error(err)
	}
	close(gate)
	if err := other.Wait(background); err != nil {
		t.Error(err)
	}
}

// L12: who learns of a group's end finds its tasks counted as spawned, though their
// spawner runs on.
func TestLightSpawnsAreCountedL12(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 2
		e := start(t, cfg)
		g := executor.NewGroup(e)
		gate := make(chan struct{})
		h := submit(t, e, func(w *executor.Worker) (int, error) {
			for range 4 { // the other worker is woken for them
				g.Spawn(w, func(*executor.Worker, any) {}, nil)
			}
			gate <- struct{}{}
			<-gate
			return 0, nil
		})
		<-gate
		if err := g.Wait(background); err != nil {
			t.Error(err)
		}
		if s := e.Stats(); s.Spawned != 4 || s.Completed != 4 {
			t.Errorf("%+v", s)
		}
		close(gate)
		if _, err := h.Wait(background); err != nil {
			t.Error(err)
		}
	})
}
