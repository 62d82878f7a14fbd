package executor_test

import (
	"testing"

	"github.com/exactlyonce/certify/executor"
)

// sharesNow fails to return unless the next fork of w is one that others can take.
func sharesNow(w *executor.Worker) {
	taken := make(chan struct{})
	executor.Join(w, func(*executor.Worker) { <-taken }, func(*executor.Worker) { close(taken) })
}

func noop(*executor.Worker) {}

// forking runs f as a task of executors like cfg with all pairs of back ends.
func forking(t *testing.T, cfg executor.Config, f func(t *testing.T, w *executor.Worker)) {
	pairs(t, func(t *testing.T, pair executor.Config) {
		pair.Workers, pair.Capacity = cfg.Workers, cfg.Capacity
		e := start(t, pair)
		if err := inTask(t, e, func(w *executor.Worker) { f(t, w) }); err != nil {
			t.Error(err)
		}
	})
}

// X8: as long as another worker has nothing to do, it gets a branch: after each theft,
func TestForkSharesAfterATheftX8(t *testing.T) {
	forking(t, executor.Config{Workers: 3}, func(_ *testing.T, w *executor.Worker) {
		taken, over := make(chan struct{}), make(chan struct{})
		executor.Join(w, func(w *executor.Worker) {
			<-taken
			sharesNow(w) // with the third
			close(over)
		}, func(*executor.Worker) { close(taken); <-over })
	})
}

// after a branch that nobody took in time,
func TestForkSharesAfterItsOwnX8(t *testing.T) {
	forking(t, executor.Config{Workers: 2}, func(t *testing.T, w *executor.Worker) {
		release := gated(t, w.Executor())
		executor.Join(w, noop, noop)
		release()
		sharesNow(w)
	})
}

// after one that whoever stands in for the forker has taken,
func TestForkSharesOfAStandInX8(t *testing.T) {
	forking(t, executor.Config{Workers: 2}, func(t *testing.T, w *executor.Worker) {
		release, over := gated(t, w.Executor()), make(chan struct{})
		executor.Join(w,
			func(w *executor.Worker) { w.Block(func() { <-over }) },
			func(w *executor.Worker) { release(); sharesNow(w); close(over) })
	})
}

// and after one whose forker has panicked, in place of the task that spawned it.
func TestForkSharesAfterAPanicX8L6(t *testing.T) {
	forking(t, executor.Config{Workers: 2, Capacity: 2}, func(t *testing.T, w *executor.Worker) {
		release := gated(t, w.Executor())
		executor.Spawn(w, func(w *executor.Worker) (int, error) {
			executor.Join(w, func(*executor.Worker) { panic("mine") }, noop)
			return 0, nil
		})
		release()
		sharesNow(w)
		if s := w.Executor().Stats(); s.InPlace != 1 || s.Panics != 1 {
			t.Errorf("%+v", s)
		}
	})
}
