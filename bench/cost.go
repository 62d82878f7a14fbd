package bench

import (
	"fmt"
	"runtime"
	"time"

	"github.com/exactlyonce/certify/soak/guard"
)

// memoryLoop has tasks wait, most of them in the queue because the others hold
// the workers, and looks at the memory. An operation is queued tasks; their
// submission is timed.
func memoryLoop[W, H any](p Pool[W, H], queued int) loop {
	handles := make([]H, queued)
	bodies := make([]func(W) (int, error), queued)
	var gate chan struct{} // written while no task runs
	for i := range bodies {
		bodies[i] = func(W) (int, error) { <-gate; return i + 1, nil }
	}
	once := func() (elapsed time.Duration, bytes int64, err error) {
		gate = make(chan struct{})
		before := inUse()
		began := time.Now()
		given := 0
		for ; given < queued && err == nil; given++ {
			handles[given], err = p.Submit(bodies[given])
		}
		elapsed = time.Since(began)
		bytes = inUse() - before
		close(gate)
		if err != nil {
			return 0, 0, fmt.Errorf("submit: %w", err)
		}
		for i, h := range handles {
			if wrong := expect(p.Await, h, i+1); wrong != nil && err == nil {
				err = wrong
			}
		}
		clear(handles)
		return elapsed, bytes, err
	}
	return loop{run: func(n int) (outcome, error) {
		var elapsed time.Duration
		var bytes int64
		for range n {
			e, b, err := once()
			if err != nil {
				return outcome{}, err
			}
			elapsed, bytes = elapsed+e, bytes+b
		}
		return outcome{elapsed: elapsed, metrics: []Metric{{unitTaskB, per(bytes, n*queued)}}}, nil
	}}
}

// inUse is the memory that is reachable, stacks included, in bytes.
func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// idleLoop does nothing for a while and looks at the processor time. Before, it
// runs a task and lets the workers fall asleep. The processor time is the
// process's, so that whatever else it does counts too.
func idleLoop[W, H any](p Pool[W, H], while time.Duration) loop {
	return loop{run: func(n int) (outcome, error) {
		h, err := p.Submit(func(W) (int, error) { return 1, nil })
		if err == nil {
			err = expect(p.Await, h, 1)
		}
		if err != nil {
			return outcome{}, err
		}
		time.Sleep(while / 10)
		before, cpuErr := guard.SelfCPU()
		began := time.Now()
		time.Sleep(while * time.Duration(n))
		out := outcome{elapsed: time.Since(began)}
		after, _ := guard.SelfCPU()
		if cpuErr == nil {
			out.metrics = []Metric{{unitIdle, float64(after-before) / out.elapsed.Seconds()}}
		}
		return out, nil
	}}
}
