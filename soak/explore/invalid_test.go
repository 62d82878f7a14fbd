package explore_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/atomic"
	"github.com/exactlyonce/certify/soak/explore/sync"
)

var (
	global   int
	globalMu sync.Mutex
)

// TestInvalid: what a schedule does not determine is an error and no pass.
func TestInvalid(t *testing.T) {
	for name, program := range map[string]func(*explore.T){
		"order of a map": func(t *explore.T) {
			var x [64]atomic.Int32
			m := map[int]bool{}
			for i := range x {
				m[i] = true
			}
			t.Go(func() {
				for i := range m {
					x[i].Store(1)
				}
			})
			t.Go(func() {
				for i := range x {
					x[i].Load()
				}
			})
		},
		"time": func(t *explore.T) {
			var x atomic.Int64
			t.Go(func() { x.Store(time.Now().UnixNano()) })
		},
		"chance": func(t *explore.T) {
			var x atomic.Int64
			t.Go(func() { x.Store(rand.Int64()) })
		},
		"state that stays": func(t *explore.T) {
			var x atomic.Int64
			t.Go(func() {
				if global++; global%2 == 0 {
					x.Store(1)
				}
			})
		},
		"a goroutine": func(t *explore.T) {
			var x, y atomic.Int64
			t.Go(func() {
				done := make(chan bool)
				go func() { x.Store(1); done <- true }()
				<-done
				y.Store(1)
			})
		},
		"a result by chance": func(t *explore.T) {
			t.Go(func() {})
			t.Check(func() error {
				if global++; global%2 == 0 {
					return errors.New("now and then")
				}
				return nil
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, s := range []explore.Strategy{explore.Exhaustive(), explore.Preemptions(1), explore.Random(10)} {
				r, err := explore.Run(program, explore.Options{Strategy: s})
				if !errors.Is(err, explore.ErrInvalid) {
					t.Errorf("%v: no error but %v", s, r)
				}
			}
		})
	}
}

// TestLateChange: a program that changes after the runs that are made twice is
// found where an order is begun as it was before.
func TestLateChange(t *testing.T) {
	for _, s := range []explore.Strategy{explore.Exhaustive(), explore.Preemptions(2)} {
		n := 0
		_, err := explore.Run(func(t *explore.T) {
			n++
			changed := n > 40
			var x, y atomic.Int32
			for range 2 {
				t.Go(func() {
					for range 4 {
						x.Add(1)
					}
					if changed {
						y.Load()
					}
				})
			}
			t.Go(func() {
				if changed {
					y.Store(1)
				}
				x.Load()
			})
		}, explore.Options{Strategy: s})
		if !errors.Is(err, explore.ErrInvalid) {
			t.Errorf("%v: %v", s, err)
		}
	}
}

// TestLeftLocked: a lock that outlives an execution, and was held by one of its
// threads, is free in the next.
func TestLeftLocked(t *testing.T) {
	r := run(t, func(t *explore.T) {
		for range 2 {
			t.Go(func() {
				globalMu.Lock()
				panic("with the lock held")
			})
		}
	}, explore.Options{})
	if r.Verdict() != explore.Panicked || r.Executions != 1 {
		t.Error(r)
	}
	r = run(t, func(t *explore.T) {
		t.Go(func() { globalMu.Lock(); globalMu.Unlock() })
	}, explore.Options{})
	if r.Failure != nil {
		t.Error(r)
	}
}

// TestOptions: what makes no sense is an error that says so.
func TestOptions(t *testing.T) {
	idle := func(t *explore.T) {}
	for _, o := range []explore.Options{{Steps: -1}, {Verify: -1}, {Time: -1}, {Solo: -1},
		{Strategy: explore.Replay("a3?")}, {Strategy: explore.Replay("a0")}, {Strategy: explore.Replay("a99999")}} {
		if _, err := explore.Run(idle, o); err == nil || errors.Is(err, explore.ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
