package flawed

import (
	"runtime"
	"sync/atomic"

	"github.com/exactlyonce/certify/queues"
)

// resetTag is the queue of Michael and Scott with nodes that are used again. Words are
// a node and a tag, so that who was held up finds that a word has changed though it
// names the node it did. But a node's link begins with the same tag each time: who was
// held up with that link links its own node behind one that another thread has taken
// and not linked yet. What is pushed next overtakes it; nothing is lost.
type resetTag[E any] struct {
	nodes            [tagged]taggedNode[E] // number 0 is nobody
	head, tail, free atomic.Uint64         // words
	items            atomic.Int64
}

type taggedNode[E any] struct {
	value atomic.Pointer[E]
	next  atomic.Uint64 // a word
	below atomic.Uint64 // a number: of those that are free
}

const (
	tagged   = 130 // nodes
	tagShift = 16
)

func nodeOf(word uint64) uint64 { return word & (1<<tagShift - 1) }

// after is the word that comes after another one, and names n.
func after(word, n uint64) uint64 { return (word>>tagShift+1)<<tagShift | n }

func newResetTag[E any](queues.Options) *resetTag[E] {
	q := &resetTag[E]{}
	for n := uint64(2); n < tagged; n++ {
		q.release(n)
	}
	q.head.Store(1)
	q.tail.Store(1)
	return q
}

func (q *resetTag[E]) release(n uint64) {
	for {
		free := q.free.Load()
		q.nodes[n].below.Store(nodeOf(free))
		if q.free.CompareAndSwap(free, after(free, n)) {
			return
		}
	}
}

func (q *resetTag[E]) alloc() uint64 {
	for {
		free := q.free.Load()
		n := nodeOf(free)
		if n == 0 || q.free.CompareAndSwap(free, after(free, q.nodes[n].below.Load())) {
			return n
		}
	}
}

func (q *resetTag[E]) Push(v *E) bool {
	n := q.alloc()
	if n == 0 {
		return false
	}
	q.items.Add(1)
	q.nodes[n].value.Store(v)
	q.nodes[n].next.Store(0) // the fault: its tag is to go on
	for {
		tail := q.tail.Load()
		end := &q.nodes[nodeOf(tail)].next
		next := end.Load()
		if q.tail.Load() != tail {
			continue
		}
		if nodeOf(next) != 0 {
			q.tail.CompareAndSwap(tail, after(tail, nodeOf(next)))
			continue
		}
		for i := n % 4 * 5; i < 15; i++ { // for the end to come round
			runtime.Gosched()
		}
		if end.CompareAndSwap(next, after(next, n)) {
			q.tail.CompareAndSwap(tail, after(tail, n))
			return true
		}
	}
}

func (q *resetTag[E]) Pop() (*E, bool) {
	for {
		head, tail := q.head.Load(), q.tail.Load()
		next := nodeOf(q.nodes[nodeOf(head)].next.Load())
		if q.head.Load() != head {
			continue
		}
		if next == 0 {
			return nil, false
		}
		if nodeOf(head) == nodeOf(tail) {
			q.tail.CompareAndSwap(tail, after(tail, next))
			continue
		}
		v := q.nodes[next].value.Load()
		if q.head.CompareAndSwap(head, after(head, next)) {
			q.items.Add(-1)
			q.release(nodeOf(head))
			return v, true
		}
	}
}

func (q *resetTag[E]) Len() int            { return int(q.items.Load()) }
func (q *resetTag[E]) PushAll(vs []*E) int { return pushAll(q.Push, vs) }
func (q *resetTag[E]) PopInto(d []*E) int  { return popInto(q.Pop, d) }
