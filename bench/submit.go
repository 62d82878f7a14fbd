package bench

import (
	"fmt"
	"time"
)

// submitLoop submits tasks from outside, width in flight: so many are given,
// then all are awaited. Of width 1 it is the round trip to a worker and back,
// which is asleep again by then or about to be. The i-th task of a batch returns
// its number, after a work of 0 to 10,000 steps if mixed is 1.
//
// The bodies capture their number and are made before.
func submitLoop[W, H any](p Pool[W, H], width, mixed int) loop {
	bodies, want := make([]func(W) (int, error), width), make([]int, width)
	for i := range bodies {
		steps := mixed * mixedSteps(i)
		want[i] = labour(i, steps)
		bodies[i] = func(W) (int, error) { return labour(i, steps), nil }
	}
	handles := make([]H, width)
	batch := func(n int) (err error) {
		for i := range n {
			if handles[i], err = p.Submit(bodies[i]); err != nil {
				return fmt.Errorf("submit: %w", err)
			}
		}
		for i := range n {
			if err := expect(p.Await, handles[i], want[i]); err != nil {
				return err
			}
		}
		return nil
	}
	return loop{run: func(n int) (outcome, error) {
		began := time.Now()
		for left := n; left > 0; left -= width {
			if err := batch(min(left, width)); err != nil {
				return outcome{}, err
			}
		}
		return outcome{elapsed: time.Since(began), tasks: n}, nil
	}}
}

// expect waits for a task and compares its result.
func expect[H any](wait func(H) (int, error), h H, want int) error {
	got, err := wait(h)
	if err != nil {
		return fmt.Errorf("a task: %w", err)
	}
	if got != want {
		return fmt.Errorf("a task returned %d, want %d", got, want)
	}
	return nil
}

// labour returns a number that only so many steps from i lead to.
func labour(i, steps int) int { return i + 1 + int(toil(uint64(i)+1, steps)>>40) }

// mixedSteps is the work of the i-th task: of a hundred about half do nothing
// and two take 10,000 steps, which are more than half of all the work.
func mixedSteps(i int) int {
	switch r := mix(uint64(i)) % 100; {
	case r < 50:
		return 0
	case r < 85:
		return 100
	case r < 98:
		return 1000
	}
	return 10000
}
