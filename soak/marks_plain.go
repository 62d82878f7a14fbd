//go:build !race

package soak

import (
	"math/bits"
	"sync/atomic"
)

// marks hold a bit a task, set once, by the task itself.
type marks []atomic.Uint64

func newMarks(n int) marks { return make(marks, (n+63)/64) }

// set marks task id. An Or that finds its bit set has found a task that ran twice.
func (m marks) set(id int) (again bool) {
	bit := uint64(1) << (id % 64)
	return m[id/64].Or(bit)&bit != 0
}

// lost counts the tasks of n without a mark, and finds the first.
func (m marks) lost(n int) (lost uint64, first int) {
	first = -1
	for i := range m {
		want := ^uint64(0)
		if tail := n - i*64; tail < 64 {
			want = 1<<tail - 1
		}
		if missing := want &^ m[i].Load(); missing != 0 {
			lost += uint64(bits.OnesCount64(missing))
			if first < 0 {
				first = i*64 + bits.TrailingZeros64(missing)
			}
		}
	}
	return lost, first
}
