package claim_test

import (
	"testing"

	"github.com/exactlyonce/certify/queues/claim"
	"github.com/exactlyonce/certify/queues/queuetest"
)

func TestLaws(t *testing.T) {
	queuetest.Run(t, queuetest.Config{}, claim.Backends[queuetest.Item]()...)
}

func BenchmarkQueue(b *testing.B) {
	queuetest.Benchmark(b, claim.Backends[queuetest.Item]()...)
}
