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

// X8: as long as another worker has nothing to do, it gets a branch: after each theft,
func TestForkSharesAfterATheftX8(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 3
		e := start(t, cfg)
		over := make(chan struct{})
		err := inTask(t, e, func(w *executor.Worker) {
			taken := make(chan struct{})
			executor.Join(w, func(w *executor.Worker) {
				<-taken
				sharesNow(w) // with the third
				close(over)
			}, func(*executor.Worker) { close(taken); <-over })
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// after a branch that nobody took in time,
func TestForkSharesAfterItsOwnX8(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 2
		e := start(t, cfg)
		release := gated(t, e)
		err := inTask(t, e, func(w *executor.Worker) {
			executor.Join(w, noop, noop)
			release()
			sharesNow(w)
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// after one that whoever stands in for the forker has taken,
func TestForkSharesOfAStandInX8(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers = 2
		e := start(t, cfg)
		release := gated(t, e)
		over := make(chan struct{})
		err := inTask(t, e, func(w *executor.Worker) {
			executor.Join(w,
				func(w *executor.Worker) { w.Block(func() { <-over }) },
				func(w *executor.Worker) { release(); sharesNow(w); close(over) })
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// and after one whose forker has panicked, in place of the task that spawned it.
func TestForkSharesAfterAPanicX8L6(t *testing.T) {
	pairs(t, func(t *testing.T, cfg executor.Config) {
		cfg.Workers, cfg.Capacity = 2, 2
		e := start(t, cfg)
		release := gated(t, e)
		err := inTask(t, e, func(w *executor.Worker) {
			executor.Spawn(w, func(w *executor.Worker) (int, error) {
				executor.Join(w, func(*executor.Worker) { panic("mine") }, noop)
				return 0, nil
			})
			release()
			sharesNow(w)
		})
		if s := e.Stats(); err != nil || s.InPlace != 1 || s.Panics != 1 {
			t.Errorf("%v, %+v", err, s)
		}
	})
}
