package executor_test

import (
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

// everyDoor gives n tasks by each door there is, from outside and inside, and waits:
// each must have run once. It returns how many there were.
func everyDoor(t *testing.T, e *executor.Executor, n int) (tasks int) {
	t.Helper()
	g := executor.NewGroup(e)
	ran := make(once, 7*n)
	part := func(i int) once { return ran[i*n : (i+1)*n] }
	of := func(o once, i int) func(*executor.Worker) (int, error) {
		return func(w *executor.Worker) (int, error) { o.run(w, i); return i, nil }
	}
	var all []func(*executor.Worker) (int, error)
	var args []any
	var handles []*executor.Handle[int]
	for i := range n {
		handles = append(handles, submit(t, e, of(part(0), i)))
		if err := g.Go(part(1).run, i); err != nil {
			t.Fatal(err)
		}
		all, args = append(all, of(part(2), i)), append(args, i)
	}
	many, err := executor.SubmitAll(background, e, all)
	if err != nil || len(many) != n {
		t.Fatal(len(many), err)
	}
	if given, err := g.GoAll(part(3).run, args); err != nil || given != n {
		t.Fatal(given, err)
	}
	handles = append(handles, many...)
	err = inTask(t, e, func(w *executor.Worker) {
		for i := range n {
			g.Spawn(w, part(4).run, i)
			if got, err := executor.Spawn(w, of(part(5), i)).Wait(background); got != i || err != nil {
				t.Errorf("got %d, %v, want %d", got, err, i)
			}
		}
		executor.For(w, n, 1, func(w *executor.Worker, low, _ int) { part(6).run(w, low) })
	})
	for i, h := range handles {
		if got, err := h.Wait(background); got != i%n || err != nil {
			t.Errorf("got %d, %v, want %d", got, err, i%n)
		}
	}
	if err := errors.Join(err, g.Wait(background)); err != nil {
		t.Error(err)
	}
	ran.check(t)
	return 6*n + 1 // For has none of its own
}

// No task and one task, by each door, and an executor that never gets any: right is that
// nothing waits, and that the counters say 0.
func TestFewTasksX1X7(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Capacity = 64
		for _, cfg.Workers = range []int{1, 4} {
			e := start(t, cfg)
			drained(t, e)
			if s := e.Stats(); s.Submitted != 0 || s.Spawned != 0 || s.Completed != 0 || s.HighWater != 0 {
				t.Errorf("without a task: %+v", s)
			}
			e = start(t, cfg)
			if err := e.Stop(); err != nil {
				t.Error(err)
			}
			e = start(t, cfg)
			for n := range 2 {
				before := e.Stats().Completed
				tasks := everyDoor(t, e, n)
				if got := e.Stats().Completed - before; got != uint64(tasks) {
					t.Errorf("%d completed, want %d", got, tasks)
				}
			}
		}
	})
}

// One processor, one worker and room for one task, alone and together: right is what is
// right everywhere, each task once, and an end.
func TestOneOfEachX3X4(t *testing.T) {
	for _, procs := range []int{1, runtime.GOMAXPROCS(0)} {
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			pairs(t, func(t *testing.T, cfg executor.Config) {
				for _, cfg.Workers = range []int{1, 5} {
					for _, cfg.Capacity = range []int{1, 64} {
						for _, stop := range []bool{false, true} {
							e := start(t, cfg)
							everyDoor(t, e, rounds(100))
							endUnderLoad(t, e, stop)
						}
					}
				}
			})
		}()
	}
}

// endUnderLoad ends e while two goroutines give tasks: each is refused, or ends once.
func endUnderLoad(t *testing.T, e *executor.Executor, stop bool) {
	t.Helper()
	var ran, completed, cancelled atomic.Int64
	var givers sync.WaitGroup
	some := make(chan struct{}, 2)
	for range 2 {
		givers.Go(func() {
			for i := 0; ; i++ {
				if i == 10 {
					some <- struct{}{}
				}
				h, err := executor.Submit(background, e, func(*executor.Worker) (int, error) { return int(ran.Add(1)), nil })
				if errors.Is(err, executor.ErrShutdown) {
					return
				}
				if _, err = h.Wait(background); errors.Is(err, executor.ErrCancelled) {
					cancelled.Add(1)
				} else if completed.Add(1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	<-some
	<-some
	end := func() error { return e.Shutdown(background) }
	if stop {
		end = e.Stop
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	givers.Wait()
	if ran.Load() != completed.Load() || ran.Load() < 20 || !stop && cancelled.Load() > 0 {
		t.Errorf("%d ran, %d completed, %d cancelled", ran.Load(), completed.Load(), cancelled.Load())
	}
	quiet(t, e)
}

// The counters of the queues and of the executor begin next to where they turn over, of
// 32 and of 64 bits: right is that nothing changes.
func TestCountersTurnOverL12X2(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		for _, at := range []uint64{1<<31 - 3, 1<<32 - 3, 1<<63 - 3, math.MaxUint64 - 2} {
			cfg.Workers, cfg.QueueOptions.Start = 3, at
			e, err := executor.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			asleep(e, cfg.Workers) // so that nobody counts meanwhile
			executor.StartAt(e, at)
			before := e.Stats()
			tasks := uint64(0)
			for range 3 {
				tasks += uint64(everyDoor(t, e, rounds(200)))
			}
			drained(t, e)
			s := e.Stats()
			if s.Completed-before.Completed != tasks || s.Submitted-before.Submitted+s.Spawned-before.Spawned != tasks {
				t.Errorf("from %#x: %d tasks, but %+v", at, tasks, s)
			}
			if at == math.MaxUint64-2 && s.Completed >= before.Completed {
				t.Errorf("vacuous: %d completed after %d", s.Completed, before.Completed)
			}
		}
	})
}
