package executor_test

import (
	"fmt"
	"testing"

	"github.com/exactlyonce/certify/executor"
)

// plain is the executor of a benchmark.
func plain(b *testing.B, workers int) *executor.Executor {
	b.Helper()
	e, err := executor.New(executor.Config{Workers: workers})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := e.Shutdown(background); err != nil {
			b.Error(err)
		}
	})
	return e
}

// benchBatch is how many tasks are in flight at once.
const benchBatch = 4096

// perWorkers runs f for one worker and for two; f runs n tasks and returns the
// sum of their results, which are all 1.
func perWorkers(b *testing.B, f func(b *testing.B, e *executor.Executor, n int) (sum int, err error)) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			e := plain(b, workers)
			b.ReportAllocs()
			b.ResetTimer()
			for left := b.N; left > 0; left -= benchBatch {
				n := min(left, benchBatch)
				if sum, err := f(b, e, n); sum != n || err != nil {
					b.Fatalf("sum %d of %d, %v", sum, n, err)
				}
			}
		})
	}
}

func unit(*executor.Worker) (int, error) { return 1, nil }

func sumOf(handles []*executor.Handle[int]) (sum int, err error) {
	for _, h := range handles {
		v, err := h.Wait(background)
		if err != nil {
			return sum, err
		}
		sum += v
	}
	return sum, nil
}

func BenchmarkSubmit(b *testing.B) {
	handles := make([]*executor.Handle[int], benchBatch)
	perWorkers(b, func(b *testing.B, e *executor.Executor, n int) (int, error) {
		for i := range n {
			h, err := executor.Submit(background, e, unit)
			if err != nil {
				return 0, err
			}
			handles[i] = h
		}
		return sumOf(handles[:n])
	})
}

func BenchmarkSpawn(b *testing.B) {
	handles := make([]*executor.Handle[int], benchBatch)
	perWorkers(b, func(b *testing.B, e *executor.Executor, n int) (int, error) {
		root, err := executor.Submit(background, e, func(w *executor.Worker) (int, error) {
			for i := range n {
				handles[i] = executor.Spawn(w, unit)
			}
			return 0, nil
		})
		if err == nil {
			_, err = root.Wait(background)
		}
		if err != nil {
			return 0, err
		}
		return sumOf(handles[:n])
	})
}

func BenchmarkStorage(b *testing.B) {
	var storage *executor.Storage[int]
	perWorkers(b, func(b *testing.B, e *executor.Executor, n int) (sum int, err error) {
		if n == min(b.N, benchBatch) && (storage == nil || storage.Executor() != e) {
			storage = executor.NewStorage[int](e, benchBatch+1)
		}
		root, err := storage.Submit(background, func(w *executor.Worker) (int, error) {
			for range n {
				if _, err := storage.Spawn(w, unit); err != nil {
					return 0, err
				}
			}
			return 0, nil
		})
		if err == nil {
			_, err = root.Wait(background)
		}
		if err == nil {
			err = storage.Wait(background, func(_, v int, _ error) { sum += v })
		}
		if err == nil {
			err = storage.Reset()
		}
		return sum, err
	})
}
