package main

import (
	"fmt"
	"runtime"
	"time"
)

// patience is how many ticks may pass without the end of an executor: two minutes, where
// one takes a second. A stopped process has no ticks.
const patience = 12

// watch says at each tick how far it is, until over is closed, and calls hung, with all
// stacks written before, when nothing goes on.
func (c *campaign) watch(ticks <-chan time.Time, over <-chan struct{}, hung func()) {
	began, last, still := time.Now(), int64(-1), 0
	for {
		select {
		case <-over:
			return
		case <-ticks:
		}
		lives := c.lives.Load()
		if still++; lives != last || c.paused.Load() {
			last, still = lives, 0
		}
		c.line(time.Since(began))
		if still < patience {
			continue
		}
		stacks := make([]byte, 1<<20)
		fmt.Fprintf(c.out, "load: HANG: no executor has ended for %d lines; seed %d\n%s\n", still, c.seed, stacks[:runtime.Stack(stacks, true)])
		hung()
		return
	}
}

// line is written over the last one, where the output is a terminal.
func (c *campaign) line(since time.Duration) {
	word := ""
	if c.paused.Load() {
		word = ", paused"
	}
	fmt.Fprintf(c.out, "load: %.0f s: %d tasks, %d executors, heap %d KiB, %d goroutines%s\n",
		since.Seconds(), c.tasks.Load(), c.lives.Load(), c.heap.Load()>>10, c.goroutines.Load(), word)
}
