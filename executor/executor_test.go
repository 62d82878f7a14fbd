package executor_test

import (
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/catalog"
)

func TestSubmitAndSpawnReturnResults(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		for _, cfg.Workers = range []int{1, 2, 3, 8} {
			e := start(t, cfg)
			const n = 500
			var sum atomic.Int64
			root := submit(t, e, func(w *executor.Worker) ([]*executor.Handle[int], error) {
				var children []*executor.Handle[int]
				for i := range n {
					children = append(children, executor.Spawn(w, func(*executor.Worker) (int, error) {
						sum.Add(int64(i))
						return i, nil
					}))
				}
				return children, nil
			})
			children, err := root.Wait(background)
			if err != nil {
				t.Fatal(err)
			}
			for i, h := range children {
				if got, err := h.Wait(background); got != i || err != nil {
					t.Fatalf("task %d: got %d, %v", i, got, err)
				}
			}
			if want := int64(n * (n - 1) / 2); sum.Load() != want {
				t.Errorf("sum %d, want %d", sum.Load(), want)
			}
		}
	})
}

// X1: impossible values are errors that name the field, and start nothing.
func TestConfigErrorsX1(t *testing.T) {
	check := func(cfg executor.Config, field string) {
		t.Helper()
		_, err := executor.New(cfg)
		var bad *executor.ConfigError
		if !errors.As(err, &bad) || bad.Field != field {
			t.Errorf("%+v: got %v, want an error about %s", cfg, err, field)
		}
	}
	deque, _ := catalog.Deque[executor.Task]("chaselev")
	injector, _ := catalog.Injector[executor.Task]("msqueue")
	check(executor.Config{Workers: -1}, "Workers")
	check(executor.Config{Workers: 1 << 20}, "Workers")
	check(executor.Config{Capacity: -1}, "Capacity")
	check(executor.Config{Injector: deque}, "Injector")
	check(executor.Config{Deque: injector}, "Deque")
	bad := executor.Config{}
	bad.QueueOptions.Capacity = -1
	check(bad, "QueueOptions.Capacity")
}

// X1: a back end that makes no queue is an error, and nothing has been started.
func TestStartIsAllOrNothingX1(t *testing.T) {
	before := runtime.NumGoroutine()
	noInjector, noDeque := injectorOf(0, hooks{}), dequeOf(0, hooks{})
	noInjector.Injector = func(queues.Options) queues.Injector[*executor.Task] { return nil }
	made, good := 0, noDeque.Deque
	noDeque.Deque = func(o queues.Options) queues.Deque[*executor.Task] {
		if made++; made > 2 {
			return nil
		}
		return good(o)
	}
	check := func(cfg executor.Config, want string) {
		t.Helper()
		cfg.Workers = 4
		if e, err := executor.New(cfg); e != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, %v, want an error: %s", e, err, want)
		}
	}
	check(executor.Config{Injector: noInjector}, "box made no injector")
	check(executor.Config{Deque: noDeque}, "box made no deque")
	if n := runtime.NumGoroutine(); made != 3 || n > before {
		t.Errorf("%d deques made, %d goroutines, %d before", made, n, before)
	}
}

// E07: one processor and the zero Config still make a worker.
func TestZeroConfigOnOneProcessorX1(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	watchdog(t)
	e := start(t, executor.Config{})
	if e.Workers() != 1 {
		t.Errorf("%d workers, want 1", e.Workers())
	}
	if got, err := submit(t, e, func(w *executor.Worker) (int, error) { return w.Index() + 7, nil }).Wait(background); got != 7 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
}
