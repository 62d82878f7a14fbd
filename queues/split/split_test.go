package split

import (
	"testing"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/queuetest"
)

// exposed is an owner who exposes what it has after each operation. Then the contract
// must hold without exception.
type exposed struct{ *Deque[*queuetest.Item] }

func (d exposed) Push(v *queuetest.Item) bool {
	defer d.Expose()
	return d.Deque.Push(v)
}

func (d exposed) PushAll(vs []*queuetest.Item) int {
	defer d.Expose()
	return d.Deque.PushAll(vs)
}

func (d exposed) Pop() (*queuetest.Item, bool) {
	defer d.Expose()
	return d.Deque.Pop()
}

func (d exposed) Stealer() queues.Stealer[*queuetest.Item] {
	return exact{d.Deque.Stealer(), d.Deque}
}

// exact is a thief whose Len counts what is public, which is all.
type exact struct {
	queues.Stealer[*queuetest.Item]
	deque *Deque[*queuetest.Item]
}

func (s exact) Len() int { return public(s.deque.word.Load()) }

// backend is ours, with a maker of its own and the name that tests get.
func backend(name string, mine func(queues.Options) queues.Deque[*queuetest.Item]) queues.Backend[*queuetest.Item] {
	b := Backends[queuetest.Item]()[0]
	b.Name, b.Deque = name, mine
	return b
}

// TestLaws: all laws, of an owner who hides nothing between its operations.
func TestLaws(t *testing.T) {
	queuetest.Run(t, queuetest.Config{}, backend("exposed", func(o queues.Options) queues.Deque[*queuetest.Item] {
		return exposed{New[*queuetest.Item](o)}
	}))
}

// lawsOfHiding are those in which the owner takes what it has hidden: no item is lost,
// none comes twice, and the order holds.
var lawsOfHiding = []string{"negative", "smoke", "refuse", "burst", "once", "stampede", "sequence", "whole", "duel"}

// TestLawsOfHiding: these laws, of the deque as it is.
func TestLawsOfHiding(t *testing.T) {
	for _, law := range lawsOfHiding {
		queuetest.Run(t, queuetest.Config{Only: law}, Backends[queuetest.Item]()...)
	}
}

func BenchmarkQueue(b *testing.B) {
	queuetest.Benchmark(b, Backends[queuetest.Item]()...)
}
