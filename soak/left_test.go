package soak

import (
	"sync"
	"testing"
)

// What the runtime keeps of goroutines that have ended is within what a repetition
// allows for a task in flight: an executor with a goroutine a task has not leaked.
func TestEndedGoroutinesAreNotLeft(t *testing.T) {
	const n = 1 << 14
	before := liveHeap()
	release := make(chan struct{})
	var all sync.WaitGroup
	for range n {
		all.Go(func() { <-release }) // so that they are there at once
	}
	close(release)
	all.Wait()
	left := liveHeap() - before
	t.Logf("%d bytes a goroutine", left/n)
	if left < 64*n {
		t.Errorf("%d goroutines left %d bytes: nothing was seen of them", n, left)
	}
	if left > goroutineB*n+leftMax {
		t.Errorf("%d goroutines left %d bytes, more than %d each", n, left, goroutineB)
	}
}
