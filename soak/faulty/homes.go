package faulty

import (
	"runtime"
	"sync"

	"github.com/exactlyonce/certify/soak"
)

// homes are workers with a queue each, from which the others take when their own is
// empty. All is under one lock. The fault: what a worker spawns wakes nobody, since it
// is there to run it; but it may block on the very task.
type homes struct {
	wakesNobody bool

	mu     sync.Mutex
	cond   sync.Cond
	queues [][]func(worker int) // guarded by mu, like what follows
	asleep int
	ended  uint64
	closed bool
	crew   sync.WaitGroup
}

func homesOf(name string, wakesNobody bool) soak.Executor {
	return soak.Executor{Name: name, About: "workers with a queue each", New: func(o soak.Options) (soak.Subject, error) {
		h := &homes{wakesNobody: wakesNobody, queues: make([][]func(int), max(o.Workers, 1))}
		h.cond.L = &h.mu
		for w := range h.queues {
			h.crew.Go(func() { h.work(w) })
		}
		return h, nil
	}}
}

func (h *homes) work(worker int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		if task := h.take(worker); task != nil {
			h.mu.Unlock()
			task(worker)
			h.mu.Lock()
			h.ended++
		} else if h.closed {
			return
		} else {
			h.asleep++
			h.cond.Wait()
			h.asleep--
		}
	}
}

// take looks at the worker's own queue first.
func (h *homes) take(worker int) (task func(int)) {
	for i := range h.queues {
		if q := &h.queues[(worker+i)%len(h.queues)]; len(*q) > 0 {
			task, *q = (*q)[0], (*q)[1:]
			return task
		}
	}
	return nil
}

func (h *homes) add(worker int, task func(int), wake bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queues[worker] = append(h.queues[worker], task)
	if wake {
		h.cond.Signal()
	}
}

func (h *homes) Workers() int { return len(h.queues) }

func (h *homes) Batch(n int, probe soak.Probe, each func(i, value int, err error)) (int, error) {
	h.quiet()
	values := make([]int, n)
	var tasks sync.WaitGroup
	tasks.Add(n)
	h.add(0, func(worker int) {
		for i := range n {
			h.add(worker, func(worker int) {
				defer tasks.Done()
				values[i] = probe(i, worker)
			}, !h.wakesNobody)
		}
	}, true)
	tasks.Wait()
	for i, v := range values {
		each(i, v, nil)
	}
	return n, nil
}

// quiet waits until all workers are asleep.
func (h *homes) quiet() {
	for {
		h.mu.Lock()
		all := h.asleep == len(h.queues)
		h.mu.Unlock()
		if all {
			return
		}
		runtime.Gosched()
	}
}

func (h *homes) Stats() soak.Stats {
	h.mu.Lock()
	defer h.mu.Unlock()
	return soak.Stats{Progress: h.ended, Gauges: []soak.Gauge{
		{Name: soak.SleepingGauge, Value: int64(h.asleep), Max: int64(len(h.queues)), Quiet: -1},
	}}
}

func (h *homes) Close() error {
	h.mu.Lock()
	h.closed = true
	h.cond.Broadcast()
	h.mu.Unlock()
	h.crew.Wait()
	return nil
}
