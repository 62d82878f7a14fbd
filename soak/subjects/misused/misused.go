// Package misused has queues of others used as they are not meant to be, or for what
// they do not keep, which a run must find out:
//
//	certify run --import github.com/exactlyonce/certify/soak/subjects/misused
package misused

import (
	"github.com/gammazero/deque"
	"github.com/panjf2000/gnet/v2/pkg/queue"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/soak"
)

// Backends are all of them.
func Backends[E any]() []queues.Backend[*E] {
	fifo := queues.Promises{Order: queues.FIFO}
	return []queues.Backend[*E]{
		soak.OfQueue("gammazero-deque-unguarded", "github.com/gammazero/deque, which is for one goroutine, by many",
			fifo, func(queues.Options) soak.Queue[*E] { return &unguarded[E]{} }),
		soak.OfQueue("gnet-length", "github.com/panjf2000/gnet/v2 lock-free queue, with its own Length",
			fifo, func(queues.Options) soak.Queue[*E] { return gauged[E]{queue.NewLockFreeQueue()} }),
	}
}

type unguarded[E any] struct{ deque.Deque[*E] }

func (u *unguarded[E]) Push(v *E) bool { u.PushBack(v); return true }

func (u *unguarded[E]) Pop() (*E, bool) {
	if u.Len() == 0 {
		return nil, false
	}
	return u.PopFront(), true
}

// gauged counts an item only once it is in, so that who takes it before may count
// first: its length is negative then, and may be 0 while items are there.
type gauged[E any] struct{ queue.AsyncTaskQueue }

func (g gauged[E]) Push(v *E) bool { g.Enqueue(&queue.Task{Param: v}); return true }

func (g gauged[E]) Pop() (*E, bool) {
	if t := g.Dequeue(); t != nil {
		return t.Param.(*E), true
	}
	return nil, false
}

func (g gauged[E]) Len() int { return int(g.Length()) }
