package bench

import (
	"context"
	"fmt"
	"slices"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/catalog"
)

// wide are the families that every pair of back ends runs, and not only the
// default one: what enters through the injector, and what is stolen.
var wide = []string{"Submit", "FanOut", "Tree"}

// ourPoolCases are our executor and the rows to compare it with.
func ourPoolCases(workers int, s sizes) []Case {
	var cases []Case
	for _, p := range pairs() {
		keys := fmt.Sprintf("certify/injector=%s/deque=%s", p.Injector.Name, p.Deque.Name)
		all := poolCases(keys, workers, workStealing(p), s)
		if p.Injector.Name != defaultInjector || p.Deque.Name != defaultDeque {
			all = slices.DeleteFunc(all, func(c Case) bool { return !slices.Contains(wide, c.Family()) })
		}
		cases = append(cases, all...)
	}
	serial := slices.DeleteFunc(poolCases("inline", 1, openInline, s), func(c Case) bool { return slices.Contains(deferred, c.Family()) })
	return slices.Concat(cases, poolCases("chan", workers, openChannelPool, s), poolCases("goroutine", workers, openGoroutines, s), serial)
}

// deferred are the families that need tasks to run after they were given: else
// Memory would wait for ever, and Chain would be as deep as long.
var deferred = []string{"Chain", "Memory", "Idle", "Latency"}

// What an executor takes that is told nothing.
const defaultInjector, defaultDeque = "sharded", "claim"

// pairs are all pairs of an injector and a deque.
func pairs() (all []executor.Config) {
	backends := catalog.Backends[executor.Task]()
	for _, injector := range backends {
		for _, deque := range backends {
			if injector.Kind() == queues.KindInjector && deque.Kind() == queues.KindDeque {
				all = append(all, executor.Config{Injector: injector, Deque: deque})
			}
		}
	}
	return all
}

type (
	worker = *executor.Worker
	handle = *executor.Handle[int]
)

// stealing is our executor.
type stealing struct{ *executor.Executor }

func workStealing(cfg executor.Config) open[worker, handle] {
	return func(workers int) (Pool[worker, handle], error) {
		cfg.Workers = workers
		e, err := executor.New(cfg)
		return stealing{e}, err
	}
}

var background = context.Background()

func (p stealing) Submit(body func(worker) (int, error)) (handle, error) {
	return executor.Submit(background, p.Executor, body)
}

func (p stealing) Await(h handle) (int, error) { return h.Wait(background) }

func (p stealing) Spawn(w worker, body func(worker) (int, error)) handle {
	return executor.Spawn(w, body)
}

func (p stealing) Join(_ worker, h handle) (int, error) { return h.Wait(background) }

func (p stealing) Close() error { return p.Shutdown(background) }

func (p stealing) Wakes() uint64 { return p.Stats().Wakes }
