package soak

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/exactlyonce/certify/reports/record"
)

const (
	stepsEach = 4  // polls that a task of wake-storm needs
	oldWakers = 64 // that each waking goroutine keeps, to call late
)

// stepped is one polled task of wake-storm. Its plain fields are a race when
// two workers are in it at once.
type stepped struct {
	in    atomic.Bool // a poll is under way
	steps int
}

// wakeStorm: polled tasks hand their wakers to other goroutines, which use them
// before, during and after the end of the poll, and once more when the task has
// long ended. Each step gives exactly one wake that counts: a task whose wake is
// lost waits for ever, and that is a stall.
func (t *trial) wakeStorm() {
	var polls atomic.Uint64
	t.batches(func(base, n int) {
		wakes := make(chan func(), n)
		var crew sync.WaitGroup
		for c := range 2 {
			crew.Go(func() { storm(wakes, rand.New(rand.NewPCG(t.spec.Seed, uint64(base*2+c)))) })
		}
		tasks := make([]Task, n)
		for i := range tasks {
			var err error
			if tasks[i], err = t.subject.(Polls).SubmitPoll(context.Background(), t.stepBody(base+i, wakes, &polls)); err != nil {
				t.found.add(record.Contract, "submit of task %d: %v", base+i, err)
				tasks[i] = noTask{}
			}
		}
		for i, task := range tasks {
			t.checkEnd(base+i, task)
		}
		close(wakes)
		crew.Wait()
		t.checkQuiet(base)
	})
	t.value("polls", float64(polls.Load()))
}

func (t *trial) stepBody(id int, wakes chan<- func(), polls *atomic.Uint64) PollBody {
	s := new(stepped)
	return func(wake func()) (int, bool) {
		if s.in.Swap(true) {
			t.found.add(record.Duplicated, "two workers poll task %d at once", id)
		}
		defer s.in.Store(false)
		polls.Add(1)
		if s.steps++; s.steps == 1 {
			t.strike(id)
		}
		if s.steps >= stepsEach { // late wakers may have brought polls of their own
			return id, true
		}
		switch (id + s.steps) % 4 {
		case 0: // during the poll
			wake()
		case 1: // more than once
			wake()
			wake()
		default: // by another goroutine, whenever
			wakes <- wake
			if id%2 == 0 {
				runtime.Gosched()
			}
		}
		return 0, false
	}
}

// storm calls each waker once soon, and some of them again late.
func storm(wakes <-chan func(), rng *rand.Rand) {
	var old [oldWakers]func()
	for wake := range wakes {
		for range rng.IntN(3) {
			runtime.Gosched()
		}
		wake()
		slot := &old[rng.IntN(oldWakers)]
		if late := *slot; late != nil {
			late()
		}
		*slot = wake
	}
	for _, late := range old {
		if late != nil {
			late() // of tasks that have all ended
		}
	}
}
