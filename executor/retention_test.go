package executor_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

// cargo is what a task captures and returns; its end is counted.
type cargo struct{ bytes [1 << 10]byte }

// loads makes loads and knows how many are still reachable.
type loads struct{ made, gone atomic.Int64 }

func (l *loads) next() *cargo {
	x := new(cargo)
	l.made.Add(1)
	runtime.AddCleanup(x, func(struct{}) { l.gone.Add(1) }, struct{}{})
	return x
}

// collected waits until every cargo has been collected. That this ends is what
// a test shows.
func (l *loads) collected() {
	until(func() bool { runtime.GC(); return l.gone.Load() == l.made.Load() })
}

type loaded = executor.Handle[*cargo]

// X12, L11: what a task captured and what it returned can be collected when
// nobody has its handle any more, however it ended, although the executor, its
// slots and its queues are still there.
func TestNothingIsRetainedX12(t *testing.T) {
	kinds := map[string]func(t *testing.T, e *executor.Executor, all *loads){
		"ended": func(t *testing.T, e *executor.Executor, all *loads) {
			for i := range 100 {
				x := all.next()
				_, _ = submit(t, e, func(*executor.Worker) (*cargo, error) { _, err := ending(i); return x, err }).Wait(background)
			}
		},
		"spawned": func(t *testing.T, e *executor.Executor, all *loads) {
			submit(t, e, func(w *executor.Worker) (int, error) {
				for range 300 { // more than there are slots
					x := all.next()
					executor.Spawn(w, func(*executor.Worker) (*cargo, error) { return x, nil })
				}
				return 0, nil
			})
		},
		"cancelled in the queue": func(t *testing.T, e *executor.Executor, all *loads) {
			releases := []func(){gated(t, e), gated(t, e)}
			for range 50 {
				x := all.next()
				submit(t, e, func(*executor.Worker) (*cargo, error) { return x, nil }).Cancel(nil)
			}
			all.collected() // while the queue has their slots
			releases[0]()
			releases[1]()
		},
		"cancelled while it ran": func(t *testing.T, e *executor.Executor, all *loads) {
			for range 50 {
				x, running := all.next(), make(chan struct{})
				h := submit(t, e, func(w *executor.Worker) (*cargo, error) {
					ctx := w.Context()
					close(running)
					<-ctx.Done()
					return x, nil
				})
				<-running
				h.Cancel(nil)
				_, _ = h.Wait(background)
			}
		},
		"refused": func(t *testing.T, e *executor.Executor, all *loads) {
			release := gated(t, e)
			for n := 0; ; n++ {
				x := all.next()
				if _, err := executor.TrySubmit(e, func(*executor.Worker) (*cargo, error) { return x, nil }); err != nil && n > 200 {
					break
				}
			}
			release()
		},
	}
	for name, fill := range kinds {
		t.Run(name, func(t *testing.T) {
			pairs(t, func(t *testing.T, cfg executor.Config) {
				cfg.Workers, cfg.Capacity = 2, 128
				e := start(t, cfg)
				var all loads
				fill(t, e, &all)
				asleep(e, cfg.Workers)
				all.collected()
				if all.made.Load() == 0 {
					t.Error("no cargo was made")
				}
				runtime.KeepAlive(e)
			})
		})
	}
}

// X12: the handle of a task that was cancelled or failed keeps no body and no
// result; that of a completed one keeps the result alone.
func TestHandleKeepsTheResultAloneX12(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 1})
	var captured, returned, dropped loads
	ok := func() *loaded {
		x := captured.next()
		return submit(t, e, func(*executor.Worker) (*cargo, error) { x.bytes[0]++; return returned.next(), nil })
	}()
	bad := func() *loaded {
		x := captured.next()
		return submit(t, e, func(*executor.Worker) (*cargo, error) { x.bytes[0]++; return dropped.next(), errEnding })
	}()
	<-ok.Done()
	<-bad.Done()
	asleep(e, 1)
	captured.collected()
	dropped.collected()
	if n := returned.gone.Load(); n != 0 || returned.made.Load() != 1 {
		t.Errorf("%d results of a live handle were collected", n)
	}
	if x, err := ok.Wait(background); x == nil || err != nil {
		t.Errorf("got %v, %v", x, err)
	}
	runtime.KeepAlive(bad)
}

// X12: after a drain and two collections live memory is back where it began.
func TestLiveHeapReturnsX12(t *testing.T) {
	watchdog(t)
	live := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	var ran atomic.Int64
	round := func() {
		e, err := executor.New(executor.Config{Workers: 2, Capacity: 1 << 12})
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			submit(t, e, tree(&ran, 13))
		}
		drained(t, e)
	}
	round() // what is made once: pools, the runtime's own
	before := live()
	for range 5 {
		round()
	}
	const slack = 256 << 10 // five rounds store ten megabytes
	if grown := live() - before; grown > slack || ran.Load() == 0 {
		t.Errorf("live heap grew by %d bytes over %d tasks", grown, ran.Load())
	}
}
