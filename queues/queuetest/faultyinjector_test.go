package queuetest

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/mutex"
)

// pause gives the others many chances to get in between.
func pause() {
	for range 20 {
		runtime.Gosched()
	}
}

// good is what most faulty injectors are but for one method.
type good = mutex.Queue[*Item]

type dropper struct {
	*good
	n, every int
}

func (q *dropper) Push(v *Item) bool {
	if q.n++; q.n%q.every == 0 {
		return true
	}
	return q.good.Push(v)
}

type echo struct {
	*good
	last *Item
}

func (q *echo) Pop() (*Item, bool) {
	v, ok := q.good.Pop()
	if ok {
		q.last = v
	}
	return q.last, q.last != nil
}

type stack struct{ *mutex.Deque[*Item] }

func (q stack) PushAll(vs []*Item) int {
	for _, v := range vs {
		q.Push(v)
	}
	return len(vs)
}

func (q stack) PopInto(dst []*Item) (n int) {
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

type backwards struct{ *good }

func (q backwards) PopInto(dst []*Item) int {
	n := q.good.PopInto(dst)
	for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
		dst[i], dst[j] = dst[j], dst[i]
	}
	return n
}

type forgetful struct{ *good }

func (q *forgetful) Push(v *Item) bool {
	if n := q.Len(); n >= 64 && n&(n-1) == 0 {
		return true
	}
	return q.good.Push(v)
}

// modulo is right until a counter wraps, since 10 does not divide 2^32.
type modulo struct {
	slots      [10]*Item
	head, tail uint32
}

func newModulo(o queues.Options) queues.Injector[*Item] {
	return stepwise{&modulo{head: uint32(o.Start), tail: uint32(o.Start)}}
}

func (q *modulo) Push(v *Item) bool {
	if q.tail-q.head == 10 {
		return false
	}
	q.slots[q.tail%10] = v
	q.tail++
	return true
}

func (q *modulo) Pop() (*Item, bool) {
	if q.head == q.tail {
		return nil, false
	}
	q.head++
	return q.slots[(q.head-1)%10], true
}

func (q *modulo) Len() int { return int(q.tail - q.head) }

// stepwise makes an injector of an end, with batches item by item.
type stepwise struct{ end }

func (q stepwise) PushAll(vs []*Item) int {
	for i, v := range vs {
		if !q.Push(v) {
			return i
		}
	}
	return len(vs)
}

func (q stepwise) PopInto(dst []*Item) int {
	for i := range dst {
		v, ok := q.Pop()
		if !ok {
			return i
		}
		dst[i] = v
	}
	return len(dst)
}

type liar struct {
	*good
	n int
}

func (q *liar) Push(v *Item) bool {
	q.n++
	return q.n%100 != 0 && q.good.Push(v)
}

type keeper struct{ *good }

func (q keeper) Push(v *Item) bool {
	q.good.Push(v)
	return q.Len() <= 64
}

type shortLen struct{ *good }

func (q shortLen) Len() int { return max(0, min(q.good.Len(), 64)) }

type lateCount struct {
	*good
	n atomic.Int64
}

func (q *lateCount) Push(v *Item) bool {
	q.good.Push(v)
	pause()
	q.n.Add(1)
	return true
}

func (q *lateCount) Pop() (*Item, bool) {
	v, ok := q.good.Pop()
	if ok {
		q.n.Add(-1)
	}
	return v, ok
}

func (q *lateCount) Len() int { return int(q.n.Load()) }

// lossyLen does not count a batch that meets another.
type lossyLen struct {
	*good
	calls, missing atomic.Int64
}

func (q *lossyLen) PushAll(vs []*Item) int {
	before := q.calls.Load()
	pause()
	if q.calls.Add(1) != before+1 {
		q.missing.Add(int64(len(vs)))
	}
	return q.good.PushAll(vs)
}

func (q *lossyLen) Len() int { return q.good.Len() - int(q.missing.Load()) }

// hoarder keeps what it has given away, the last so many or, without a limit
// one item, as a slot does that is not cleared.
type hoarder struct {
	*good
	limit int
	mu    sync.Mutex
	kept  []*Item
}

func (q *hoarder) Pop() (*Item, bool) {
	v, ok := q.good.Pop()
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.kept) > q.limit {
		q.kept = q.kept[:0]
	}
	if ok {
		q.kept = append(q.kept, v)
	}
	return v, ok
}

type boxer struct {
	*good
	box *[]*Item
}

func (q *boxer) Push(v *Item) bool {
	q.box = &[]*Item{v}
	return q.good.Push((*q.box)[0])
}

// twoStep looks at the oldest item under the lock and takes it under another.
type twoStep struct {
	*good
	mu   sync.Mutex
	next *Item
}

func (q *twoStep) Pop() (*Item, bool) {
	q.mu.Lock()
	if q.next == nil {
		q.next, _ = q.good.Pop()
	}
	v := q.next
	q.mu.Unlock()
	if v == nil {
		return nil, false
	}
	pause()
	q.mu.Lock()
	if q.next == v {
		q.next = nil
	}
	q.mu.Unlock()
	return v, true
}

func (q *twoStep) PopInto(dst []*Item) int {
	v, ok := q.Pop()
	if !ok {
		return 0
	}
	dst[0] = v
	return 1
}

// inventor returns v, which nobody pushed, once.
type inventor struct {
	*good
	v    *Item
	done atomic.Bool
}

func (q *inventor) PopInto(dst []*Item) int {
	n := q.good.PopInto(dst)
	if n < len(dst) && n > 0 && q.done.CompareAndSwap(false, true) {
		dst[n] = q.v
		n++
	}
	return n
}

// lazy makes the queue when it is first used.
type lazy struct {
	options queues.Options
	queue   atomic.Pointer[good]
}

func (q *lazy) get() *good {
	if made := q.queue.Load(); made != nil {
		return made
	}
	made := mutex.NewQueue[*Item](q.options)
	pause()
	q.queue.Store(made) // the fault: perhaps over another one, with items
	return made
}

func (q *lazy) Push(v *Item) bool       { return q.get().Push(v) }
func (q *lazy) PushAll(vs []*Item) int  { return q.get().PushAll(vs) }
func (q *lazy) Pop() (*Item, bool)      { return q.get().Pop() }
func (q *lazy) PopInto(dst []*Item) int { return q.get().PopInto(dst) }
func (q *lazy) Len() int                { return q.get().Len() }

// swapper lets an item go ahead of the one before it when somebody pops at that
// moment. Nothing is lost, and alone it is a perfect queue.
type swapper struct {
	mu      sync.Mutex
	items   []*Item
	popping atomic.Int32
}

func newSwapper(queues.Options) queues.Injector[*Item] { return stepwise{new(swapper)} }

func (q *swapper) Push(v *Item) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, v)
	if n := len(q.items); n >= 2 && q.popping.Load() > 0 {
		q.items[n-1], q.items[n-2] = q.items[n-2], q.items[n-1]
	}
	return true
}

func (q *swapper) Pop() (*Item, bool) {
	q.popping.Add(1)
	defer q.popping.Add(-1)
	runtime.Gosched()
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return nil, false
	}
	v := q.items[0]
	q.items = q.items[1:]
	return v, true
}

func (q *swapper) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

type torn struct{ *good }

func (q torn) PopInto(dst []*Item) int {
	n := q.good.PopInto(dst[:len(dst)/2])
	pause()
	return n + q.good.PopInto(dst[n:])
}

type panicker struct{ *good }

func (q panicker) Pop() (*Item, bool) {
	v, ok := q.good.Pop()
	if !ok {
		panic("empty")
	}
	return v, ok
}

type blocker struct {
	*good
	release chan struct{}
}

func (q blocker) Pop() (*Item, bool) {
	v, ok := q.good.Pop()
	if !ok {
		<-q.release
	}
	return v, ok
}

// wall lets nothing in.
type wall struct{ *good }

func (wall) Push(*Item) bool        { return false }
func (wall) PushAll(vs []*Item) int { return 0 }
