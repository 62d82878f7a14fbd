package bench

import (
	"fmt"
	"time"
)

// problem is a loop whose operation is one whole problem. root solves it and
// returns the answer; size is the number of tasks that takes.
func problem[W, H any](p Pool[W, H], root func(W) (int, error), answer, size int) loop {
	return loop{run: func(n int) (outcome, error) {
		began := time.Now()
		for range n {
			h, err := p.Submit(root)
			if err != nil {
				return outcome{}, fmt.Errorf("submit: %w", err)
			}
			if err := expect(p.Await, h, answer); err != nil {
				return outcome{}, err
			}
		}
		return outcome{elapsed: time.Since(began), tasks: n * size}, nil
	}}
}

// fibLoop computes Fibonacci numbers by their definition. Each call but a leaf
// spawns one of its two and calls the other.
func fibLoop[W, H any](p Pool[W, H], n int) loop {
	answer := fib(n)
	// The root, and a spawn for each addition, of which there are fib(n+1)-1.
	return problem(p, func(w W) (int, error) { return forkFib(p, w, n) }, answer, fib(n+1))
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func forkFib[W, H any](p Pool[W, H], w W, n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	h := p.Spawn(w, func(w W) (int, error) { return forkFib(p, w, n-1) })
	b, err := forkFib(p, w, n-2)
	a, joined := p.Join(w, h) // always: nothing may be left running
	if err == nil {
		err = joined
	}
	return a + b, err
}

// widest is how many tasks a node of queens or tree spawns at most.
const widest = 16

// brood is the tasks that one node has spawned.
type brood[W, H any] struct {
	handles [widest]H
	n       int
}

func (b *brood[W, H]) spawn(p Pool[W, H], w W, body func(W) (int, error)) {
	b.handles[b.n] = p.Spawn(w, body)
	b.n++
}

// join is the sum of what the tasks return. It waits for all, whatever happens.
func (b *brood[W, H]) join(p Pool[W, H], w W) (sum int, err error) {
	for _, h := range b.handles[:b.n] {
		v, failed := p.Join(w, h)
		if failed != nil {
			err = failed
		}
		sum += v
	}
	return sum, err
}

// queensLoop counts in how many ways n queens stand on a board of n x n, n at
// most widest, without attacking each other: one task a queen that can stand.
func queensLoop[W, H any](p Pool[W, H], n int) loop {
	answer, nodes := board{n: n}.count()
	return problem(p, func(w W) (int, error) { return forkQueens(p, w, board{n: n}) }, answer, nodes)
}

// board is queens in its first rows, none attacking another. The masks are the
// squares of the next row that they attack.
type board struct {
	n, row            int
	down, left, right uint32
}

// next is the board with one more queen, if that can stand.
func (b board) next(column int) (board, bool) {
	square := uint32(1) << column
	if (b.down|b.left|b.right)&square != 0 {
		return b, false
	}
	return board{b.n, b.row + 1, b.down | square, (b.left | square) << 1, (b.right | square) >> 1}, true
}

// count solves it in one goroutine, and counts the boards seen.
func (b board) count() (solutions, nodes int) {
	if b.row == b.n {
		return 1, 1
	}
	nodes = 1
	for column := range b.n {
		if next, ok := b.next(column); ok {
			s, n := next.count()
			solutions, nodes = solutions+s, nodes+n
		}
	}
	return solutions, nodes
}

func forkQueens[W, H any](p Pool[W, H], w W, b board) (int, error) {
	if b.row == b.n {
		return 1, nil
	}
	var children brood[W, H]
	for column := range b.n {
		if next, ok := b.next(column); ok {
			children.spawn(p, w, func(w W) (int, error) { return forkQueens(p, w, next) })
		}
	}
	return children.join(p, w)
}
