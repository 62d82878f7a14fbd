// Package sharded is an injector of several queues, each under a lock of its own: who
// pushes takes any of them, who pops looks at a mask of those that hold something.
//
//	mask   0 1 0 1
//	         |   |
//	shard  . i . i i i      a list of chunks under a mutex
//
// With one shard, which is what a machine of up to 8 processors gets, it is a FIFO
// queue. With more it is a bag: the lock of one would be what all wait for.
//
// Promises: unbounded, an exact Len, batches under one lock, no allocation while the
// number of items stays in the same range, no reference to items taken.
//
// Non-goals: progress while a goroutine is held up that holds a lock.
//
// Source: the sharded inject queue with a mask of Tokio (tokio-rs/tokio, pull request
// 8483); chunks are those of crossbeam's SegQueue, without their being lock-free.
package sharded

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/chunk"
)

// Injector is the queue. Make one with [New].
type Injector[T any] struct {
	shards []shard[T]
	_      [104]byte // read by all; what follows is written

	// mask has a bit for each shard that holds something. It is written under the
	// shard's lock, where the shard becomes empty or ceases to be.
	// Invariant: bit i = (shards[i].items.Len() > 0) whenever the lock of shard i is free.
	mask atomic.Uint64
	_    [120]byte
}

// shard is a queue under a lock.
type shard[T any] struct {
	mu    sync.Mutex
	items chunk.List[T] // guarded by mu
	_     [56]byte      // the next shard's
}

const (
	keep = 64 // chunks of all shards for use again: 32 KiB of pointers

	// perShard is how many processors one shard is for, and shardsMax how many
	// shards there are at most; see DECISIONS.md, of machines with many cores.
	perShard  = 8
	shardsMax = 8
)

// New returns an empty injector of that many shards; 0 means what the machine's
// number of processors asks for. It panics below 0 and above 64, and if o.Capacity is
// negative.
func New[T any](o queues.Options, shards int) *Injector[T] {
	if o.Capacity < 0 {
		panic(fmt.Sprintf("sharded: capacity %d is negative", o.Capacity))
	}
	if shards < 0 || shards > 64 {
		panic(fmt.Sprintf("sharded: %d shards: want 0 to 64", shards))
	}
	if shards == 0 {
		shards = usual()
	}
	q := &Injector[T]{shards: make([]shard[T], shards)}
	for i := range q.shards {
		q.shards[i].items = chunk.New[T](keep / shards)
	}
	return q
}

// usual is the number of shards for this machine.
func usual() int { return min((runtime.NumCPU()+perShard-1)/perShard, shardsMax) }

// Backends lists this package's back end, with as many shards as this machine asks
// for: its order depends on that.
func Backends[E any]() []queues.Backend[*E] {
	p := queues.Promises{Reclaim: queues.ReclaimReuse, Len: queues.LenQuiescent}
	if usual() == 1 {
		p.Order, p.Len, p.AtomicBatch = queues.FIFO, queues.LenExact, true
	}
	return []queues.Backend[*E]{{
		Name:     "sharded",
		About:    "lists of chunks under sharded mutexes, with a mask of those that hold something",
		Promises: p,
		Injector: func(o queues.Options) queues.Injector[*E] { return New[*E](o, 0) },
	}}
}

// pick is a shard to push to.
func (q *Injector[T]) pick() int {
	if len(q.shards) == 1 {
		return 0
	}
	return int(rand.Uint64N(uint64(len(q.shards))))
}

// Push adds v and returns true.
func (q *Injector[T]) Push(v T) bool {
	i := q.pick()
	s := &q.shards[i]
	s.mu.Lock()
	s.items.Push(v)
	if s.items.Len() == 1 {
		q.mask.Or(1 << i)
	}
	s.mu.Unlock()
	return true
}

// PushAll adds all of vs to one shard and returns their number.
func (q *Injector[T]) PushAll(vs []T) int {
	if len(vs) == 0 {
		return 0
	}
	i := q.pick()
	s := &q.shards[i]
	s.mu.Lock()
	for _, v := range vs {
		s.items.Push(v)
	}
	if s.items.Len() == len(vs) {
		q.mask.Or(1 << i)
	}
	s.mu.Unlock()
	return len(vs)
}

// Pop takes the oldest item of a shard.
func (q *Injector[T]) Pop() (v T, ok bool) {
	var one [1]T
	if q.PopInto(one[:]) == 0 {
		return v, false
	}
	return one[0], true
}

// PopInto takes up to len(dst) items of one shard, oldest first. It looks at the mask
// without a lock, so that those who find nothing are in nobody's way.
func (q *Injector[T]) PopInto(dst []T) int {
	if len(dst) == 0 {
		return 0
	}
	for {
		mask := q.mask.Load() // 0: no shard held anything at that moment
		if mask == 0 {
			return 0
		}
		i := bits.TrailingZeros64(mask)
		if len(q.shards) > 1 {
			i = next(mask, q.pick())
		}
		if n := q.popFrom(i, dst); n > 0 {
			return n
		}
	}
}

// next is the first bit of mask from i on, going round.
func next(mask uint64, i int) int {
	if above := mask >> i; above != 0 {
		return i + bits.TrailingZeros64(above)
	}
	return bits.TrailingZeros64(mask)
}

func (q *Injector[T]) popFrom(i int, dst []T) int {
	s := &q.shards[i]
	s.mu.Lock()
	n := s.items.PopInto(dst)
	if n > 0 && s.items.Len() == 0 {
		q.mask.And(^uint64(1 << i))
	}
	s.mu.Unlock()
	return n
}

// Len is the number of items, one shard after the other.
func (q *Injector[T]) Len() (n int) {
	if q.mask.Load() == 0 {
		return 0
	}
	for i := range q.shards {
		s := &q.shards[i]
		s.mu.Lock()
		n += s.items.Len()
		s.mu.Unlock()
	}
	return n
}
