package executor_test

import (
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/chaselev"
	"github.com/exactlyonce/certify/queues/epoch"
	"github.com/exactlyonce/certify/queues/msqueue"
)

// recycling is a Config whose queues can be asked for their epochs.
func recycling() (cfg executor.Config, epochs func() []epoch.Stats) {
	var injector *msqueue.Queue[*executor.Task]
	var deques []*chaselev.Deque[executor.Task]
	cfg.Injector = msqueue.Backends[executor.Task]()[0]
	cfg.Injector.Injector = func(o queues.Options) queues.Injector[*executor.Task] {
		injector = msqueue.New[*executor.Task](o)
		return injector
	}
	cfg.Deque = chaselev.Backends[executor.Task]()[0]
	cfg.Deque.Deque = func(o queues.Options) queues.Deque[*executor.Task] {
		d := chaselev.New[executor.Task](o)
		deques = append(deques, d)
		return d
	}
	return cfg, func() []epoch.Stats {
		all := []epoch.Stats{injector.Stats()}
		for _, d := range deques {
			all = append(all, d.Stats().Rings)
		}
		return all
	}
}

// A worker holds no pin while it runs a task, nor while it sleeps: memory that
// others retire is not held up by it.
func TestNoPinWhileBusyOrAsleep(t *testing.T) {
	watchdog(t)
	cfg, epochs := recycling()
	cfg.Workers = 3
	e := start(t, cfg)
	check := func(when string) {
		t.Helper()
		for i, s := range epochs() {
			if s.Pinned != 0 {
				t.Errorf("%s: queue %d has %d pins", when, i, s.Pinned)
			}
		}
	}
	for range 50 {
		var handles []*executor.Handle[int]
		for range 200 {
			handles = append(handles, submit(t, e, fib(3)))
		}
		for _, h := range handles {
			if _, err := h.Wait(background); err != nil {
				t.Fatal(err)
			}
		}
	}
	asleep(e, 3)
	check("asleep")
	release := gated(t, e)
	asleep(e, 2)
	check("busy")
	release()
	if s := epochs()[0]; s.Advances == 0 || s.Reclaimed == 0 {
		t.Errorf("vacuous: nothing was reclaimed: %+v", s)
	}
}
