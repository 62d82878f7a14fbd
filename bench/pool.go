package bench

// Pool is an executor as a benchmark sees it. W is what a task receives and
// hands on when it spawns, struct{} where tasks receive nothing; H is the
// handle of a task. So each executor's own functions and handles go through
// the loops as they are, and nothing is allocated to adapt them.
//
// Each task is awaited or joined at most once.
type Pool[W, H any] interface {
	// Submit gives a task from outside and does not wait for it, but for room.
	Submit(body func(W) (int, error)) (H, error)
	// Await waits, outside of tasks, for a task to end and returns what its
	// body has.
	Await(h H) (int, error)
	// Spawn gives a task from inside the task that received w. It is never
	// refused: without room, the task runs before Spawn returns.
	Spawn(w W, body func(W) (int, error)) H
	// Join is Await inside the task that received w. It must not keep the pool
	// from running what h needs.
	Join(w W, h H) (int, error)
	// Close returns when all that was accepted has ended and nothing is left.
	Close() error
}

// Wakes is a Pool that counts the workers it had to wake.
type Wakes interface{ Wakes() uint64 }

// open is how pools are made.
type open[W, H any] func(workers int) (Pool[W, H], error)

// loop is the work of one case on one pool.
type loop struct {
	// run does n operations, and checks their results.
	run func(n int) (outcome, error)
	// after, if set, finds after the pool's end what run could not see.
	after func() error
}
