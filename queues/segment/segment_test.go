package segment_test

import (
	"testing"

	"github.com/exactlyonce/certify/queues/queuetest"
	"github.com/exactlyonce/certify/queues/segment"
)

func TestLaws(t *testing.T) {
	queuetest.Run(t, queuetest.Config{}, segment.Backends[queuetest.Item]()...)
}

func BenchmarkQueue(b *testing.B) {
	queuetest.Benchmark(b, segment.Backends[queuetest.Item]()...)
}
