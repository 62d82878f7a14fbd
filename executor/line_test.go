package executor

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exactlyonce/certify/internal/stress"
)

// places is room that a line waits for.
type places struct {
	line
	free atomic.Int64
}

func (p *places) take() bool {
	for n := p.free.Load(); n > 0; n = p.free.Load() {
		if p.free.CompareAndSwap(n, n-1) {
			return true
		}
	}
	return false
}

func (p *places) put(n int) {
	p.free.Add(int64(n))
	p.freed(n)
}

// lateContext ends without saying so: only who asks learns of it.
type lateContext struct {
	context.Context
	ended atomic.Bool
}

func (c *lateContext) Err() error {
	if c.ended.Load() {
		return context.Canceled
	}
	return nil
}

// X10: a wake that comes to one whose context has ended goes on to the next.
func TestLinePassesAWakeOnX10(t *testing.T) {
	stress.Watchdog(t)
	var p places
	gone := &lateContext{Context: context.Background()}
	ends := [2]chan error{make(chan error, 1), make(chan error, 1)}
	for i, ctx := range []context.Context{gone, context.Background()} {
		go func() { ends[i] <- p.wait(ctx, p.take) }()
		stress.Until(func() bool { return p.length.Load() == int64(i)+1 })
	}
	gone.ended.Store(true)
	p.put(1)
	if err := <-ends[0]; err != context.Canceled {
		t.Errorf("the one who has gone: %v", err)
	}
	if err := <-ends[1]; err != nil || p.free.Load() != 0 {
		t.Errorf("the next: %v, %d places", err, p.free.Load())
	}
}

// X10: room that wakes nobody is found by the head, and then by all behind it.
func TestLineLooksUnaskedX10(t *testing.T) {
	stress.Watchdog(t)
	p := places{line: line{again: time.Millisecond}}
	const crowd = 50
	var all sync.WaitGroup
	for range crowd {
		all.Go(func() { _ = p.wait(context.Background(), p.take) })
	}
	stress.Until(func() bool { return p.length.Load() == crowd })
	p.free.Add(crowd)
	all.Wait()
}

// X10: with contexts that end at any moment, and others who take places without waiting,
// nobody is left beside room. It goes on until there were both ends of a wait.
func TestLineLosesNoWakeX10(t *testing.T) {
	seed := stress.Seed(t)
	for _, again := range []time.Duration{0, time.Millisecond} {
		stress.Watchdog(t)
		p := places{line: line{again: again}}
		p.put(2)
		var all sync.WaitGroup
		var got, left atomic.Int64
		for i := range 16 {
			all.Go(func() {
				random := rand.New(rand.NewPCG(seed, uint64(i)))
				for n := 0; n < stress.Rounds(2000) || got.Load() == 0 || left.Load() == 0; n++ {
					p.visit(random, &got, &left)
				}
			})
		}
		all.Wait()
		if p.free.Load() != 2 || p.length.Load() != 0 {
			t.Errorf("%d places, want 2, and %d wait", p.free.Load(), p.length.Load())
		}
		t.Logf("%d waits were for a place, %d for the end of a context", got.Load(), left.Load())
	}
}

// visit takes a place, waiting or not, and puts it back.
func (p *places) visit(random *rand.Rand, got, left *atomic.Int64) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	switch random.IntN(3) {
	case 0:
		if p.take() {
			p.put(1)
		}
		return
	case 1:
		go cancel()
	}
	if p.wait(ctx, p.take) != nil {
		left.Add(1)
		return
	}
	got.Add(1)
	for range random.IntN(20) {
		runtime.Gosched() // while others come, and go
	}
	p.put(1)
}
