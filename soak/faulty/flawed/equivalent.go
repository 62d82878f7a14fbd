package flawed

import (
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/reports/record"
)

// Equivalent are queues that differ from the textbook as a fault would, where no order
// of the calls can show it. They are explored as the faulty ones are, and must survive:
// that they do, within the bounds, is what "equivalent" means.
func Equivalent[E any]() []Queue[*E] {
	var all []Queue[*E]
	add := func(name, deviation string, make func(queues.Options) queues.Injector[*E]) {
		all = append(all, Queue[*E]{Backend: queues.Backend[*E]{
			Name: name, About: "equivalent: " + deviation, Promises: fifo, Injector: make,
		}, Fault: deviation, Killers: []record.Reason{}, Rare: true})
	}
	add("stored-tail", "push moves tail by a store, perhaps back", func(o queues.Options) queues.Injector[*E] { return storedTail[E]{newLinked[E](o)} })
	add("unhelped", "pop lets tail lag behind head", func(o queues.Options) queues.Injector[*E] { return unhelped[E]{newLinked[E](o)} })
	return all
}

// storedTail: a push that was overtaken moves tail back. Pushes find the end from any
// node, and the collector keeps those that tail is behind.
type storedTail[E any] struct{ *linked[E] }

func (q storedTail[E]) Push(v *E) bool {
	n := &node[E]{value: v}
	for {
		tail := q.tail.Load()
		next := tail.next.Load()
		if next != nil {
			q.tail.CompareAndSwap(tail, next)
			continue
		}
		if tail.next.CompareAndSwap(nil, n) {
			q.tail.Store(n)
			return true
		}
	}
}

func (q storedTail[E]) PushAll(vs []*E) int { return pushAll(q.Push, vs) }

// unhelped: a pop takes what a push has linked and not moved tail over. Pops never look
// at tail, and pushes find the end from it.
type unhelped[E any] struct{ *linked[E] }

func (q unhelped[E]) Pop() (*E, bool) {
	for {
		head := q.head.Load()
		next := head.next.Load()
		if next == nil {
			return nil, false
		}
		if q.head.CompareAndSwap(head, next) {
			return next.value, true
		}
	}
}

func (q unhelped[E]) PopInto(d []*E) int { return popInto(q.Pop, d) }
