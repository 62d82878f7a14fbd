// Package backends has queues of others as subjects:
//
//	certify run --import github.com/exactlyonce/certify/soak/subjects/backends
package backends

import (
	"sync"
	"time"

	ring "github.com/Workiva/go-datastructures/queue"
	"github.com/gammazero/deque"
	list "github.com/panjf2000/gnet/v2/pkg/queue"
	"github.com/puzpuzpuz/xsync/v3"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/soak"
)

// Backends are all of them that keep what they promise.
func Backends[E any]() []queues.Backend[*E] {
	slots := queues.Promises{Order: queues.FIFO, Bounded: true, Tentative: true}
	return []queues.Backend[*E]{
		soak.OfQueue("xsync-mpmc", "github.com/puzpuzpuz/xsync/v3 MPMCQueueOf: a ring of slots with turns",
			slots, func(o queues.Options) soak.Queue[*E] {
				return mpmc[E]{xsync.NewMPMCQueueOf[*E](max(o.Capacity, 1024))}
			}),
		soak.OfQueue("workiva-ring", "github.com/Workiva/go-datastructures RingBuffer, by Offer and Poll",
			slots, func(o queues.Options) soak.Queue[*E] {
				return offers[E]{ring.NewRingBuffer(uint64(max(o.Capacity, 1024)))}
			}),
		soak.OfQueue("gnet-list", "github.com/panjf2000/gnet/v2 lock-free queue of Michael and Scott, without its Length",
			queues.Promises{Order: queues.FIFO, Progress: queues.LockFree}, func(queues.Options) soak.Queue[*E] {
				return tasks[E]{list.NewLockFreeQueue()}
			}),
		soak.OfQueue("gammazero-deque", "github.com/gammazero/deque under a mutex",
			queues.Promises{Order: queues.FIFO, Len: queues.LenExact}, func(queues.Options) soak.Queue[*E] {
				return &guarded[E]{}
			}),
	}
}

type mpmc[E any] struct{ *xsync.MPMCQueueOf[*E] }

func (q mpmc[E]) Push(v *E) bool  { return q.TryEnqueue(v) }
func (q mpmc[E]) Pop() (*E, bool) { return q.TryDequeue() }

type offers[E any] struct{ ring *ring.RingBuffer }

func (q offers[E]) Push(v *E) bool {
	ok, err := q.ring.Offer(v)
	return ok && err == nil
}

func (q offers[E]) Pop() (*E, bool) {
	v, err := q.ring.Poll(time.Nanosecond) // 0 would wait
	if err != nil {
		return nil, false
	}
	return v.(*E), true
}

type tasks[E any] struct{ list list.AsyncTaskQueue }

func (q tasks[E]) Push(v *E) bool {
	q.list.Enqueue(&list.Task{Param: v})
	return true
}

func (q tasks[E]) Pop() (*E, bool) {
	if t := q.list.Dequeue(); t != nil {
		return t.Param.(*E), true
	}
	return nil, false
}

// guarded is a queue for one goroutine, made safe by a lock.
type guarded[E any] struct {
	mu    sync.Mutex
	queue deque.Deque[*E]
}

func (g *guarded[E]) Push(v *E) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.queue.PushBack(v)
	return true
}

func (g *guarded[E]) Pop() (*E, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.queue.Len() == 0 {
		return nil, false
	}
	return g.queue.PopFront(), true
}

func (g *guarded[E]) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.queue.Len()
}
