package msqueue_test

import (
	"testing"

	"github.com/exactlyonce/certify/queues/msqueue"
	"github.com/exactlyonce/certify/queues/queuetest"
)

func TestLaws(t *testing.T) {
	queuetest.Run(t, queuetest.Config{}, msqueue.Backends[queuetest.Item]()...)
}

func BenchmarkQueue(b *testing.B) {
	queuetest.Benchmark(b, msqueue.Backends[queuetest.Item]()...)
}
