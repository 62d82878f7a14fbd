// Package hostile is what the packages below it share: each has a pool that does, or
// is, one thing that a certifier must survive, and must never pass:
//
//	certify run --import github.com/exactlyonce/certify/soak/subjects/hostile/hangsubmit
//
// What a subject can do is not bounded by it: it runs in the process that reports, and
// one that writes that process's result file is believed. It is for mistakes, and for
// code that one would also test with go test.
package hostile

import (
	"sync"

	"github.com/exactlyonce/certify/soak"
)

// Pool runs each task on a goroutine of its own. It is right but for what is put in.
type Pool struct {
	AtOpen, AtSubmit, AfterTask, AtClose func()
}

// Executors has the one.
func (p Pool) Executors(name, about string) []soak.Executor {
	return []soak.Executor{soak.OfPool(name, about, func(soak.Options) (soak.Pool, error) {
		call(p.AtOpen)
		return &pool{Pool: p}, nil
	})}
}

func call(f func()) {
	if f != nil {
		f()
	}
}

type pool struct {
	Pool
	all sync.WaitGroup
}

func (p *pool) Submit(task func()) error {
	call(p.AtSubmit)
	p.all.Go(func() {
		task()
		call(p.AfterTask)
	})
	return nil
}

func (p *pool) Close() error {
	p.all.Wait()
	call(p.AtClose)
	return nil
}
