package soak

import (
	"sync/atomic"

	"github.com/exactlyonce/certify/queues"
)

// Queue is the least that an injector must be. Its methods may be called from any
// goroutine. What they mean is said at queues.Injector.
//
// One that has Len() int too is held to it: never negative, and 0 only when nothing
// is there. For one that has not it is counted, which orders some of its calls for the
// race detector, and may hide a race.
type Queue[T any] interface {
	Push(T) bool
	Pop() (T, bool)
}

// OfQueue makes a back end of queues that take one item at a time.
func OfQueue[T any](name, about string, promises queues.Promises, open func(queues.Options) Queue[T]) queues.Backend[T] {
	return queues.Backend[T]{Name: name, About: about, Promises: promises, Injector: func(o queues.Options) queues.Injector[T] {
		q := open(o)
		if sized, ok := q.(sized[T]); ok {
			return single[T]{sized}
		}
		return single[T]{&counted[T]{queue: q}}
	}}
}

type sized[T any] interface {
	Queue[T]
	Len() int
}

// single is a Queue as an injector: a batch is one call after the other.
type single[T any] struct{ sized[T] }

func (s single[T]) PushAll(vs []T) int {
	for i, v := range vs {
		if !s.Push(v) {
			return i
		}
	}
	return len(vs)
}

func (s single[T]) PopInto(dst []T) int {
	for i := range dst {
		v, ok := s.Pop()
		if !ok {
			return i
		}
		dst[i] = v
	}
	return len(dst)
}

// counted counts an item from before it is in until after it is out, so that the
// count is 0 only when nothing is there.
type counted[T any] struct {
	queue Queue[T]
	n     atomic.Int64
}

func (c *counted[T]) Push(v T) bool {
	c.n.Add(1)
	ok := c.queue.Push(v)
	if !ok {
		c.n.Add(-1)
	}
	return ok
}

func (c *counted[T]) Pop() (v T, ok bool) {
	if v, ok = c.queue.Pop(); ok {
		c.n.Add(-1)
	}
	return v, ok
}

func (c *counted[T]) Len() int { return int(c.n.Load()) }
