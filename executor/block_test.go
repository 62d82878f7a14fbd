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
