// Package executor runs tasks on a fixed set of workers that steal from each
// other.
//
// Work enters from outside through an injector and from inside a task through
// the deque of the worker that runs it:
//
//	e, err := executor.New(executor.Config{})   // GOMAXPROCS workers
//	h, err := executor.Submit(ctx, e, func(w *executor.Worker) (int, error) {
//		part := executor.Spawn(w, half)     // stealable by the others
//		...
//	})
//	n, err := h.Wait(ctx)
//	err = e.Shutdown(ctx)                       // drains
//
// What it promises:
//
//   - An accepted task ends exactly once: it runs, or a Cancel or Stop came
//     first and its body never runs. Refused tasks never run.
//   - A panic or runtime.Goexit in a task is that task's outcome and loses no
//     worker, no count and no other task.
//   - Tasks are stored in a fixed slab of Config.Capacity slots. Full means:
//     Submit waits, TrySubmit refuses, Spawn runs the task in place.
//   - No wake-up is lost, and an idle executor uses no CPU: see sleep.go.
//   - When a handle resolves, its task has left the worker, its slot is free
//     and the counters of Stats include it.
//   - A task may wait for another one, with any number of workers: it runs it
//     itself if that is still queued, else a stand-in takes its place. Waiting
//     in a cycle is a *CycleError that names the tasks.
//
// What it does not do: preempt a running task, or isolate what Go cannot
// (fatal errors such as concurrent map writes end the process). A task that
// blocks on anything but a handle of its own executor holds its worker, unless
// it does so inside Worker.Block.
//
// Queues come from a queues.Backend for each role; the executor never knows
// which. Worker identity is passed to the task, never looked up, and a
// *Worker is valid only inside the call that received it.
package executor
