package split

import (
	"fmt"
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

func exposedBackend() queues.Backend[*queuetest.Item] {
	b := Backends[queuetest.Item]()[0]
	b.Name = "exposed"
	b.Deque = func(o queues.Options) queues.Deque[*queuetest.Item] { return exposed{New[*queuetest.Item](o)} }
	return b
}

// TestLaws: all laws, of an owner who hides nothing between its operations.
func TestLaws(t *testing.T) {
	queuetest.Run(t, queuetest.Config{}, exposedBackend())
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

// BenchmarkQueue is of the owner who exposes: the others' benchmarks take by thieves
// what they push, and would wait for what is hidden.
func BenchmarkQueue(b *testing.B) { queuetest.Benchmark(b, exposedBackend()) }

// BenchmarkPair is of the deque as it is: Push and Pop, per pair.
func BenchmarkPair(b *testing.B) {
	for _, depth := range []int{1, 64} {
		b.Run(fmt.Sprintf("queue=split/depth=%d", depth), func(b *testing.B) {
			d, v := New[*queuetest.Item](queues.Options{}), new(queuetest.Item)
			for n := 1; b.Loop(); n++ {
				d.Push(v)
				for n%depth == 0 && d.Len() > 0 {
					d.Pop()
				}
			}
		})
	}
}
