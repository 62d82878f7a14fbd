// Package misused has queues of others used as they are not meant to be, which a run
// must find out:
//
//	certify run --import github.com/exactlyonce/certify/soak/subjects/misused
package misused

import (
	"github.com/gammazero/deque"

	"github.com/exactlyonce/certify/queues"
)

// Backends are all of them.
func Backends[E any]() []queues.Backend[*E] {
	return []queues.Backend[*E]{{
		Name:     "gammazero-deque-unguarded",
		About:    "github.com/gammazero/deque, which is for one goroutine, by many",
		Promises: queues.Promises{Order: queues.FIFO},
		Injector: func(queues.Options) queues.Injector[*E] { return &unguarded[E]{} },
	}}
}

type unguarded[E any] struct{ queue deque.Deque[*E] }

func (u *unguarded[E]) Push(v *E) bool { u.queue.PushBack(v); return true }

func (u *unguarded[E]) PushAll(vs []*E) int {
	for _, v := range vs {
		u.queue.PushBack(v)
	}
	return len(vs)
}

func (u *unguarded[E]) Pop() (*E, bool) {
	if u.queue.Len() == 0 {
		return nil, false
	}
	return u.queue.PopFront(), true
}

func (u *unguarded[E]) PopInto(dst []*E) int {
	for i := range dst {
		v, ok := u.Pop()
		if !ok {
			return i
		}
		dst[i] = v
	}
	return len(dst)
}

func (u *unguarded[E]) Len() int { return u.queue.Len() }
