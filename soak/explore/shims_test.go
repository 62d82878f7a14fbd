package explore_test

import (
	"fmt"
	"testing"

	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/atomic"
	"github.com/exactlyonce/certify/soak/explore/runtime"
	"github.com/exactlyonce/certify/soak/explore/sync"
)

// TestOutside: without an exploration the shims are what they stand for.
func TestOutside(t *testing.T) {
	var mu sync.Mutex
	var rw sync.RWMutex
	var wg sync.WaitGroup
	var n, all atomic.Int64
	cond, ready := sync.NewCond(&mu), false
	plain, read := 0, 0
	for range 8 {
		wg.Go(func() {
			mu.Lock()
			for !ready {
				cond.Wait()
			}
			mu.Unlock()
			for range 100 {
				mu.Lock()
				plain++
				mu.Unlock()
				n.Add(1)
				rw.Lock()
				read++
				rw.Unlock()
				rw.RLock()
				all.Add(int64(min(read, 1)))
				rw.RUnlock()
				runtime.Gosched()
			}
		})
	}
	mu.Lock()
	ready = true
	mu.Unlock()
	cond.Broadcast()
	wg.Wait()
	if plain != 800 || read != 800 || n.Load() != 800 || all.Load() != 800 {
		t.Error(plain, read, n.Load(), all.Load())
	}
	done := make(chan bool)
	explore.Go(func() { defer close(done); runtime.Goexit() })
	<-done
}

// misc are programs that go through what is left of the shims' API.
var misc = []small{
	{"rw mutex, tried", func(t *explore.T, see func(string, ...any)) {
		var m sync.RWMutex
		var log string
		t.Go(func() {
			if m.TryLock() {
				log += "w"
				m.Unlock()
			}
		})
		t.Go(func() {
			if m.TryRLock() {
				log += "r"
				m.RUnlock()
			}
		})
		t.Go(func() {
			l := m.RLocker()
			l.Lock()
			log += "l"
			l.Unlock()
		})
		t.Check(func() error { see("%s", log); return nil })
	}, explore.Passed},
	{"read-unlocked twice", func(t *explore.T, see func(string, ...any)) {
		var m sync.RWMutex
		t.Go(func() { m.RLock(); m.RUnlock(); m.RUnlock() })
	}, explore.Panicked},
	{"once values", func(t *explore.T, see func(string, ...any)) {
		calls := 0
		get := sync.OnceValues(func() (int, error) { calls++; return calls, nil })
		var got [2]int
		for i := range got {
			t.Go(func() { got[i], _ = get() })
		}
		t.Check(func() error { see("%v %d", got, calls); return nil })
	}, explore.Passed},
	{"once that panics", func(t *explore.T, see func(string, ...any)) {
		do := sync.OnceFunc(func() { panic("each time") })
		var caught [2]any
		for i := range caught {
			t.Go(func() {
				defer func() { caught[i] = recover() }()
				do()
			})
		}
		t.Check(func() error { see("%v", caught); return nil })
	}, explore.Passed},
	{"pool", func(t *explore.T, see func(string, ...any)) {
		made := 0
		p := sync.Pool{New: func() any { made++; return made }}
		for range 2 {
			t.Go(func() { p.Put(p.Get()) })
		}
		t.Check(func() error { see("%d", made); return nil })
	}, explore.Passed},
	{"map", func(t *explore.T, see func(string, ...any)) {
		var m sync.Map
		t.Go(func() { m.Store(1, 1); m.CompareAndSwap(1, 1, 2) })
		t.Go(func() { m.LoadOrStore(1, 7); m.Delete(2) })
		t.Check(func() error {
			m.Range(func(k, v any) bool { see("%v=%v", k, v); return true })
			return nil
		})
	}, explore.Passed},
	{"value", func(t *explore.T, see func(string, ...any)) {
		var v atomic.Value
		t.Go(func() { v.Store("a"); v.CompareAndSwap("b", "c") })
		t.Go(func() { v.Swap("b") })
		t.Check(func() error { see("%v", v.Load()); return nil })
	}, explore.Passed},
	{"value of two types", func(t *explore.T, see func(string, ...any)) {
		var v atomic.Value
		t.Go(func() { v.Store("a") })
		t.Go(func() { v.CompareAndSwap("a", 1) })
	}, explore.Panicked},
	{"goexit", func(t *explore.T, see func(string, ...any)) {
		var x atomic.Int32
		t.Go(func() {
			defer x.Add(10)
			x.Add(1)
			runtime.Goexit()
			x.Add(100)
		})
		t.Check(func() error { see("%d", x.Load()); return nil })
	}, explore.Passed},
	{"sixty-four threads", func(t *explore.T, see func(string, ...any)) {
		var x [64]atomic.Int32
		for i := range x {
			t.Go(func() { x[i].Add(1) })
		}
	}, explore.Passed},
}

func TestMoreOfTheShims(t *testing.T) {
	for _, s := range append(misc, functions) {
		t.Run(s.name, func(t *testing.T) {
			some, r := outcomes(t, s, explore.Options{})
			if r.Verdict() != s.want || r.Classes != r.Executions {
				t.Errorf("want %v: %v", s.want, r)
			}
			if s.name == "sixty-four threads" {
				return // and 64! orders
			}
			all, _ := outcomes(t, s, explore.Options{Strategy: explore.Interleavings()})
			if fmt.Sprint(some) != fmt.Sprint(all) {
				t.Errorf("classes see %v, orders %v", some, all)
			}
			t.Log(all)
		})
	}
}

// TestStubborn: a thread that recovers from everything does not stop an
// execution from ending, nor the next from beginning.
func TestStubborn(t *testing.T) {
	r := run(t, func(t *explore.T) {
		var x atomic.Int32
		for range 2 {
			t.Go(func() {
				for {
					func() {
						defer func() { recover() }()
						x.Add(1)
					}()
				}
			})
		}
	}, explore.Options{Strategy: explore.Random(50), Steps: 20, KeepGoing: true})
	if r.Verdict() != explore.TooLong || r.Executions != 50 {
		t.Error(r)
	}
}
