package executor_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/lifecycle"
)

// What public reports tell of, as often as they say: see package hardening.

// often is n, and a twentieth of it under the race detector, which takes as long for each.
func often(n int) int {
	if underRace {
		n /= 20
	}
	return rounds(n)
}

// L8, L1: a million tasks, each cancelled as the workers come to it. A body runs once,
// or its task was Cancelled before; what completed ran; and no body begins after its
// task has ended: the counts are plain, and are read again when all is over.
func TestCancelAgainstStartL1L8(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 2, Capacity: 2048, Seed: seed(t)})
	const n = 1000
	completed, before, during := 0, 0, 0
	for range rounds(1000) {
		var ran, seen [n]int
		bodies := make([]func(*executor.Worker) (int, error), n)
		for i := range bodies {
			bodies[i] = func(*executor.Worker) (int, error) { ran[i]++; return i, nil }
		}
		handles, err := executor.SubmitAll(background, e, bodies)
		if err != nil {
			t.Fatal(err)
		}
		for i := range handles { // the newest first, so that they meet in the middle
			handles[n-1-i].Cancel(nil)
		}
		for i, h := range handles {
			got, err := h.Wait(background)
			seen[i] = ran[i]
			switch cancelled := errors.Is(err, executor.ErrCancelled); {
			case seen[i] > 1 || cancelled != (h.State() == lifecycle.Cancelled) || !cancelled && (err != nil || got != i || seen[i] != 1):
				t.Fatalf("task %d ran %d times and is %s: %d, %v", i, seen[i], h.State(), got, err)
			case !cancelled:
				completed++
			case seen[i] == 0:
				before++
			default:
				during++
			}
		}
		drain(t, e)
		if ran != seen {
			t.Fatal("a body ran after its task had ended")
		}
	}
	t.Logf("%d completed, %d cancelled before they began, %d while they ran", completed, before, during)
	if completed == 0 || before == 0 {
		t.Errorf("no race: %d completed, %d cancelled before they began", completed, before)
	}
}

// drain waits until every worker sleeps.
func drain(t *testing.T, e *executor.Executor) {
	t.Helper()
	asleep(e, e.Workers())
	quiet(t, e)
}

// L12: ten million looks at the counters while tasks come and go: each gauge within its
// bounds, no counter ever less than before.
func TestMillionsOfLooksL12(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 2, Capacity: 24, Seed: seed(t)})
	var over atomic.Bool
	var ran atomic.Int64
	var submitter sync.WaitGroup
	submitter.Go(func() {
		for i := 0; !over.Load(); i++ {
			h := submit(t, e, tree(&ran, i%4))
			if i%5 == 0 {
				h.Cancel(nil)
			}
			if i%64 == 0 {
				drainedOrOver(e, &over)
			}
		}
	})
	looks, busy := often(10_000_000), 0
	last := e.Stats()
	for i := 0; i < looks || busy == 0; i++ {
		s := e.Stats()
		if bad := outOfBounds(last, s); bad != "" {
			t.Fatalf("look %d: %s: %+v after %+v", i, bad, s, last)
		}
		if s.Stored > 0 && s.Running > 0 {
			busy++
		}
		last = s
	}
	over.Store(true)
	submitter.Wait()
	drained(t, e)
	t.Logf("%d of %d looks met tasks, %d tasks ran", busy, looks, ran.Load())
}

// drainedOrOver lets the levels fall now and then.
func drainedOrOver(e *executor.Executor, over *atomic.Bool) {
	until(func() bool { return over.Load() || e.Stats().Stored == 0 })
}

// X10, X12: those who give up, waiting for room, a task or a group, leave nothing.
func TestWaitsThatEndLeaveNothingX10X12(t *testing.T) {
	watchdog(t)
	e, release := filled(t, 2)
	defer release()
	held := start(t, executor.Config{Workers: 2})
	g := executor.NewGroup(held)
	gate := make(chan struct{})
	defer close(gate)
	if err := g.Go(func(*executor.Worker, any) { <-gate }, nil); err != nil {
		t.Fatal(err)
	}
	slow := submit(t, held, func(*executor.Worker) (int, error) { <-gate; return 0, nil })
	waits := map[string]func(ctx context.Context) error{
		"room":  func(ctx context.Context) error { _, err := executor.Submit(ctx, e, nothing); return err },
		"task":  func(ctx context.Context) error { _, err := slow.Wait(ctx); return err },
		"group": g.Wait,
	}
	for name, wait := range waits {
		contexts, errs := make(chan context.Context), make(chan error)
		go func() {
			for ctx := range contexts {
				errs <- wait(ctx)
			}
		}()
		round := func(i int) {
			ctx, cancel := context.WithCancel(background)
			contexts <- ctx
			for range i % 4 { // so that some have begun to wait
				runtime.Gosched()
			}
			cancel()
			if err := <-errs; !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: got %v", name, err)
			}
		}
		for i := range 1000 {
			round(i)
		}
		before := live()
		for i := range often(300_000) {
			round(i)
		}
		if grown := live() - before; grown > 1<<20 {
			t.Errorf("%s: %d bytes more after %d waits that ended", name, grown, often(300_000))
		}
		close(contexts)
	}
	if n := executor.Waiting(e); n != 0 {
		t.Errorf("%d are said to wait for room", n)
	}
}

// live is what is reachable, in bytes.
func live() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
