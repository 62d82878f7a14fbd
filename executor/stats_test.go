package executor_test

import (
	"errors"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

// L12: whoever's Wait has returned finds the task in the counters, however it
// ended.
func TestCountedBeforePublishedL12(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 2
		e := start(t, cfg)
		var completed, failed, cancelled uint64
		for i := range rounds(4000) {
			gate := make(chan struct{})
			h := submit(t, e, func(*executor.Worker) (int, error) { <-gate; return ending(i) })
			if i%5 == 0 && !h.Cancel(nil) {
				t.Fatal("cancel of a gated task lost")
			}
			close(gate)
			switch _, err := h.Wait(background); {
			case err == nil:
				completed++
			case errors.Is(err, executor.ErrCancelled):
				cancelled++
			default:
				failed++
			}
			if s := e.Stats(); s.Completed != completed || s.Failed != failed || s.Cancelled != cancelled || s.Submitted != uint64(i)+1 {
				t.Fatalf("round %d: waited for %d completed, %d failed, %d cancelled: %+v", i, completed, failed, cancelled, s)
			}
		}
		if completed == 0 || failed == 0 || cancelled == 0 {
			t.Errorf("%d completed, %d failed, %d cancelled", completed, failed, cancelled)
		}
	})
}

// L12: the equation of Stats at quiet moments, with tasks in every state.
func TestStatsAddUpL12(t *testing.T) {
	watchdog(t)
	e := start(t, executor.Config{Workers: 3, Capacity: 20})
	check := func(queued, running int) {
		t.Helper()
		s := e.Stats()
		in, out := s.Submitted+s.Spawned, s.Completed+s.Failed+s.Cancelled+uint64(s.Queued)+uint64(s.Running)
		if s.Queued != queued || s.Running != running || in != out {
			t.Errorf("%d in, %d out, want %d queued and %d running: %+v", in, out, queued, running, s)
		}
	}
	asleep(e, 3)
	check(0, 0)
	var releases []func()
	for i := range 3 {
		asleep(e, 3-i)
		check(0, i)
		releases = append(releases, gated(t, e))
	}
	check(0, 3)
	var handles []*executor.Handle[int]
	for i := range 16 {
		handles = append(handles, submit(t, e, func(*executor.Worker) (int, error) { return ending(i) }))
	}
	check(16, 3)
	handles[0].Cancel(nil)
	handles[5].Cancel(nil)
	check(14, 3)
	for i, release := range releases {
		release()
		if i == 0 {
			for _, h := range handles {
				<-h.Done()
			}
			asleep(e, 1)
			check(0, 2)
		}
	}
	asleep(e, 3)
	check(0, 0)
	if s := e.Stats(); s.Cancelled != 2 || s.Failed != 3 || s.Panics != 1 || s.Goexits != 1 || s.Completed != 3+11 || s.HighWater != 19 {
		t.Errorf("%+v", s)
	}
	running, gate := make(chan struct{}), make(chan struct{})
	h := submit(t, e, func(*executor.Worker) (int, error) { close(running); <-gate; return 0, nil })
	<-running
	asleep(e, 2)
	check(0, 1)
	h.Cancel(nil)
	check(0, 0) // it is Cancelled, although its body has not returned
	close(gate)
	asleep(e, 3)
	check(0, 0)
}

// L12, E35: throughout a storm of every kind of task each gauge is within its
// bounds, and no counter ever falls.
func TestGaugesInAStormL12(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers, cfg.Capacity = 3, 24
		e := start(t, cfg)
		var over, seen atomic.Bool // seen: every kind of task, and levels above 0
		var samplers, storm sync.WaitGroup
		var queued, running, stored int
		samplers.Go(func() {
			var last executor.Stats
			for !over.Load() {
				s := e.Stats()
				if bad := outOfBounds(last, s); bad != "" {
					t.Errorf("%s: %+v after %+v", bad, s, last)
					return
				}
				last = s
				queued, running, stored = queued+s.Queued, running+s.Running, stored+s.Stored
				if queued > 0 && running > 0 && stored > 0 && s.InPlace > 0 && s.Cancelled > 0 && s.Goexits > 0 {
					seen.Store(true)
				}
				runtime.Gosched()
			}
		})
		var ran atomic.Int64
		for k := range 3 {
			storm.Go(func() {
				for i := 0; !t.Failed() && (i < rounds(1000) || !seen.Load()); i++ {
					h := submit(t, e, func(w *executor.Worker) (int, error) {
						n := i % 3
						if i%50 == 0 {
							n = 2 * cfg.Capacity // some run in place
						}
						for range n {
							executor.Spawn(w, tree(&ran, i%4))
						}
						if i%7 == 0 {
							_ = w.Context()
						}
						return ending(i)
					})
					if i%3 == k {
						h.Cancel(nil)
					}
					if i%8 == 0 {
						_, _ = h.Wait(background)
					}
				}
			})
		}
		storm.Wait()
		drained(t, e)
		over.Store(true)
		samplers.Wait()
	})
}

// outOfBounds names what is wrong with s, which was read after last.
func outOfBounds(last, s executor.Stats) string {
	now, then := reflect.ValueOf(s), reflect.ValueOf(last)
	for i := range now.NumField() {
		if f := now.Type().Field(i); f.Type.Kind() == reflect.Uint64 && now.Field(i).Uint() < then.Field(i).Uint() {
			return f.Name + " fell"
		}
	}
	gauges := []struct {
		name       string
		value, max int
	}{
		{"Stored", s.Stored, s.Capacity}, {"HighWater", s.HighWater, s.Capacity}, {"Queued", s.Queued, s.Capacity},
		{"Running", s.Running, s.Workers + int(s.InPlace)}, {"Sleeping", s.Sleeping, s.Workers}, {"Searching", s.Searching, s.Workers},
		{"Sleeping+Searching", s.Sleeping + s.Searching, s.Workers}, {"Stored at once", s.Stored, s.HighWater},
	}
	var bad []string
	for _, g := range gauges {
		if g.value < 0 || g.value > g.max {
			bad = append(bad, g.name)
		}
	}
	return strings.Join(bad, ", ")
}
