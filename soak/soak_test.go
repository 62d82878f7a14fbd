package soak_test

import (
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues/catalog"
	"github.com/exactlyonce/certify/soak"
)

// pairs are all injectors with all deques.
func pairs(t *testing.T, f func(t *testing.T, e soak.Executor)) {
	for _, in := range catalog.Backends[executor.Task]() {
		for _, de := range catalog.Backends[executor.Task]() {
			if in.Injector != nil && de.Deque != nil {
				t.Run("injector="+in.Name+"/deque="+de.Name, func(t *testing.T) { f(t, soak.WorkStealing(in, de)) })
			}
		}
	}
}

func TestExactlyOnce(t *testing.T) {
	pairs(t, func(t *testing.T, e soak.Executor) {
		for _, workers := range []int{1, 2, 3, 8} {
			for _, tasks := range []int{1, 63, 64, 65, 4095, 4097, 10000} {
				soak.Run(t, e, soak.Spec{Tasks: tasks, Workers: workers, Seed: uint64(tasks)})
			}
		}
	})
	soak.Run(t, soak.Goroutines(), soak.Spec{})
}
