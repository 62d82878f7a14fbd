package sharded_test

import (
	"testing"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/queuetest"
	"github.com/exactlyonce/certify/queues/sharded"
)

// backends are what this machine gets, and one of each order.
func backends() []queues.Backend[*queuetest.Item] {
	all := sharded.Backends[queuetest.Item]()
	for _, row := range []struct {
		name   string
		shards int
		p      queues.Promises
	}{
		{"one", 1, queues.Promises{Order: queues.FIFO, Len: queues.LenExact, Reclaim: queues.ReclaimReuse, AtomicBatch: true}},
		{"four", 4, queues.Promises{Reclaim: queues.ReclaimReuse}},
		{"most", 64, queues.Promises{Reclaim: queues.ReclaimReuse}},
	} {
		all = append(all, queues.Backend[*queuetest.Item]{
			Name: row.name, About: "a number of shards", Promises: row.p,
			Injector: func(o queues.Options) queues.Injector[*queuetest.Item] {
				return sharded.New[*queuetest.Item](o, row.shards)
			},
		})
	}
	return all
}

func TestLaws(t *testing.T) {
	all := backends()
	if testing.Short() {
		all = all[2:3] // four
	}
	queuetest.Run(t, queuetest.Config{}, all...)
}

func BenchmarkQueue(b *testing.B) { queuetest.Benchmark(b, backends()...) }
