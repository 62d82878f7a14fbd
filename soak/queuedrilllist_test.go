package soak_test

import (
	"runtime"
	"slices"
	"sync"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues"
)

type item = *executor.Task

// list is an injector and a deque: a slice under a lock. Its hooks make it faulty:
// each is asked with the lock held, and n is how often it was asked.
type list struct {
	mu       sync.Mutex
	items    []item
	capacity int // 0 is no bound
	asked    map[string]int
	faults   faultyList
}

// faultyList are the faults. Those that are a number strike at each so manieth call.
type faultyList struct {
	loses, refuses, overfills, repeats, invents, denies, wrongEnd, aborts, miscounts int
	halves                                                                           bool // a batch is taken in two steps
	reverses                                                                         bool // a batch is in the wrong order
	stealNew                                                                         bool // a thief takes the newest
	boasts                                                                           int  // a batch is said to be larger than its room
	denyThief                                                                        int
}

func (l *list) strikes(what string, each int) bool {
	if each == 0 {
		return false
	}
	l.asked[what]++
	return l.asked[what]%each == 0
}

func newList(capacity int, f faultyList) *list {
	return &list{capacity: capacity, faults: f, asked: map[string]int{}}
}

func (l *list) Push(v item) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.push(v)
}

func (l *list) push(v item) bool {
	if l.strikes("refuse", l.faults.refuses) {
		return false
	}
	full := l.capacity > 0 && len(l.items) >= l.capacity
	if full && !l.strikes("overfill", l.faults.overfills) {
		return false
	}
	if !l.strikes("lose", l.faults.loses) {
		l.items = append(l.items, v)
	}
	return true
}

func (l *list) PushAll(vs []item) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, v := range vs {
		if !l.push(v) {
			return i
		}
	}
	return len(vs)
}

// take takes the item at i.
func (l *list) take(i int) (item, bool) {
	if l.strikes("invent", l.faults.invents) {
		return new(executor.Task), true
	}
	if len(l.items) == 0 || l.strikes("deny", l.faults.denies) {
		return nil, false
	}
	v := l.items[i]
	if !l.strikes("repeat", l.faults.repeats) {
		l.items = slices.Delete(l.items, i, i+1)
	}
	return v, true
}

func (l *list) oldest(dst []item) (n int) {
	for n < len(dst) {
		i := 0
		if len(l.items) > 1 && l.strikes("end", l.faults.wrongEnd) {
			i = len(l.items) - 1
		}
		v, ok := l.take(i)
		if !ok {
			break
		}
		dst[n] = v
		n++
		if l.faults.halves && n == 1 {
			l.mu.Unlock()
			runtime.Gosched()
			l.mu.Lock()
		}
	}
	if l.faults.reverses {
		slices.Reverse(dst[:n])
	}
	return n
}

func (l *list) Pop() (item, bool) {
	var one [1]item
	n := l.PopInto(one[:])
	return one[0], n == 1
}

func (l *list) PopInto(dst []item) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.boast(l.oldest(dst), len(dst))
}

// boast makes more of the n items of a batch.
func (l *list) boast(n, room int) int {
	if room > 1 && n > 0 && l.strikes("boast", l.faults.boasts) {
		return room + 1
	}
	return n
}

func (l *list) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.strikes("count", l.faults.miscounts) {
		return len(l.items) + 1
	}
	return len(l.items)
}

// stack is list as a deque.
type stack struct{ *list }

func (s stack) Pop() (item, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := len(s.items) - 1
	if s.strikes("end", s.faults.wrongEnd) {
		i = 0
	}
	return s.take(i)
}

func (s stack) Stealer() queues.Stealer[item] { return robber(s) }

type robber struct{ *list }

func (r robber) Steal(dst []item) (int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.strikes("abort", r.faults.aborts):
		return 0, true
	case r.strikes("deny thief", r.faults.denyThief):
		return 0, false
	case r.faults.stealNew && len(r.items) > 1:
		v, _ := r.take(len(r.items) - 1)
		dst[0] = v
		return 1, false
	}
	wrongEnd := r.faults.wrongEnd // the owner's
	r.faults.wrongEnd = 0
	n := r.oldest(dst[:min(len(dst), (len(r.items)+1)/2)])
	r.faults.wrongEnd = wrongEnd
	return r.boast(n, len(dst)), false
}

// channel is a bounded injector in a few lines that everybody trusts.
type channel chan item

func (c channel) Push(v item) bool {
	select {
	case c <- v:
		return true
	default:
		return false
	}
}

func (c channel) PushAll(vs []item) int {
	for i, v := range vs {
		if !c.Push(v) {
			return i
		}
	}
	return len(vs)
}

func (c channel) Pop() (v item, ok bool) {
	select {
	case v = <-c:
		return v, true
	default:
		return nil, false
	}
}

func (c channel) PopInto(dst []item) (n int) {
	for n < len(dst) {
		v, ok := c.Pop()
		if !ok {
			break
		}
		dst[n] = v
		n++
	}
	return n
}

func (c channel) Len() int { return len(c) }

func injectorOf(p queues.Promises, f faultyList) queues.Backend[item] {
	return queues.Backend[item]{Name: "list", Promises: p, Injector: func(o queues.Options) queues.Injector[item] {
		if !p.Bounded {
			o.Capacity = 0
		}
		return newList(o.Capacity, f)
	}}
}

func dequeOf(p queues.Promises, f faultyList) queues.Backend[item] {
	return queues.Backend[item]{Name: "list", Promises: p, Deque: func(queues.Options) queues.Deque[item] {
		return stack{newList(0, f)}
	}}
}
