package explore_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/atomic"
	"github.com/exactlyonce/certify/soak/explore/runtime"
	"github.com/exactlyonce/certify/soak/explore/sync"
)

// small is a program, small enough for all its interleavings, and what it left
// behind in words.
type small struct {
	name string
	make func(t *explore.T, see func(format string, args ...any))
	want explore.Verdict
}

var smalls = []small{
	{"store buffering", func(t *explore.T, see func(string, ...any)) {
		var x, y atomic.Int32
		var a, b int32
		t.Go(func() { x.Store(1); a = y.Load() })
		t.Go(func() { y.Store(1); b = x.Load() })
		t.Check(func() error { see("%d%d", a, b); return nil })
	}, explore.Passed},
	{"independent reads", func(t *explore.T, see func(string, ...any)) {
		var x, y atomic.Int32
		var r [4]int32
		t.Go(func() { x.Store(1) })
		t.Go(func() { y.Store(1) })
		t.Go(func() { r[0] = x.Load(); r[1] = y.Load() })
		t.Go(func() { r[2] = y.Load(); r[3] = x.Load() })
		t.Check(func() error { see("%v", r); return nil })
	}, explore.Passed},
	{"mutex", func(t *explore.T, see func(string, ...any)) {
		var m sync.Mutex
		var log string
		for _, who := range []string{"a", "b", "c"} {
			t.Go(func() { m.Lock(); log += who; m.Unlock() })
		}
		t.Check(func() error { see("%s", log); return nil })
	}, explore.Passed},
	{"two mutexes in two orders", func(t *explore.T, see func(string, ...any)) {
		var m, n sync.Mutex
		t.Go(func() { m.Lock(); n.Lock(); n.Unlock(); m.Unlock() })
		t.Go(func() { n.Lock(); m.Lock(); m.Unlock(); n.Unlock() })
	}, explore.Deadlock},
	{"try lock", func(t *explore.T, see func(string, ...any)) {
		var m sync.Mutex
		var n atomic.Int32
		for range 2 {
			t.Go(func() {
				if m.TryLock() {
					n.Add(1)
					m.Unlock()
				}
			})
		}
		t.Go(func() { m.Lock(); n.Add(10); m.Unlock() })
		t.Check(func() error { see("%d", n.Load()); return nil })
	}, explore.Passed},
	{"readers and a writer", func(t *explore.T, see func(string, ...any)) {
		var m sync.RWMutex
		var v int
		var r [2]int
		for i := range r {
			t.Go(func() { m.RLock(); r[i] = v; m.RUnlock() })
		}
		t.Go(func() { m.Lock(); v++; m.Unlock() })
		t.Check(func() error { see("%v", r); return nil })
	}, explore.Passed},
	{"a reader that reads again while a writer waits", func(t *explore.T, see func(string, ...any)) {
		var m sync.RWMutex
		t.Go(func() { m.RLock(); m.RLock(); m.RUnlock(); m.RUnlock() })
		t.Go(func() { m.Lock(); m.Unlock() })
	}, explore.Deadlock},
	{"wait group", func(t *explore.T, see func(string, ...any)) {
		var wg sync.WaitGroup
		var x atomic.Int32
		var got int32
		t.Go(func() {
			wg.Go(func() { x.Add(1) })
			wg.Go(func() { x.Add(2) })
			wg.Wait()
			got = x.Load()
		})
		t.Check(func() error { see("%d", got); return nil })
	}, explore.Passed},
	{"wait group, added to too late", func(t *explore.T, see func(string, ...any)) {
		var wg sync.WaitGroup
		t.Go(func() { wg.Add(1); wg.Done() })
		t.Go(func() { wg.Wait() })
	}, explore.Panicked},
	{"wait group below zero", func(t *explore.T, see func(string, ...any)) {
		var wg sync.WaitGroup
		t.Go(func() { wg.Add(1); wg.Done() })
		t.Go(func() { wg.Done() })
	}, explore.Panicked},
	{"unlocked twice", func(t *explore.T, see func(string, ...any)) {
		var m sync.Mutex
		t.Go(func() {
			defer func() { recover() }() // does not help
			m.Lock()
			m.Unlock()
			m.Unlock()
		})
		t.Go(func() { m.Lock(); m.Unlock() })
	}, explore.Panicked},
	{"wake-up", func(t *explore.T, see func(string, ...any)) { waker(t, see, true) }, explore.Passed},
	{"lost wake-up", func(t *explore.T, see func(string, ...any)) { waker(t, see, false) }, explore.Deadlock},
	{"broadcast", func(t *explore.T, see func(string, ...any)) {
		var m sync.Mutex
		c := sync.NewCond(&m)
		ready, log := false, ""
		for _, who := range []string{"a", "b"} {
			t.Go(func() {
				m.Lock()
				for !ready {
					c.Wait()
				}
				log += who
				m.Unlock()
			})
		}
		t.Go(func() { m.Lock(); ready = true; m.Unlock(); c.Broadcast() })
		t.Check(func() error { see("%s", log); return nil })
	}, explore.Passed},
	{"once", func(t *explore.T, see func(string, ...any)) {
		var once sync.Once
		var by string
		for _, who := range []string{"a", "b"} {
			t.Go(func() { once.Do(func() { by += who }) })
		}
		t.Check(func() error { see("%s", by); return nil })
	}, explore.Passed},
	{"a flag waited for with Gosched", func(t *explore.T, see func(string, ...any)) {
		var flag atomic.Bool
		var x atomic.Int32
		var got int32
		t.Go(func() {
			for !flag.Load() {
				runtime.Gosched()
			}
			got = x.Load()
		})
		t.Go(func() { x.Store(1); flag.Store(true); x.Store(2) })
		t.Check(func() error { see("%d", got); return nil })
	}, explore.Passed},
	{"a flag that nobody sets", func(t *explore.T, see func(string, ...any)) {
		var flag atomic.Bool
		var x atomic.Int32
		t.Go(func() {
			for !flag.Load() {
			}
		})
		t.Go(func() { x.Store(1) })
	}, explore.Livelock},
	{"a loop that stores", func(t *explore.T, see func(string, ...any)) {
		var x atomic.Int32
		t.Go(func() {
			for x.Load() < 1<<30 {
				x.Add(1)
			}
		})
	}, explore.TooLong},
	{"a thread that nobody ends", func(t *explore.T, see func(string, ...any)) {
		var m sync.Mutex
		c := sync.NewCond(&m)
		t.Go(func() {
			explore.Go(func() { m.Lock(); c.Wait(); m.Unlock() })
		})
	}, explore.Leak},
	{"a panic", func(t *explore.T, see func(string, ...any)) {
		var x atomic.Int32
		t.Go(func() { x.Store(1) })
		t.Go(func() {
			if x.Load() == 1 {
				panic("seen")
			}
		})
	}, explore.Panicked},
	{"a wrong result", func(t *explore.T, see func(string, ...any)) {
		var x atomic.Int32
		t.Go(func() { x.Store(x.Load() + 1) })
		t.Go(func() { x.Store(x.Load() + 1) })
		t.Check(func() error {
			see("%d", x.Load())
			if x.Load() != 2 {
				return errors.New("an update was lost")
			}
			return nil
		})
	}, explore.Wrong},
	{"Pp|1", func(t *explore.T, see func(string, ...any)) { sight(t, see, "", "Pp", 1) }, explore.Passed},
	{"Pp|1, pop without CAS", func(t *explore.T, see func(string, ...any)) { sight(t, see, faults[0], "Pp", 1) }, explore.Passed},
	{"PPp|1, steal by store", func(t *explore.T, see func(string, ...any)) { sight(t, see, faults[4], "PPp", 1) }, explore.Passed},
}

// waker is a sleeper and its waker. kept: the signal is kept in a variable.
func waker(t *explore.T, see func(string, ...any), kept bool) {
	var m sync.Mutex
	c := sync.NewCond(&m)
	ready := false
	t.Go(func() {
		m.Lock()
		for first := true; kept && !ready || !kept && first; first = false {
			c.Wait()
		}
		m.Unlock()
	})
	t.Go(func() { m.Lock(); ready = true; m.Unlock(); c.Signal() })
	t.Check(func() error { see("woken"); return nil })
}

// sight is a duel that says who got what.
func sight(t *explore.T, see func(string, ...any), fault, word string, steals int) {
	d := newDeque(8, fault)
	var popped, stolen []int64
	t.Go(func() {
		v := int64(0)
		for _, op := range word {
			if op == 'P' {
				v++
				d.push(v)
			} else {
				popped = append(popped, d.pop())
			}
		}
	})
	t.Go(func() {
		for range steals {
			stolen = append(stolen, d.steal())
		}
	})
	t.Check(func() error { see("%v %v", popped, stolen); return nil })
}

// outcomes runs s and returns what was seen at the ends, and the verdicts.
func outcomes(t *testing.T, s small, o explore.Options) (map[string]bool, explore.Report) {
	seen := map[string]bool{}
	o.KeepGoing, o.Classes, o.Patience, o.Steps = true, true, 50, 200
	r := run(t, func(e *explore.T) {
		s.make(e, func(format string, args ...any) { seen[fmt.Sprintf(format, args...)] = true })
	}, o)
	return seen, r
}

// TestSmallPrograms: the verdicts; the orders of all classes see what all
// orders see, and none of them is of the same class as another.
func TestSmallPrograms(t *testing.T) {
	for _, s := range smalls {
		t.Run(s.name, func(t *testing.T) {
			some, r := outcomes(t, s, explore.Options{})
			all, full := outcomes(t, s, explore.Options{Strategy: explore.Interleavings()})
			t.Logf("%d of %d orders, %d blocked: %v", r.Executions, full.Executions, r.SleepBlocked, slices.Sorted(maps.Keys(all)))
			if !maps.Equal(some, all) {
				t.Errorf("classes see %v, orders %v", some, all)
			}
			if r.Verdict() != s.want || full.Verdict() != s.want {
				t.Errorf("want %v:\n%v\n%v", s.want, r, full)
			}
			cut := s.want == explore.Livelock || s.want == explore.TooLong // wherever it was
			if r.Classes != r.Executions || r.Classes != full.Classes && !cut {
				t.Errorf("%d executions of %d classes, in truth %d", r.Executions, r.Classes, full.Classes)
			}
		})
	}
}
