package bench

import (
	"fmt"
	"sync/atomic"
	"time"
)

// spawnLoop is one task that spawns width tasks and joins them, again and
// again. With width 1 it is what a fork and join costs by itself.
func spawnLoop[W, H any](p Pool[W, H], width int) loop {
	bodies := make([]func(W) (int, error), width)
	for i := range bodies {
		bodies[i] = func(W) (int, error) { return i + 1, nil }
	}
	handles := make([]H, width)
	batch := func(w W, n int) (sum int, err error) {
		for i := range n {
			handles[i] = p.Spawn(w, bodies[i])
		}
		for i := range n {
			v, err := p.Join(w, handles[i])
			if err != nil {
				return 0, fmt.Errorf("a task: %w", err)
			}
			if v != i+1 {
				return 0, fmt.Errorf("a task returned %d, want %d", v, i+1)
			}
			sum++
		}
		return sum, nil
	}
	return loop{run: func(n int) (outcome, error) {
		began := time.Now()
		h, err := p.Submit(func(w W) (sum int, err error) {
			for left := n; left > 0 && err == nil; left -= width {
				var k int
				k, err = batch(w, min(left, width))
				sum += k
			}
			return sum, err
		})
		if err == nil {
			err = expect(p.Await, h, n)
		}
		return outcome{elapsed: time.Since(began), tasks: n}, err
	}}
}

// chainLoop is tasks of which each spawns the next and ends.
func chainLoop[W, H any](p Pool[W, H]) loop {
	var (
		ran   atomic.Int64 // links so far; of one chain at a time, if the pool is right
		until int64        // links asked for; written while no chain runs
		done  = make(chan struct{}, 1)
		link  func(W) (int, error)
	)
	link = func(w W) (int, error) {
		switch n := ran.Add(1); {
		case n < until:
			p.Spawn(w, link)
		case n == until:
			done <- struct{}{}
		}
		return 1, nil
	}
	check := func() error {
		if n := ran.Load(); n != until {
			return fmt.Errorf("%d links of a chain ran, want %d", n, until)
		}
		return nil
	}
	return loop{after: check, run: func(n int) (outcome, error) {
		if err := check(); err != nil {
			return outcome{}, err
		}
		until += int64(n)
		began := time.Now()
		h, err := p.Submit(link)
		if err != nil {
			return outcome{}, fmt.Errorf("submit: %w", err)
		}
		if err := expect(p.Await, h, 1); err != nil {
			return outcome{}, err
		}
		<-done
		return outcome{elapsed: time.Since(began), tasks: n}, check()
	}}
}
