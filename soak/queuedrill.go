package soak

import (
	"runtime"
	"sync/atomic"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues"
)

// handsMax is how many producers, consumers or thieves there are at most.
const handsMax = 8

// bareInjector: producers and consumers on the bare injector, as many of each as
// the seed says in each batch, up to the number of workers.
func (t *trial) bareInjector() {
	backend, _ := t.subject.(queued).Queues()
	most := min(max(2, t.subject.Workers()), handsMax)
	h := t.newHistory(backend, 2*most)
	if backend.Promises.Bounded {
		h.fill(backend)
	}
	q := backend.Injector(h.options())
	t.batches(func(base, n int) {
		if h.rng.IntN(2) == 0 {
			h.leave(q)
			q = backend.Injector(h.options())
		}
		producers, consumers := 1+h.rng.IntN(most), 1+h.rng.IntN(most)
		var working atomic.Int32 // producers; consumers leave when it is 0 and nothing is left
		working.Store(int32(producers))
		var push, take []func()
		for i := range producers {
			push = append(push, func() {
				h.hands[i].produce(q, base, n*i/producers, n*(i+1)/producers)
				working.Add(-1)
			})
		}
		thorough := h.rng.IntN(2) == 0
		for _, w := range h.hands[most:][:consumers] {
			take = append(take, func() { w.consume(q, &working, thorough) })
		}
		quiet := func() { h.hands[0].emptyInjector(q) }
		if thorough && !backend.Promises.Bounded && h.rng.IntN(2) == 0 {
			h.batch(n, quiet, push, take) // consumers race each other on a full queue
		} else {
			h.batch(n, quiet, append(push, take...))
		}
	})
	h.leave(q)
	h.judge()
}

// fill finds out how many items a bounded injector holds, if not too many.
func (h *history) fill(b queues.Backend[*executor.Task]) {
	q := b.Injector(h.options())
	for n := range 1 << 16 {
		if !q.Push(h.pool[0][n%len(h.pool[0])]) {
			h.law.Capacity = n
			return
		}
	}
	h.law.Capacity, h.law.WeakFull = 0, true
}

// produce pushes the items from i to before end, in bursts.
func (w *hand) produce(q queues.Injector[*executor.Task], base, i, end int) {
	for i < end && !w.gone.Load() {
		burst := min(w.burst(), end-i)
		w.misbehave(base+i, burst)
		if w.dice.IntN(2) == 0 {
			i += w.pushAll(q, i, i+burst)
		} else {
			for ; burst > 0 && w.push(q, i); burst-- {
				i++
			}
		}
		w.look(q)
		w.pause()
	}
}

// consume takes until nobody produces: then, if it is thorough, until nothing is
// left.
func (w *hand) consume(q queues.Injector[*executor.Task], working *atomic.Int32, thorough bool) {
	for !w.gone.Load() && !w.full() {
		last := working.Load() == 0
		if last && !thorough {
			return
		}
		room, n := w.burst(), 0
		if room > 1 {
			n = w.popInto(q, room)
		} else if w.pop(q) {
			n = 1
		}
		if n == 0 && last {
			return
		}
		w.look(q)
		if n == 0 {
			runtime.Gosched()
		}
	}
}

// emptyInjector takes what is left, with nobody else there.
func (w *hand) emptyInjector(q queues.Injector[*executor.Task]) {
	w.checkLen(q.Len())
	w.until(func() bool { return w.pop(q) })
	w.popInto(q, 8)
	w.checkLen(q.Len())
}

// until calls take until it has found nothing a few times in a row: a queue that
// says so wrongly shall not keep its items for the next batch.
func (w *hand) until(take func() bool) {
	for misses := 0; misses < 3 && !w.gone.Load() && !w.full(); misses++ {
		if take() {
			misses = -1
		}
	}
}

// bareDeque: an owner and thieves on the bare deque.
func (t *trial) bareDeque() {
	_, backend := t.subject.(queued).Queues()
	most := min(max(1, t.subject.Workers()), handsMax)
	h := t.newHistory(backend, 1+most)
	q := backend.Deque(h.options())
	t.batches(func(base, n int) {
		if h.rng.IntN(2) == 0 {
			h.leave(q)
			q = backend.Deque(h.options())
		}
		thieves := 1 + h.rng.IntN(most)
		var working atomic.Int32 // the owner
		working.Store(1)
		members := []func(){func() {
			h.hands[0].own(q, base, n)
			working.Add(-1)
		}}
		for _, w := range h.hands[1:][:thieves] {
			side := q.Stealer()
			members = append(members, func() { w.rob(side, &working) })
		}
		h.batch(n, func() { h.emptyDeque(q) }, members)
	})
	h.leave(q)
	h.judge()
}

// own pushes the n items of a batch in bursts, and after each pops some: none, a
// few, or until nothing is left. What is refused stays out.
func (w *hand) own(q queues.Deque[*executor.Task], base, n int) {
	all, _ := q.(queues.BatchPusher[*executor.Task])
	for i := 0; i < n && !w.gone.Load() && !w.full(); {
		burst := min(w.burst(), n-i)
		w.misbehave(base+i, burst)
		if all != nil && w.dice.IntN(2) == 0 {
			w.pushAll(all, i, i+burst)
		} else {
			for k := range burst {
				w.push(q, i+k)
			}
		}
		i += burst
		w.look(q)
		w.pause()
		pops := w.dice.IntN(2 * burst)
		for pops > 0 && !w.full() && w.pop(q) {
			pops--
		}
	}
}

// rob steals until the owner has ended.
func (w *hand) rob(side queues.Stealer[*executor.Task], working *atomic.Int32) {
	for working.Load() > 0 && !w.gone.Load() && !w.full() {
		room := min(w.burst(), 64)
		if n, _ := w.steal(side, room); n == 0 {
			runtime.Gosched()
		}
	}
}

// emptyDeque takes what is left, with nobody else there: by stealing, or from the
// owner's end. Then both sides find nothing.
func (h *history) emptyDeque(q queues.Deque[*executor.Task]) {
	owner, thief, side := h.hands[0], h.hands[1], q.Stealer()
	h.checkLen(q.Len())
	if h.rng.IntN(2) == 0 {
		owner.until(func() bool { return owner.pop(q) })
	}
	thief.until(func() bool {
		n, retry := thief.steal(side, 1+h.rng.IntN(8))
		return n > 0 || retry
	})
	owner.until(func() bool { return owner.pop(q) })
	h.checkLen(q.Len())
}

// misbehave does what a fault wants of the tasks from task on.
func (w *hand) misbehave(task, n int) {
	if w.fault.Name == "" {
		return
	}
	for i := range n {
		w.strike(task + i)
	}
}
