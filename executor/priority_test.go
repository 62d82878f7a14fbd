package executor_test

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues"
)

// submitAt submits a task that notes its name when it runs.
func submitAt(t *testing.T, e *executor.Executor, p executor.Priority, ran func()) *executor.Handle[int] {
	t.Helper()
	h, err := executor.SubmitAt(background, e, p, func(*executor.Worker) (int, error) { ran(); return 0, nil })
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// X2: what waits in the injector runs High, Normal, Low, but for the turns of
// age; within one priority in order.
func TestPriorityOrderX2(t *testing.T) {
	watchdog(t)
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 1
		e := start(t, cfg)
		const each = 200
		release := gated(t, e)
		var order []string
		var last *executor.Handle[int]
		for range each { // worst first
			for _, p := range []executor.Priority{executor.Low, executor.Normal, executor.High} {
				h := submitAt(t, e, p, func() { order = append(order, p.String()) })
				if p == executor.Low {
					last = h
				}
			}
		}
		release()
		if _, err := last.Wait(background); err != nil {
			t.Fatal(err)
		}
		drained(t, e)
		if len(order) != 3*each {
			t.Fatalf("%d ran of %d", len(order), 3*each)
		}
		urgent := order[:each] // of these at most a turn of age in normalTurn was another's
		high := len(urgent) - len(slices.DeleteFunc(slices.Clone(urgent), func(s string) bool { return s == "high" }))
		if high < each*2/3 || high == each {
			t.Errorf("%d of the first %d are high: want most, and some turns of age", high, each)
		}
		if low := slices.Index(order, "low"); low > 16*8 {
			t.Errorf("the first low one ran as number %d", low)
		}
	})
}

// X2: a stream of High tasks that never ends holds up neither Normal nor Low
// ones, on one worker and on several.
func TestPrioritiesAgeX2(t *testing.T) {
	watchdog(t)
	for _, workers := range []int{1, 3} {
		pairs(t, func(t *testing.T, cfg executor.Config) {
			cfg.Workers = workers
			e := start(t, cfg)
			var stop atomic.Bool
			var streams []*executor.Handle[int]
			for range 4 * workers { // polled, so that each is queued as High again at once
				s := &steps{poll: func(_ int, _ *executor.Worker, k executor.Waker) (int, bool, error) {
					k.Wake()
					return 0, stop.Load(), nil
				}}
				h, err := executor.SubmitPoll(background, e, executor.High, s)
				if err != nil {
					t.Fatal(err)
				}
				streams = append(streams, h)
			}
			for range rounds(20) {
				for _, p := range []executor.Priority{executor.Low, executor.Normal} {
					if _, err := submitAt(t, e, p, func() {}).Wait(background); err != nil {
						t.Fatal(err)
					}
				}
			}
			stop.Store(true)
			for _, h := range streams {
				if _, err := h.Wait(background); err != nil {
					t.Error(err)
				}
			}
			drained(t, e)
		})
	}
}

// X10: each priority has room of its own in bounded injectors, and TrySubmit
// says when it is full.
func TestPrioritiesBoundedX10(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1, Injector: injectorOf(1, hooks{})})
	release := gated(t, e)
	var ran atomic.Int64
	count := func(*executor.Worker) (int, error) { ran.Add(1); return 0, nil }
	for _, p := range []executor.Priority{executor.Low, executor.Normal, executor.High} {
		if _, err := executor.TrySubmitAt(e, p, count); err != nil {
			t.Errorf("%s: %v", p, err)
		}
		if _, err := executor.TrySubmitAt(e, p, count); !errors.Is(err, executor.ErrSaturated) {
			t.Errorf("second %s: %v", p, err)
		}
	}
	release()
	drained(t, e)
	if ran.Load() != 3 {
		t.Errorf("%d ran of 3", ran.Load())
	}
}

// X7: Stop cancels what is queued in every priority.
func TestPrioritiesStopX7(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1})
	release := gated(t, e)
	var hs []*executor.Handle[int]
	for _, p := range []executor.Priority{executor.Low, executor.Normal, executor.High} {
		hs = append(hs, submitAt(t, e, p, func() { t.Error("ran") }))
	}
	over := make(chan error, 1)
	go func() { over <- e.Stop() }()
	for _, h := range hs {
		if _, err := h.Wait(background); !errors.Is(err, executor.ErrStopped) {
			t.Errorf("got %v", err)
		}
	}
	release()
	if err := <-over; err != nil {
		t.Error(err)
	}
}

// Bad priorities, and a back end that makes no more injectors, are refused by
// name.
func TestPriorityErrors(t *testing.T) {
	watchdog(t)
	b := injectorOf(0, hooks{})
	first := b.Injector
	made := 0
	b.Injector = func(o queues.Options) queues.Injector[*executor.Task] {
		if made++; made > 1 {
			return nil
		}
		return first(o)
	}
	e := start(t, executor.Config{Workers: 1, Injector: b})
	_, err := executor.SubmitAt(background, e, 3, nothing)
	if !errors.Is(err, executor.ErrPriority) || err.Error() != "executor: submit: executor: no such priority: 3" {
		t.Errorf("got %v", err)
	}
	_, err = executor.TrySubmitAt(e, executor.Low, nothing)
	if err == nil || err.Error() != "executor: submit: back end box made no injector" {
		t.Errorf("got %v", err)
	}
	drained(t, e)
}
