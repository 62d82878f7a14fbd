package scope_test

import (
	"runtime"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope"
	"github.com/exactlyonce/certify/internal/stress"
)

// live is the memory in use after two collections, and the goroutines.
func live() (bytes uint64, goroutines int) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, runtime.NumGoroutine()
}

// flat runs round n times, after some that fill what is kept for good, and
// checks that they leave no goroutine, and far less than a scope's size each.
func flat(t checker, n int, round func()) {
	t.Helper()
	for range 200 {
		round()
	}
	bytes, goroutines := live()
	for range n {
		round()
	}
	for { // stand-ins that were made last are on their way out
		if _, now := live(); now <= goroutines+2 {
			break
		}
		runtime.Gosched()
	}
	after, _ := live()
	if grown := int64(after) - int64(bytes); grown > 64<<10+64*int64(n) {
		t.Errorf("%d rounds left %d bytes", n, grown)
	}
}

// A scope that lives on remembers none of thousands of tasks, nested scopes,
// resources and host calls.
func TestLongScopeStaysFlatS10(t *testing.T) {
	e := start(t, executor.Config{Workers: 2})
	is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
		kept := make([]byte, 1<<10)
		flat(t, stress.Rounds(5000), func() {
			child := spawn(t, s, func(s *scope.Scope) (int, error) {
				r, err := scope.Acquire(s, openNothing, nil)
				is(t, "acquire", err)
				return len(kept), r.Use(s, useNothing)
			})
			is(t, "discard", spawn(t, s, seven).Discard(s))
			is(t, "go", s.Go(nothing))
			is(t, "nested", s.Nested(func(s *scope.Scope) error { return s.Go(nothing) }))
			r, err := scope.Acquire(s, openNothing, nil)
			is(t, "acquire", err)
			is(t, "close", r.Close(s))
			call, err := s.Host()
			is(t, "host", err)
			is(t, "end", call.End())
			_, err = child.Join(s)
			is(t, "join", err)
		})
		return nil
	}))
}

// Nor does an executor remember the runs that were, however they ended.
func TestManyRunsStayFlatS10(t *testing.T) {
	for _, capacity := range []int{1, 1024} {
		e := start(t, executor.Config{Workers: 2, Capacity: capacity})
		flat(t, stress.Rounds(3000), func() {
			is(t, "run", scope.Run(background, e, func(s *scope.Scope) error {
				is(t, "go", s.Go(func(s *scope.Scope) error { return stopped(s) }))
				return s.Go(func(*scope.Scope) error { return errBoom })
			}), errBoom)
		})
	}
}

// A round that leaves half a scope is seen.
func TestLeakIsSeenS10(t *testing.T) {
	var leak [][]byte
	c := &complaints{}
	flat(c, 500, func() { leak = append(leak, make([]byte, 512)) })
	if c.n == 0 || len(leak) != 700 {
		t.Errorf("%d complaints about %d leaks", c.n, len(leak))
	}
}
