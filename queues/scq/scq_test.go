package scq_test

import (
	"testing"

	"github.com/exactlyonce/certify/queues/queuetest"
	"github.com/exactlyonce/certify/queues/scq"
)

func TestLaws(t *testing.T) {
	queuetest.Run(t, queuetest.Config{}, scq.Backends[queuetest.Item]()...)
}

func BenchmarkQueue(b *testing.B) {
	queuetest.Benchmark(b, scq.Backends[queuetest.Item]()...)
}
