package soak_test

import (
	"sync"
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/queuetest"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
)

// slice is a queue as people write them. With forgets it loses an item now and then.
type slice[T any] struct {
	mu      sync.Mutex
	items   []T
	n       int
	most    int
	forgets bool
}

func (s *slice[T]) Push(v T) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most > 0 && len(s.items) == s.most {
		return false
	}
	if s.n++; !s.forgets || s.n%1000 != 0 {
		s.items = append(s.items, v)
	}
	return true
}

func (s *slice[T]) Pop() (v T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.items) == 0 {
		s.items = nil // a burst is over
		return v, false
	}
	v, s.items[0] = s.items[0], v
	s.items = s.items[1:]
	return v, true
}

// counting is a slice that tells its length: off by some.
type counting[T any] struct {
	slice[T]
	off int
}

func (c *counting[T]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.items) + c.off
}

func ofSlice[T any](s func() soak.Queue[T], p queues.Promises) queues.Backend[T] {
	return soak.OfQueue("slice", "a slice under a lock", p, func(queues.Options) soak.Queue[T] { return s() })
}

// What OfQueue adds keeps the contract.
func TestOfQueueConforms(t *testing.T) {
	plain := func() soak.Queue[*queuetest.Item] { return &slice[*queuetest.Item]{} }
	full := func() soak.Queue[*queuetest.Item] { return &slice[*queuetest.Item]{most: 64} }
	sized := func() soak.Queue[*queuetest.Item] { return &counting[*queuetest.Item]{} }
	t.Run("counted", func(t *testing.T) {
		queuetest.Run(t, queuetest.Config{}, ofSlice(plain, queues.Promises{Order: queues.FIFO}))
	})
	t.Run("bounded", func(t *testing.T) {
		queuetest.Run(t, queuetest.Config{}, ofSlice(full, queues.Promises{Order: queues.FIFO, Bounded: true}))
	})
	t.Run("sized", func(t *testing.T) {
		queuetest.Run(t, queuetest.Config{}, ofSlice(sized, queues.Promises{Order: queues.FIFO, Len: queues.LenExact}))
	})
}

// What is wrong with a queue is not hidden by what OfQueue adds.
func TestOfQueueIsJudged(t *testing.T) {
	for _, f := range []struct {
		name string
		make func() soak.Queue[item]
		want record.Reason
	}{
		{"loses", func() soak.Queue[item] { return &slice[item]{forgets: true} }, record.Lost},
		{"miscounts", func() soak.Queue[item] { return &counting[item]{off: 1} }, record.Contract},
		{"negative", func() soak.Queue[item] { return &counting[item]{off: -1} }, record.Contract},
	} {
		t.Run(f.name, func(t *testing.T) {
			stress.Watchdog(t)
			drill, e := bareSubject(t, ofSlice(f.make, queues.Promises{Order: queues.FIFO}))
			o := killed(t, e, soak.Spec{Drill: drill, Tasks: queueTasks(), Batch: 1000, Workers: 3, Seed: stress.Seed(t)})
			if o.Verdict != record.Failed || o.Reason != f.want {
				t.Errorf("%s (%s), want FAILED (%s)\n%s", o.Verdict, o.Reason, f.want, o.Detail)
			}
		})
	}
}
