package executor

import "sync/atomic"

// Light tasks from outside enter in batches. A worker takes a whole one, copies it to
// its shelf, and from then on each task is claimed by one atomic step, the owner's and a
// thief's alike: nobody hides any.
//
//	owner                                   thief
//	1. copy a batch to a row that is spent
//	2. left = n; show the row               1. load the row
//	3. left - 1 ≥ 0: claimed                2. left - 1 ≥ 0: claimed
//	                                        3. read the task; returned + 1
//	4. left < 0, and returned has all that
//	   thieves claimed: the row is spent
//
// A thief that is late may claim from what has come into a row since it saw it. That
// holds too: left is above 0 only while the row is full, and shown.
//
// The copy costs less than it saves. A batch comes from another processor's cache: all
// at once its lines' ways overlap, between the locked steps of claims each is waited for.

// row is the tasks on a shelf.
type row struct {
	// left counts down: owner and thieves subtract, the owner stores n.
	// Invariant: tasks[n-left:n] is nobody's yet, while left > 0.
	left atomic.Int64
	// returned is how many tasks thieves have read. They add to it after the last use
	// of the row; the owner loads it before it fills the row again.
	returned atomic.Int64
	n        int // written by the owner before left, read by who has claimed
	tasks    [batchMax - 1]Task
}

// claim takes the oldest task that is nobody's into t.
func (r *row) claim(t *Task) bool {
	if r.left.Load() <= 0 { // a look costs less than the step
		return false
	}
	left := r.left.Add(-1) // acquires what fill published
	if left < 0 {
		return false
	}
	at := &r.tasks[r.n-1-int(left)]
	*t, *at = *at, Task{}
	return true
}

// shelf is where a place has its row. Its owner is who has the place.
type shelf struct {
	row atomic.Pointer[row] // written by the owner; nil before the first
	own int                 // how many of the row the owner has claimed

	// bare: the place's deque may hold no branch, and the next fork publishes one. The
	// owner clears it before it pushes a branch and sets it when it has one back, and
	// thieves set it after each theft: see emptied. In place of a look at the deque's length it
	// saves a fork 1.8 ns of 9.
	// Invariant: bare, or a branch is in the deque, or who has it is about to set bare.
	bare atomic.Bool
	_    [108]byte
}

// emptied tells the owner's next fork that something was taken from its deque.
func (s *shelf) emptied() {
	if !s.bare.Load() { // mostly it is, and the line is the owner's
		s.bare.Store(true) // after it was taken; pairs with the load in Both
	}
}

// fill moves a batch to the shelf, which is empty.
func (s *shelf) fill(b *batch) {
	r := s.row.Load()
	if r == nil || r.returned.Load() != int64(r.n-s.own) { // or a thief is slow
		r = new(row)
	}
	copy(r.tasks[:], b.tasks[:b.n])
	clear(b.tasks[:b.n])
	r.n, s.own = b.n, 0
	r.returned.Store(0)
	r.left.Store(int64(r.n)) // publishes the tasks; pairs with the claims
	s.row.Store(r)
}

// take claims for the owner.
func (s *shelf) take(t *Task) bool {
	r := s.row.Load()
	if r == nil || !r.claim(t) {
		return false
	}
	s.own++
	return true
}

// any tells whether something is there to claim.
func (s *shelf) any() bool {
	r := s.row.Load()
	return r != nil && r.left.Load() > 0
}

// steal claims for somebody else.
func (s *shelf) steal(t *Task) bool {
	r := s.row.Load()
	if r == nil || !r.claim(t) {
		return false
	}
	r.returned.Add(1) // releases the row; pairs with the load in fill
	return true
}

// batch is some light tasks in a row, and belongs to one goroutine at a time.
type batch struct {
	tasks [batchMax - 1]Task
	n     int
	link  *batch
}

// entrance is the batches that no worker has taken yet, oldest first.
type entrance struct {
	first, last *batch // nil when empty
	n           int    // tasks
	free        *batch // kept for use again
	kept, keep  int    // how many, and how many at most
}

// push puts a task behind all.
func (q *entrance) push(fn Func, arg any, g *Group) {
	b := q.last
	if b == nil || b.n == len(b.tasks) {
		b = q.append()
	}
	t := &b.tasks[b.n]
	t.fn, t.arg, t.group = fn, arg, g
	b.n++
	q.n++
}

// append puts an empty batch behind the last.
func (q *entrance) append() *batch {
	b := q.free
	if b == nil {
		b = new(batch)
	} else {
		q.free, b.link = b.link, nil
		clear(b.tasks[:]) // they are clear, but in the cache of who took them last
		b.n = 0
		q.kept--
	}
	if q.last == nil {
		q.first = b
	} else {
		q.last.link = b
	}
	q.last = b
	return b
}

// pop takes the oldest batch out, full or not, or returns nil.
func (q *entrance) pop() *batch {
	b := q.first
	if b == nil {
		return nil
	}
	if q.first = b.link; q.first == nil {
		q.last = nil
	}
	b.link = nil
	q.n -= b.n
	return b
}

// put takes a batch back.
func (q *entrance) put(b *batch) {
	if b != nil && q.kept < q.keep {
		b.link, q.free = q.free, b
		q.kept++
	}
}
