package chaselev_test

import (
	"testing"

	"github.com/exactlyonce/certify/queues/chaselev"
	"github.com/exactlyonce/certify/queues/queuetest"
)

func TestLaws(t *testing.T) {
	queuetest.Run(t, queuetest.Config{}, chaselev.Backends[queuetest.Item]()...)
}

func BenchmarkQueue(b *testing.B) {
	queuetest.Benchmark(b, chaselev.Backends[queuetest.Item]()...)
}
