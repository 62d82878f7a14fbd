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

// L8, E28: cancelled before it starts, the body never runs.
func TestCancelWhileQueuedL8(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 1
		e := start(t, cfg)
		release := gated(t, e)
		ran := false
		h := submit(t, e, func(*executor.Worker) (int, error) { ran = true; return 1, nil })
		cause := errors.New("not needed")
		if !h.Cancel(cause) || h.Cancel(nil) {
			t.Error("want true for the first Cancel only")
		}
		if h.State() != lifecycle.Cancelled {
			t.Errorf("state %s", h.State())
		}
		if _, err := h.Wait(background); !errors.Is(err, executor.ErrCancelled) || !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
		if s := e.Stats(); s.Cancelled != 1 || s.Queued != 0 || s.Running != 1 {
			t.Errorf("%+v", s)
		}
		release()
		if err := e.Shutdown(background); err != nil || ran {
			t.Errorf("shutdown %v, body ran: %v", err, ran)
		}
	})
}

// L9: cancelled while it runs, the state is Cancelled at once, the context
// ends with the cause, the result is dropped, and Wait waits for the body.
func TestCancelWhileRunningL9(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1})
	running, gate := make(chan struct{}), make(chan struct{})
	cause := errors.New("enough")
	var seen error
	h := submit(t, e, func(w *executor.Worker) (int, error) {
		close(running)
		<-w.Context().Done()
		seen = context.Cause(w.Context())
		<-gate
		return 42, nil
	})
	<-running
	if !h.Cancel(cause) || h.State() != lifecycle.Cancelled {
		t.Fatalf("state %s", h.State())
	}
	select {
	case <-h.Done():
		t.Error("done while the body is on its worker")
	default:
	}
	close(gate)
	got, err := h.Wait(background)
	if got != 0 || !errors.Is(err, cause) || !errors.Is(err, executor.ErrCancelled) || seen != cause {
		t.Errorf("got %d, %v; the body saw %v", got, err, seen)
	}
	if h.Cancel(nil) {
		t.Error("a second Cancel won")
	}
}

// L1, L2, E29: cancel against the end, one winner, and the answer agrees.
func TestCancelRaceL1L2(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 2})
	var won, lost int
	for i := 0; i < rounds(20000) || won == 0 || lost == 0; i++ {
		var ran atomic.Bool
		h := submit(t, e, func(*executor.Worker) (int, error) { ran.Store(true); return i, nil })
		for spin := i % 64; spin > 0; spin-- {
			runtime.Gosched() // where the cancel falls moves through the task's life
		}
		cancelled := h.Cancel(nil)
		got, err := h.Wait(background)
		switch {
		case cancelled && !errors.Is(err, executor.ErrCancelled), !cancelled && (err != nil || got != i || !ran.Load()):
			t.Fatalf("round %d: Cancel said %v, outcome %d, %v, ran %v", i, cancelled, got, err, ran.Load())
		case cancelled:
			won++
		default:
			lost++
		}
	}
}

// L2, E29: of many cancels one is told that it was the one, and its cause is
// what everybody learns, whether the task was queued or running.
func TestOneCancelWinsL2(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1, Seed: seed(t)})
	won := map[lifecycle.State]int{}
	winners := map[int]bool{}
	for i := 0; i < rounds(4000) || len(winners) < 2; i++ {
		state := lifecycle.Queued
		gate, running := make(chan struct{}), make(chan struct{})
		release := func() {}
		if i%2 == 0 {
			release = gated(t, e)
		} else {
			state = lifecycle.Running
		}
		var cause error
		h := submit(t, e, func(w *executor.Worker) (int, error) {
			ctx := w.Context()
			close(running)
			<-gate
			cause = context.Cause(ctx)
			return 1, nil
		})
		if state == lifecycle.Running {
			<-running
		}
		var cancellers sync.WaitGroup
		var winner atomic.Pointer[error]
		startLine := make(chan struct{})
		for k := range 8 {
			cancellers.Go(func() {
				mine := fmt.Errorf("canceller %d", k)
				<-startLine
				if h.Cancel(mine) && winner.Swap(&mine) != nil {
					t.Error("two cancels won")
				}
				if h.State() != lifecycle.Cancelled {
					t.Errorf("%s after a Cancel returned", h.State())
				}
			})
		}
		close(startLine)
		cancellers.Wait()
		if winner.Load() == nil {
			t.Fatal("no cancel won")
		}
		close(gate)
		release()
		_, err := h.Wait(background)
		if want := *winner.Load(); !errors.Is(err, want) || state == lifecycle.Running && cause != want {
			t.Fatalf("%s task: got %v, context ended by %v, want %v", state, err, cause, want)
		}
		var k int
		if _, err := fmt.Sscanf((*winner.Load()).Error(), "canceller %d", &k); err != nil {
			t.Fatal(err)
		}
		winners[k] = true
		won[state]++
	}
	if won[lifecycle.Queued] == 0 || won[lifecycle.Running] == 0 {
		t.Errorf("won %v", won)
	}
}

// L8, E28: a body runs or its task is Cancelled from its queue, never both.
// Many are queued, and the cancels come as the worker gets to them.
func TestCancelAgainstClaimL8(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 2
		e := start(t, cfg)
		var ran, cancelled int
		for range rounds(200) {
			const n = 64
			var began [n]atomic.Bool
			release := gated(t, e)
			var handles []*executor.Handle[int]
			for i := range n {
				handles = append(handles, submit(t, e, func(w *executor.Worker) (int, error) {
					began[i].Store(true)
					return i, w.Context().Err() // a cancel may come now
				}))
			}
			handles[n-1].Cancel(nil)
			release()
			<-handles[0].Done()
			for i := n - 2; i >= 0; i-- {
				handles[i].Cancel(nil)
			}
			before := e.Stats()
			for i, h := range handles {
				_, err := h.Wait(background)
				switch state := h.State(); {
				case state == lifecycle.Cancelled && errors.Is(err, executor.ErrCancelled):
					cancelled++
				case began[i].Load() && (state == lifecycle.Completed && err == nil || state == lifecycle.Failed && err == context.Canceled):
					ran++
				default:
					t.Fatalf("task %d began: %v, %s, %v; %+v", i, began[i].Load(), state, err, before)
				}
			}
		}
		drained(t, e)
		if s := e.Stats(); ran == 0 || cancelled == 0 || s.Cancelled != uint64(cancelled) {
			t.Errorf("%d ran, %d were cancelled, %+v", ran, cancelled, s)
		}
	})
}
