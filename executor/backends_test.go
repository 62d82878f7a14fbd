package executor_test

import (
	"sync"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues"
)

// box is the plainest queue there is, with a bound and with hooks, so that a
// test can hold a worker at a certain step.
type box struct {
	room int // 0: no bound
	hooks

	mu    sync.Mutex
	items []*executor.Task // guarded by mu
}

// hooks are called outside the lock. Any may be nil.
type hooks struct {
	pushing func() // before a push
	refused func() // after a push that was refused
	taking  func() // before anything is taken but by the owner
	stolen  func() // after a thief has taken something
	missed  func() // after a thief has found nothing
}

func call(f func()) {
	if f != nil {
		f()
	}
}

func (b *box) Push(t *executor.Task) bool {
	call(b.pushing)
	b.mu.Lock()
	full := b.room > 0 && len(b.items) == b.room
	if !full {
		b.items = append(b.items, t)
	}
	b.mu.Unlock()
	if full {
		call(b.refused)
	}
	return !full
}

func (b *box) PushAll(ts []*executor.Task) int {
	for i, t := range ts {
		if !b.Push(t) {
			return i
		}
	}
	return len(ts)
}

func (b *box) PopInto(dst []*executor.Task) int {
	call(b.taking)
	b.mu.Lock()
	defer b.mu.Unlock()
	n := copy(dst, b.items)
	clear(b.items[:n])
	b.items = b.items[n:]
	return n
}

func (b *box) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.items)
}

func (b *box) Steal(dst []*executor.Task) (n int, retry bool) {
	if n = b.PopInto(dst); n > 0 {
		call(b.stolen)
	} else {
		call(b.missed)
	}
	return n, false
}

type boxInjector struct{ box }

func (b *boxInjector) Pop() (*executor.Task, bool) {
	var one [1]*executor.Task
	n := b.PopInto(one[:])
	return one[0], n == 1
}

type boxDeque struct{ box }

func (b *boxDeque) Stealer() queues.Stealer[*executor.Task] { return b }

func (b *boxDeque) Pop() (*executor.Task, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	last := len(b.items) - 1
	if last < 0 {
		return nil, false
	}
	t := b.items[last]
	b.items[last] = nil
	b.items = b.items[:last]
	return t, true
}

func injectorOf(room int, h hooks) queues.Backend[*executor.Task] {
	return queues.Backend[*executor.Task]{
		Name: "box", Promises: queues.Promises{Bounded: room > 0, Order: queues.FIFO, AtomicBatch: true},
		Injector: func(queues.Options) queues.Injector[*executor.Task] { return &boxInjector{box{room: room, hooks: h}} },
	}
}

func dequeOf(room int, h hooks) queues.Backend[*executor.Task] {
	return queues.Backend[*executor.Task]{
		Name: "box", Promises: queues.Promises{Bounded: room > 0, Order: queues.OwnerLIFO, AtomicBatch: true},
		Deque: func(queues.Options) queues.Deque[*executor.Task] { return &boxDeque{box{room: room, hooks: h}} },
	}
}
