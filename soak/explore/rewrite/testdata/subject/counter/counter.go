// Package counter uses sync and sync/atomic in all the ways in which source
// can name them.
package counter

import (
	"runtime"
	. "sync"
	sa "sync/atomic"
	"unsafe"

	"example.com/dep"
)

type number = sa.Int64

// Embedded has an atomic for a part.
type Embedded struct {
	sa.Int64
	alias number
	ptr   sa.Pointer[number]
	plain int64
	_     padded
}

// padded fills a line of which a shim would leave nothing.
type padded struct {
	number
	_ [16 - unsafe.Sizeof(number{})]byte
}

// Counter counts in ways that lose nothing, and in one that does.
type Counter[T any] struct {
	e    Embedded
	mu   Mutex
	once Once
	log  []T
}

// Add adds one everywhere.
func (c *Counter[T]) Add(v T) {
	c.once.Do(func() { c.e.ptr.Store(new(number)) })
	c.e.Add(1)
	c.e.alias.Add(1)
	c.e.ptr.Load().Add(1)
	sa.AddInt64(&c.e.plain, 1)
	c.mu.Lock()
	c.log = append(c.log, v)
	c.mu.Unlock()
}

// Lose adds one in two steps.
func (c *Counter[T]) Lose() { c.e.Store(c.e.Load() + 1) }

// All are the counts.
func (c *Counter[T]) All() []int64 {
	return []int64{c.e.Load(), c.e.alias.Load(), c.e.ptr.Load().Load(), c.e.plain, int64(len(c.log))}
}

func add[T any](c *Counter[T], vs ...T) {
	for _, v := range vs {
		c.Add(v)
	}
}

func two() (*int64, int64) { return new(int64), 2 }

func store(p *int64, n int64) { sa.StoreInt64(p, n) }

type adder interface{ Add(int) }

// Start adds eight from goroutines that are started in all ways.
func Start(c *Counter[int], g *dep.Guarded) *WaitGroup {
	wg := new(WaitGroup)
	wg.Add(5)
	v := 1
	go func() { defer wg.Done(); add(c, v) }()
	v = 2
	go add(c, v, 1)
	go c.Add(v)
	go add[int](c,
		[]int{v, 3}...,
	)
	go store(two())
	go func(c *Counter[int], err error, n uint8) {
		if err == nil && n == 7 {
			c.Add(int(n))
		}
		wg.Done()
	}(c, nil, 7)
	var a adder = c
	go a.Add(4)
	go println2(nil, 0)
	f := func() *WaitGroup { wg.Done(); return wg }
	go f()
	f = nil
	go func() { go f2(wg); wg.Done() }()
	go g.Add(1)
	runtime.Gosched()
	return wg
}

func println2(error, float64) {}

func f2(wg *WaitGroup) { wg.Done() }

// Uncontrolled does what no schedule determines.
func Uncontrolled(c chan int, m map[int]bool) {
	for range m {
		select {
		case c <- 1:
		default:
		}
	}
	<-c
	close(c)
}
