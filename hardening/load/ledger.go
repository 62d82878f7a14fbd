package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// mark is what is known of one id: how often it ran, in the low half, and above it what
// who gave it was told.
type mark struct{ v atomic.Uint32 }

const (
	runs    = 1<<16 - 1
	given   = 1 << 16 // it was accepted
	skipped = 1 << 17 // its handle says that it was cancelled, and it had not run
)

func (m *mark) ran()          { m.v.Add(1) }
func (m *mark) give()         { m.v.Or(given) }
func (m *mark) skip()         { m.v.Or(skipped) }
func (m *mark) times() int    { return int(m.v.Load() & runs) }
func (m *mark) isGiven() bool { return m.v.Load()&given != 0 }

// kind is the door that a task came by.
type kind uint8

const (
	submitted    kind = iota // Submit
	tried                    // TrySubmit
	together                 // SubmitAll
	spawned                  // Spawn
	alone                    // Executor.Go, Executor.TryGo
	grouped                  // Group.Go
	batched                  // Group.GoAll
	lightSpawned             // Group.Spawn
	forked                   // a leaf under Fork.Both: no task of its own, but called once
	looped                   // an index of For, likewise
	kinds
)

var kindNames = [kinds]string{"Submit", "TrySubmit", "SubmitAll", "Spawn", "Go", "Group.Go", "GoAll", "Group.Spawn", "Fork.Both", "For"}

// light tells whether nobody is told of one such task that it was cancelled.
func (k kind) light() bool { return k >= alone && k <= lightSpawned }

// block is the ids of one executor after the other.
type block struct {
	marks []mark
	used  atomic.Int64

	mu    sync.Mutex
	spans []span // guarded by mu
}

// span is ids of one kind.
type span struct {
	kind  kind
	first int
	marks []mark
}

func newBlock(n int) *block { return &block{marks: make([]mark, n)} }

// reset makes it as new. Nobody may use it.
func (b *block) reset() {
	for i := range b.marks[:min(len(b.marks), int(b.used.Load()))] {
		b.marks[i].v.Store(0)
	}
	b.used.Store(0)
	b.spans = b.spans[:0]
}

// take returns n ids of a kind, and how many of the block are taken with them; nil when
// there are not so many.
func (b *block) take(k kind, n int) (marks []mark, used int) {
	used = int(b.used.Add(int64(n)))
	if used > len(b.marks) {
		return nil, used
	}
	marks = b.marks[used-n : used : used]
	b.mu.Lock()
	b.spans = append(b.spans, span{k, used - n, marks})
	b.mu.Unlock()
	return marks, used
}

// count is how many tasks of a kind were accepted, ran, and were cancelled instead.
type count struct{ given, ran, cancelled int }

func (c *count) add(d count) {
	c.given += d.given
	c.ran += d.ran
	c.cancelled += d.cancelled
}

// balance looks at each id, when all is over, and tells complain what is wrong. Light
// tasks that have not run count as cancelled if there was a Stop: whether they were is
// told by the executor's counters alone.
func (b *block) balance(stopped bool, complain func(format string, args ...any)) (by [kinds]count) {
	for _, s := range b.spans {
		c := &by[s.kind]
		for i := range s.marks {
			v := s.marks[i].v.Load()
			bad := c.enter(v, stopped && s.kind.light())
			if bad != "" {
				complain("task %d, %s: %s", s.first+i, kindNames[s.kind], bad)
			}
		}
	}
	return by
}

// enter counts one id, and says what is wrong with it.
func (c *count) enter(v uint32, mayMiss bool) (bad string) {
	n := v & runs
	if v&given == 0 {
		if n > 0 {
			return fmt.Sprintf("was refused, and ran %d times", n)
		}
		return ""
	}
	c.given++
	switch {
	case n > 1:
		bad = fmt.Sprintf("ran %d times", n)
	case n == 1 && v&skipped != 0:
		bad = "ran after it was cancelled"
	case n == 1:
		c.ran++
	case v&skipped != 0 || mayMiss:
		c.cancelled++
	default:
		bad = "was lost"
	}
	return bad
}
