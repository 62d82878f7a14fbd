package bench_test

import (
	"strings"
	"testing"

	"github.com/exactlyonce/certify/bench"
)

func BenchmarkPair(b *testing.B)  { family(b, "Pair") }
func BenchmarkBurst(b *testing.B) { family(b, "Burst") }
func BenchmarkSolo(b *testing.B)  { family(b, "Solo") }
func BenchmarkOwn(b *testing.B)   { family(b, "Own") }
func BenchmarkShare(b *testing.B) { family(b, "Share") }
func BenchmarkFeed(b *testing.B)  { family(b, "Feed") }

func BenchmarkSubmit(b *testing.B)   { family(b, "Submit") }
func BenchmarkPingPong(b *testing.B) { family(b, "PingPong") }
func BenchmarkMixed(b *testing.B)    { family(b, "Mixed") }
func BenchmarkSpawn(b *testing.B)    { family(b, "Spawn") }
func BenchmarkFanOut(b *testing.B)   { family(b, "FanOut") }
func BenchmarkChain(b *testing.B)    { family(b, "Chain") }
func BenchmarkFib(b *testing.B)      { family(b, "Fib") }
func BenchmarkQueens(b *testing.B)   { family(b, "Queens") }
func BenchmarkTree(b *testing.B)     { family(b, "Tree") }
func BenchmarkSort(b *testing.B)     { family(b, "Sort") }
func BenchmarkLatency(b *testing.B)  { family(b, "Latency") }
func BenchmarkMemory(b *testing.B)   { family(b, "Memory") }
func BenchmarkIdle(b *testing.B)     { family(b, "Idle") }

// family runs the cases of one family.
func family(b *testing.B, name string) {
	b.Helper()
	cases, err := bench.Select(bench.Cases(), "^"+name+"/")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range cases {
		b.Run(strings.TrimPrefix(c.Name, name+"/"), func(b *testing.B) { measure(b, c) })
	}
}

func measure(b *testing.B, c bench.Case) {
	arm, err := c.Open()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	metrics, err := bench.Measure(arm, b.N)
	b.StopTimer()
	if err != nil {
		b.Fatal(err) // and leave the arm: it may never close
	}
	for _, m := range metrics {
		b.ReportMetric(m.Value, m.Unit)
	}
	if err := arm.Close(); err != nil {
		b.Fatal(err)
	}
}
