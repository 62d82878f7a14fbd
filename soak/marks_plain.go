//go:build !race

package soak

import "sync/atomic"

// marks hold four bits a task: how often it has run, 0 or 1 but for moments. One step
// counts and tells what was there; an Or of one bit that tells is a loop of compare and
// swap here, and took twice as long. Who finds that the task has run takes its own count
// back, so that nothing is carried to the next task: fewer than 16 run it at once.
type marks []atomic.Uint64

const (
	marksAWord = 64 / markBits
	markBits   = 4
	markMask   = 1<<markBits - 1
)

func newMarks(n int) marks { return make(marks, (n+marksAWord-1)/marksAWord) }

func (m marks) set(id int) (again bool) {
	word, shift := &m[id/marksAWord], id%marksAWord*markBits
	if word.Add(1<<shift)>>shift&markMask == 1 {
		return false
	}
	word.Add(-(1 << shift))
	return true
}

// lost counts the tasks of n without a mark, and finds the first.
func (m marks) lost(n int) (lost uint64, first int) {
	first = -1
	for id := range n {
		if m[id/marksAWord].Load()>>(id%marksAWord*markBits)&markMask == 0 {
			lost++
			if first < 0 {
				first = id
			}
		}
	}
	return lost, first
}
