// Package backends has queues of others as subjects:
//
//	certify run --import github.com/exactlyonce/certify/soak/subjects/backends
package backends

import (
	"sync"
	"sync/atomic"

	"github.com/gammazero/deque"
	"github.com/puzpuzpuz/xsync/v3"

	"github.com/exactlyonce/certify/queues"
)

// Backends are all of them that keep what they promise.
func Backends[E any]() []queues.Backend[*E] {
	return []queues.Backend[*E]{{
		Name:     "xsync-mpmc",
		About:    "github.com/puzpuzpuz/xsync/v3 MPMCQueueOf: a ring of slots with turns",
		Promises: queues.Promises{Order: queues.FIFO, Bounded: true, Tentative: true},
		Injector: func(o queues.Options) queues.Injector[*E] {
			return &ring[E]{queue: xsync.NewMPMCQueueOf[*E](max(o.Capacity, 1024))}
		},
	}, {
		Name:     "gammazero-deque",
		About:    "github.com/gammazero/deque under a mutex",
		Promises: queues.Promises{Order: queues.FIFO, Len: queues.LenExact},
		Injector: func(queues.Options) queues.Injector[*E] { return &guarded[E]{} },
	}}
}

// ring is bounded. Its length is counted beside it: from before an item is in until
// after it is out, so that it is 0 only when nothing is there.
type ring[E any] struct {
	queue *xsync.MPMCQueueOf[*E]
	n     atomic.Int64
}

func (r *ring[E]) Push(v *E) bool {
	r.n.Add(1)
	if r.queue.TryEnqueue(v) {
		return true
	}
	r.n.Add(-1)
	return false
}

func (r *ring[E]) PushAll(vs []*E) int {
	for i, v := range vs {
		if !r.Push(v) {
			return i
		}
	}
	return len(vs)
}

func (r *ring[E]) Pop() (*E, bool) {
	v, ok := r.queue.TryDequeue()
	if ok {
		r.n.Add(-1)
	}
	return v, ok
}

func (r *ring[E]) PopInto(dst []*E) int {
	for i := range dst {
		v, ok := r.Pop()
		if !ok {
			return i
		}
		dst[i] = v
	}
	return len(dst)
}

func (r *ring[E]) Len() int { return int(max(0, r.n.Load())) }

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

func (g *guarded[E]) PushAll(vs []*E) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, v := range vs {
		g.queue.PushBack(v)
	}
	return len(vs)
}

func (g *guarded[E]) Pop() (*E, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.queue.Len() == 0 {
		return nil, false
	}
	return g.queue.PopFront(), true
}

func (g *guarded[E]) PopInto(dst []*E) int {
	for i := range dst {
		v, ok := g.Pop()
		if !ok {
			return i
		}
		dst[i] = v
	}
	return len(dst)
}

func (g *guarded[E]) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.queue.Len()
}
