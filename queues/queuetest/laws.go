package queuetest

import (
	"fmt"

	"github.com/exactlyonce/certify/queues"
)

// Law is one row of the table.
type Law struct {
	Name string
	Why  string // why it must hold

	needs need // the promise that it takes
	check func(*trial) error
}

// need is a promise, and how to tell whether it was made.
type need struct {
	promise string
	made    func(queues.Promises) bool
}

var (
	anOrder = need{"an order", func(p queues.Promises) bool { return p.Order != queues.Unordered }}
	reuse   = need{"reuse of memory", func(p queues.Promises) bool { return p.Reclaim != queues.ReclaimGC }}
	moments = need{"batches taken at one moment", func(p queues.Promises) bool { return p.AtomicBatch }}
)

// Laws is the table. Cheap laws come first, and those without goroutines.
func Laws() []Law {
	return []Law{
		{Name: "negative", check: negative,
			Why: "a capacity below zero is a caller's bug, which must show when the queue is made, or never"},
		{Name: "smoke", check: smoke,
			Why: "a queue that loses an item in a quiet moment need not be stressed"},
		{Name: "empty", check: empty,
			Why: "a worker believes an empty answer and goes to sleep; one that is false strands work, one that never comes spins"},
		{Name: "order", check: order, needs: anOrder,
			Why: "fairness of an injector, and depth-first memory of a deque, are nothing but their order"},
		{Name: "batch", check: batch,
			Why: "a batch is the same as its items one by one; what does not fit must stay where it was"},
		{Name: "model", check: model,
			Why: "any sequence of operations, at any capacity, must answer as a plain list does"},
		{Name: "wrap", check: wrap,
			Why: "counters wrap after years of service, or at once in a 32-bit build; nothing may change"},
		{Name: "refuse", check: refuse,
			Why: "the caller puts a refused item elsewhere; if the queue keeps it as well it runs twice, and a queue without a bound has no right to refuse"},
		{Name: "len", check: length,
			Why: "sleep, shrink and balance decisions are made on Len"},
		{Name: "retention", check: retention,
			Why: "a slot that still points to a finished item keeps all that the item points to"},
		{Name: "allocs", check: allocs, needs: reuse,
			Why: "an allocation an item costs more than the queue, and brings the garbage collector with it"},
		{Name: "burst", check: burst,
			Why: "a service that once had a backlog must not keep its memory for ever"},
		{Name: "once", check: once,
			Why: "each item that goes in comes out exactly once, whoever operates meanwhile"},
		{Name: "stampede", check: stampede,
			Why: "all may begin at the same moment, on a queue that has never been used"},
		{Name: "sequence", check: sequence, needs: anOrder,
			Why: "order must hold under contention too, where counting items does not see it broken"},
		{Name: "whole", check: whole, needs: moments,
			Why: "a batch taken at one moment has no gap that others fill"},
		{Name: "duel", check: duel,
			Why: "the last item is where takers meet, and each must know whether it won"},
	}
}

// find returns the laws that c asks for. It panics when there are none.
func (c Config) find() []Law {
	if c.Only == "" {
		return Laws()
	}
	for _, l := range Laws() {
		if l.Name == c.Only {
			return []Law{l}
		}
	}
	panic(fmt.Sprintf("queuetest: there is no law %q", c.Only))
}

// missing returns the promise that p lacks for the law, or "".
func (l Law) missing(p queues.Promises) string {
	if l.needs.made == nil || l.needs.made(p) {
		return ""
	}
	return l.needs.promise
}
