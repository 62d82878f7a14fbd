package executor_test

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

var errEnding = errors.New("ending")

// ending ends the i-th task in each of the ways there are, most often well.
func ending(i int) (int, error) {
	switch i % 16 {
	case 3:
		return i, errEnding
	case 7:
		panic(errEnding)
	case 11:
		runtime.Goexit()
	}
	return i, nil
}

// L10, E16: a task of a batch that a worker has taken from the injector or
// from a peer ends badly, and the others of that batch run all the same.
func TestBatchSurvivesBadEndsL10(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		for _, cfg.Workers = range []int{1, 2, 4} {
			e := start(t, cfg)
			var ran atomic.Int64
			body := func(i int) func(*executor.Worker) (int, error) {
				return func(*executor.Worker) (int, error) { ran.Add(1); return ending(i) }
			}
			n := rounds(4000)
			root := submit(t, e, func(w *executor.Worker) ([]*executor.Handle[int], error) {
				var all []*executor.Handle[int]
				for i := range n {
					all = append(all, executor.Spawn(w, body(i)))
				}
				return all, nil
			})
			all, err := root.Wait(background)
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				all = append(all, submit(t, e, body(i)))
			}
			for i, h := range all {
				checkEnding(t, i%n, h)
			}
			s := e.Stats()
			if want := uint64(2 * n / 16); ran.Load() != int64(2*n) || s.Panics != want || s.Goexits != want || s.Failed != 3*want {
				t.Errorf("%d ran of %d, %+v", ran.Load(), 2*n, s)
			}
		}
	})
}

func checkEnding(t *testing.T, i int, h *executor.Handle[int]) {
	t.Helper()
	got, err := h.Wait(background)
	var p *executor.PanicError
	ok := got == i && err == nil
	switch i % 16 {
	case 3:
		ok = err == errEnding
	case 7:
		ok = errors.As(err, &p) && errors.Is(err, errEnding)
	case 11:
		ok = errors.Is(err, executor.ErrGoexit)
	}
	if !ok {
		t.Fatalf("task %d: got %d, %v", i, got, err)
	}
}

// L10, E06: tasks end badly right after they were stolen, by workers that were
// searchers a moment ago; then all is as before, the searchers' count too.
func TestBadEndsAfterStealsL10(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 3
		e := start(t, cfg)
		for i := range rounds(300) {
			asleep(e, cfg.Workers) // each round's thieves are woken, and search
			bad := 3 + 4*(i%3)
			submit(t, e, func(w *executor.Worker) (int, error) {
				var begun sync.WaitGroup
				for range 2 * cfg.Workers {
					begun.Add(1)
					executor.Spawn(w, func(*executor.Worker) (int, error) { begun.Done(); return ending(bad) })
				}
				begun.Wait() // holds the spawner's worker until all are stolen
				return 0, nil
			})
		}
		asleep(e, cfg.Workers)
		steals := e.Stats().Steals
		var ran atomic.Int64
		n := rounds(10)
		for range n {
			submit(t, e, tree(&ran, 12))
		}
		drained(t, e)
		if want := int64(n * (2<<12 - 1)); ran.Load() != want || steals == 0 {
			t.Errorf("%d ran of %d, after %d steals", ran.Load(), want, steals)
		}
	})
}

// L10, E17: the last task before the drain, and every one of several workers,
// ends by Goexit.
func TestGoexitIsTheLastL10(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		for i := range rounds(100) {
			cfg.Workers = i%4 + 1
			e, err := executor.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			for range cfg.Workers {
				submit(t, e, func(*executor.Worker) (int, error) { runtime.Goexit(); return 0, nil })
			}
			drained(t, e)
			if s := e.Stats(); s.Goexits != uint64(cfg.Workers) {
				t.Fatalf("%+v", s)
			}
		}
	})
}

// L10: a panic is the task's outcome and loses nothing.
func TestPanicIsAnOutcomeL10(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 2
		e := start(t, cfg)
		cause := errors.New("boom")
		for range 100 {
			_, err := submit(t, e, func(*executor.Worker) (int, error) { panic(cause) }).Wait(background)
			var p *executor.PanicError
			if !errors.As(err, &p) || p.Value != cause || len(p.Stack) == 0 || !errors.Is(err, cause) {
				t.Fatalf("got %v", err)
			}
		}
		if s := e.Stats(); s.Panics != 100 || s.Failed != 100 {
			t.Errorf("%+v", s)
		}
	})
}

// L10, E17: a Goexit is the task's outcome; the worker is replaced.
func TestGoexitIsAnOutcomeL10(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 2
		e := start(t, cfg)
		var handles []*executor.Handle[int]
		for i := range 100 {
			handles = append(handles, submit(t, e, func(*executor.Worker) (int, error) {
				if i%2 == 0 {
					runtime.Goexit()
				}
				return i, nil
			}))
		}
		for i, h := range handles {
			got, err := h.Wait(background)
			if i%2 == 0 && !errors.Is(err, executor.ErrGoexit) || i%2 == 1 && (got != i || err != nil) {
				t.Fatalf("task %d: got %d, %v", i, got, err)
			}
		}
		if s := e.Stats(); s.Goexits != 50 || s.Failed != 50 || s.Completed != 50 {
			t.Errorf("%+v", s)
		}
	})
}
