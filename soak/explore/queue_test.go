package explore_test

import (
	"github.com/exactlyonce/certify/soak/explore"
	"github.com/exactlyonce/certify/soak/explore/atomic"
)

// queue is the queue of Michael and Scott, PODC 1996, figure 1, left to the
// garbage collector. fault is one of the mistakes that are made with it, or "".
type queue struct {
	head, tail atomic.Pointer[cell]
	fault      string
}

type cell struct {
	next  atomic.Pointer[cell]
	value int64
}

func newQueue(fault string) *queue {
	q, dummy := &queue{fault: fault}, new(cell)
	q.head.Store(dummy)
	q.tail.Store(dummy)
	return q
}

func (q *queue) enqueue(v int64) {
	n := &cell{value: v}
	for {
		tail := q.tail.Load()
		next := tail.next.Load()
		if tail != q.tail.Load() {
			continue
		}
		if next != nil {
			if q.fault != "enqueue does not help" {
				q.tail.CompareAndSwap(tail, next)
			}
			continue
		}
		if q.fault == "enqueue links with a store" {
			tail.next.Store(n)
		} else if !tail.next.CompareAndSwap(nil, n) {
			continue
		}
		if q.fault == "enqueue stores the tail" {
			q.tail.Store(n)
		} else {
			q.tail.CompareAndSwap(tail, n)
		}
		return
	}
}

func (q *queue) dequeue() int64 {
	for {
		head, tail := q.head.Load(), q.tail.Load()
		next := head.next.Load()
		if q.fault != "dequeue does not look at the head again" && head != q.head.Load() {
			continue
		}
		if next == nil {
			return 0
		}
		if head == tail {
			q.tail.CompareAndSwap(tail, next)
			continue
		}
		v := next.value
		if q.fault == "dequeue moves the head with a store" {
			q.head.Store(next)
			return v
		}
		if q.head.CompareAndSwap(head, next) {
			return v
		}
	}
}

// mix is a program: each thread has a word, E for enqueue and D for dequeue.
func mix(fault string, words ...string) func(*explore.T) {
	return func(t *explore.T) {
		q := newQueue(fault)
		t.Name("queue", q)
		got := make([][]int64, len(words))
		pushed := int64(0)
		for i, word := range words {
			for _, op := range word {
				if op == 'E' {
					pushed++
				}
			}
			value := pushed // of the thread's last E
			t.Go(func() {
				for _, op := range word {
					if op == 'E' {
						q.enqueue(value)
						value--
					} else {
						got[i] = append(got[i], q.dequeue())
					}
				}
			})
		}
		t.Check(func() error { return once(pushed, got, q.dequeue) })
	}
}
