// Package pools has pools of others as subjects:
//
//	certify run --import github.com/exactlyonce/certify/soak/subjects/pools
package pools

import (
	"github.com/alitto/pond"
	"github.com/gammazero/workerpool"

	"github.com/exactlyonce/certify/soak"
)

// Executors are all of them.
func Executors() []soak.Executor {
	workers := soak.OfPool("workerpool", "github.com/gammazero/workerpool", func(o soak.Options) (soak.Pool, error) {
		return workers{workerpool.New(o.Workers)}, nil
	})
	workers.Without = map[string]string{
		"panic":         "a task that panics ends the process",
		"shutdown-race": "Submit panics after Stop, as it is documented",
	}
	ponds := soak.OfPool("pond", "github.com/alitto/pond", func(o soak.Options) (soak.Pool, error) {
		return ponds{pond.New(o.Workers, o.Capacity)}, nil
	})
	ponds.Without = map[string]string{"shutdown-race": "Submit panics after Stop, as it is documented"}
	return []soak.Executor{workers, ponds}
}

type workers struct{ pool *workerpool.WorkerPool }

func (w workers) Submit(task func()) error { w.pool.Submit(task); return nil }
func (w workers) Close() error             { w.pool.StopWait(); return nil }

type ponds struct{ pool *pond.WorkerPool }

func (p ponds) Submit(task func()) error { p.pool.Submit(task); return nil }
func (p ponds) Close() error             { p.pool.StopAndWait(); return nil }
