package executor_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/exactlyonce/certify/executor"
)

// A task spawns others, which idle workers steal, and waits for them: with one
// worker too.
func Example() {
	ctx := context.Background()
	e, err := executor.New(executor.Config{Workers: 2})
	if err != nil {
		panic(err)
	}
	squares, err := executor.Submit(ctx, e, func(w *executor.Worker) (int, error) {
		var parts []*executor.Handle[int]
		for i := range 10 {
			parts = append(parts, executor.Spawn(w, func(*executor.Worker) (int, error) { return i * i, nil }))
		}
		sum := 0
		for _, p := range parts {
			n, err := p.Wait(ctx)
			if err != nil {
				return 0, err
			}
			sum += n
		}
		return sum, nil
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(squares.Wait(ctx))
	fmt.Println(e.Shutdown(ctx))
	// Output:
	// 285 <nil>
	// <nil>
}

// Cancel is true for exactly one call, and the task's context ends with its
// cause.
func ExampleHandle_Cancel() {
	ctx := context.Background()
	e, err := executor.New(executor.Config{Workers: 1})
	if err != nil {
		panic(err)
	}
	h, err := executor.Submit(ctx, e, func(w *executor.Worker) (string, error) {
		<-w.Context().Done()
		return "dropped", nil
	})
	if err != nil {
		panic(err)
	}
	late := errors.New("too late")
	fmt.Println(h.Cancel(late), h.Cancel(nil), h.State())
	result, err := h.Wait(ctx)
	fmt.Printf("%q %v %t\n", result, err, errors.Is(err, executor.ErrCancelled) && errors.Is(err, late))
	fmt.Println(e.Shutdown(ctx))
	// Output:
	// true false cancelled
	// "" executor: task cancelled: too late true
	// <nil>
}

// What waits in the injector runs in the order of its priority.
func ExampleSubmitAt() {
	ctx := context.Background()
	e, err := executor.New(executor.Config{Workers: 1})
	if err != nil {
		panic(err)
	}
	begun, gate := make(chan struct{}), make(chan struct{})
	if _, err := executor.Submit(ctx, e, func(*executor.Worker) (int, error) { close(begun); <-gate; return 0, nil }); err != nil {
		panic(err)
	}
	<-begun
	for _, p := range []executor.Priority{executor.Low, executor.Normal, executor.High} {
		_, err := executor.SubmitAt(ctx, e, p, func(*executor.Worker) (int, error) { fmt.Println(p); return 0, nil })
		if err != nil {
			panic(err)
		}
	}
	close(gate)
	fmt.Println(e.Shutdown(ctx))
	// Output:
	// high
	// normal
	// low
	// <nil>
}
