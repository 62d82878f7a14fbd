package executor_test

import (
	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/catalog"
	"sync/atomic"
	"testing"
)

func BenchmarkSpawn(b *testing.B) {
	e, _ := executor.New(executor.Config{Workers: 1, Capacity: 4097})
	st := executor.NewStorage[int](4097)
	hs := make([]*executor.Handle[int], 4096)
	f := func(w *executor.Worker) (int, error) { return 1, nil }
	n := 0
	sp := func(w *executor.Worker) (int, error) {
		for i := range n {
			hs[i], _ = st.Spawn(w, f)
		}
		return 0, nil
	}
	for lo := 0; lo < b.N; lo += 4096 {
		n = min(4096, b.N-lo)
		root, _ := st.Submit(background, e, sp)
		root.Wait(background)
		for i := range n {
			hs[i].Wait(background)
		}
		st.Reset()
	}
	b.StopTimer()
	e.Shutdown(background)
}
func BenchmarkDeque(b *testing.B) {
	for _, name := range []string{"mutex", "chaselev"} {
		b.Run(name, func(b *testing.B) {
			be, _ := catalog.Deque[int](name)
			d := be.Deque(queues.Options{})
			x := 1
			for b.Loop() {
				for range 64 {
					d.Push(&x)
				}
				for range 64 {
					d.Pop()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/pair")
		})
		b.Run(name+"-steal16", func(b *testing.B) {
			be, _ := catalog.Deque[int](name)
			d := be.Deque(queues.Options{})
			x := 1
			s := d.Stealer()
			dst := make([]*int, 16)
			for b.Loop() {
				for range 64 {
					d.Push(&x)
				}
				for n := 0; n < 64; {
					k, _ := s.Steal(dst)
					n += k
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/pair")
		})
	}
}
func BenchmarkAtomic(b *testing.B) {
	var x atomic.Uint64
	b.Run("add", func(b *testing.B) {
		for b.Loop() {
			x.Add(1)
		}
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			x.Load()
		}
	})
	b.Run("store", func(b *testing.B) {
		for b.Loop() {
			x.Store(1)
		}
	})
	b.Run("cas", func(b *testing.B) {
		x.Store(0)
		for i := uint64(0); b.Loop(); i++ {
			x.CompareAndSwap(i, i+1)
		}
	})
	b.Run("plain", func(b *testing.B) {
		p := new([12]uint64)
		sink = p
		for b.Loop() {
			p[3] = p[4]
		}
	})
}

var sink *[12]uint64
