package executor_test

import (
	"fmt"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

func newFib(e *executor.Executor) *executor.Fork[int, int] {
	var fib *executor.Fork[int, int]
	fib = executor.NewFork(e, func(w *executor.Worker, n int) int {
		if n < 2 {
			return n
		}
		a, b := fib.Both(w, n-1, n-2)
		return a + b
	})
	return fib
}

func BenchmarkFib(b *testing.B) {
	perWorkersPlain(b, func(b *testing.B, e *executor.Executor) {
		fib := newFib(e)
		const n, joins, want = 27, 317810, 196418
		b.ReportAllocs()
		for b.Loop() {
			h, _ := executor.Submit(background, e, func(w *executor.Worker) (int, error) {
				x, y := fib.Both(w, n-1, n-2)
				return x + y, nil
			})
			if v, err := h.Wait(background); v != want || err != nil {
				b.Fatal(v, err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/joins, "ns/join")
	})
}

// perWorkersPlain runs f with one worker and with two.
func perWorkersPlain(b *testing.B, f func(b *testing.B, e *executor.Executor)) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			e := plain(b, workers)
			f(b, e)
		})
	}
}

func BenchmarkGo(b *testing.B) {
	perWorkersPlain(b, func(b *testing.B, e *executor.Executor) {
		g := executor.NewGroup(e)
		fn := func(*executor.Worker, any) {}
		b.ReportAllocs()
		for b.Loop() {
			if err := g.Go(fn, nil); err != nil {
				b.Fatal(err)
			}
		}
		if err := g.Wait(background); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkGoInside(b *testing.B) {
	perWorkersPlain(b, func(b *testing.B, e *executor.Executor) {
		g := executor.NewGroup(e)
		fn := func(*executor.Worker, any) {}
		b.ReportAllocs()
		const batch = 4096
		root := func(w *executor.Worker, n any) {
			for range n.(int) {
				g.Spawn(w, fn, nil)
			}
		}
		var arg any = batch
		for n := 0; n < b.N; n += batch {
			if err := g.Go(root, arg); err != nil {
				b.Fatal(err)
			}
			if err := g.Wait(background); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkChain(b *testing.B) {
	perWorkersPlain(b, func(b *testing.B, e *executor.Executor) {
		g := executor.NewGroup(e)
		left := b.N
		var hop executor.Func
		hop = func(w *executor.Worker, arg any) {
			if left--; left > 0 {
				g.Spawn(w, hop, arg)
			}
		}
		b.ReportAllocs()
		if err := g.Go(hop, nil); err != nil {
			b.Fatal(err)
		}
		if err := g.Wait(background); err != nil {
			b.Fatal(err)
		}
	})
}
