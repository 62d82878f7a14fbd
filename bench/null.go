package bench

import "github.com/exactlyonce/certify/queues"

// nullBackends are the rows to compare with. null gives the loop's own time:
// each goroutine that takes has its own, which hands out the items of its share
// and keeps nothing. chan is a Go channel that nobody blocks on.
func nullBackends() []queues.Backend[*Item] {
	type item = *Item
	return []queues.Backend[item]{
		{Name: "null", About: "no queue: the time of the loop", Injector: func(queues.Options) queues.Injector[item] { return &null{} }},
		{Name: "chan", About: "a Go channel", Promises: queues.Promises{Order: queues.FIFO, Bounded: true},
			Injector: func(o queues.Options) queues.Injector[item] { return channel{make(chan item, o.Capacity)} }},
		{Name: "null", About: "no queue: the time of the loop", Deque: func(queues.Options) queues.Deque[item] { return &null{} }},
		{Name: "chan", About: "a Go channel", Promises: queues.Promises{Bounded: true},
			Deque: func(o queues.Options) queues.Deque[item] { return channel{make(chan item, o.Capacity)} }},
	}
}

// null is no queue. It belongs to one goroutine.
type null struct {
	next, end int // the share that is left to hand out
	_         [64]byte
}

// apart is q as one goroutine is to see it: a null of its own.
func apart(q queues.Injector[*Item]) queues.Injector[*Item] {
	if _, ok := q.(*null); ok {
		return &null{}
	}
	return q
}

// supply tells q, if it is a null, what to hand out in this run.
func supply(q any, from, to int) {
	if z, ok := q.(*null); ok {
		z.next, z.end = from, to
	}
}

func (z *null) Push(*Item) bool { return true }

func (z *null) PushAll(vs []*Item) int { return len(vs) }

func (z *null) Pop() (*Item, bool) {
	if z.next == z.end {
		return nil, false
	}
	z.next++
	return item(z.next - 1), true
}

func (z *null) PopInto(dst []*Item) (n int) {
	for n < len(dst) {
		v, ok := z.Pop()
		if !ok {
			break
		}
		dst[n] = v
		n++
	}
	return n
}

func (z *null) Len() int { return 0 }

func (z *null) Stealer() queues.Stealer[*Item] { return &null{} }

func (z *null) Steal(dst []*Item) (n int, retry bool) { return z.PopInto(dst), false }

// channel is a Go channel as an injector, and as a deque whose owner does not
// pop the newest.
type channel struct{ c chan *Item }

func (q channel) Push(v *Item) bool {
	select {
	case q.c <- v:
		return true
	default:
		return false
	}
}

func (q channel) PushAll(vs []*Item) (n int) {
	for n < len(vs) && q.Push(vs[n]) {
		n++
	}
	return n
}

func (q channel) Pop() (*Item, bool) {
	select {
	case v := <-q.c:
		return v, true
	default:
		return nil, false
	}
}

func (q channel) PopInto(dst []*Item) (n int) {
	for n < len(dst) {
		v, ok := q.Pop()
		if !ok {
			break
		}
		dst[n] = v
		n++
	}
	return n
}

func (q channel) Len() int { return len(q.c) }

func (q channel) Stealer() queues.Stealer[*Item] { return q }

// Steal takes up to half of the items, rounded up, as other deques do.
func (q channel) Steal(dst []*Item) (n int, retry bool) {
	return q.PopInto(dst[:min(len(dst), (len(q.c)+1)/2)]), false
}
