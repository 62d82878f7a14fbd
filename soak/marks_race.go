//go:build race

package soak

// marks hold a byte a task, which is plain under the race detector: tasks that mark
// one atomic word are ordered by it, and what a subject leaves unordered between them
// would not be seen. Nothing else writes the byte of a task, so that one which two
// goroutines run at once is a data race here.
type marks []bool

func newMarks(n int) marks { return make(marks, n) }

func (m marks) set(id int) (again bool) {
	if m[id] {
		return true // and is not written: it may be late, when the marks are counted
	}
	m[id] = true
	return false
}

func (m marks) lost(n int) (lost uint64, first int) {
	first = -1
	for id := range n {
		if !m[id] {
			lost++
			if first < 0 {
				first = id
			}
		}
	}
	return lost, first
}
