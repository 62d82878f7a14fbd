package mutex_test

import (
	"testing"

	"github.com/exactlyonce/certify/queues/mutex"
	"github.com/exactlyonce/certify/queues/queuetest"
)

func TestLaws(t *testing.T) {
	queuetest.Run(t, queuetest.Config{}, mutex.Backends[queuetest.Item]()...)
}

func BenchmarkQueue(b *testing.B) {
	queuetest.Benchmark(b, mutex.Backends[queuetest.Item]()...)
}
