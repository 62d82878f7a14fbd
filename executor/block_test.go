package executor_test

import (
	"context"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

// X8: tasks that block on channels of their own do not hold up those that will
// close them, with one worker too.
func TestBlockKeepsTheWorkersBusyX8(t *testing.T) {
	watchdog(t)
	for _, workers := range []int{1, 2, 3} {
		e := start(t, executor.Config{Workers: workers})
		const chain = 50
		gates := make([]chan struct{}, chain+1)
		for i := range gates {
			gates[i] = make(chan struct{})
		}
		var hs []*executor.Handle[int]
		for i := range chain { // each waits for the next one
			hs = append(hs, submit(t, e, func(w *executor.Worker) (int, error) {
				w.Block(func() { <-gates[i+1] })
				close(gates[i])
				return w.Index(), nil
			}))
		}
		submit(t, e, func(*executor.Worker) (int, error) { close(gates[chain]); return 0, nil })
		for i, h := range hs {
			if index, err := h.Wait(context.Background()); err != nil || index != -1 {
				t.Fatalf("%d workers, task %d: index %d, %v; want -1", workers, i, index, err)
			}
		}
		drained(t, e)
	}
}

// X8, X12: twenty thousand tasks that block at once, each of which the next one
// frees, end in time that grows with their number only, and leave nothing.
func TestManyBlockedTasksX8X12(t *testing.T) {
	watchdog(t)
	n := rounds(20_000)
	e := start(t, executor.Config{Workers: 2, Capacity: n})
	gate := make(chan struct{})
	var hs []*executor.Handle[int]
	for range n {
		hs = append(hs, submit(t, e, func(w *executor.Worker) (int, error) {
			w.Block(func() { <-gate })
			return 1, nil
		}))
	}
	until(func() bool { return executor.Away(e) == n })
	close(gate)
	for _, h := range hs {
		if got, err := h.Wait(background); got != 1 || err != nil {
			t.Fatalf("got %d, %v", got, err)
		}
	}
	drained(t, e)
}
