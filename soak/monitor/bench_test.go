package monitor

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// crowd is a legal history of n rows, of queue workers or of an owner and thieves,
// whose calls overlap with some others. One in eight removals found nothing.
func crowd(n, workers int, deque bool) (h []Op) {
	rng := rand.New(rand.NewPCG(7, 7))
	logs := make([][]Op, workers)
	var inside []uint32
	first, next := 0, uint32(0) // inside[:first] is gone
	for at := int64(10); n > 0; at += 10 {
		w := rng.IntN(workers)
		op := Op{Begin: at - rng.Int64N(30), End: at + rng.Int64N(30), Worker: uint16(w), Kind: Pop}
		if deque && w > 0 {
			op.Kind = Steal
		}
		if log := logs[w]; len(log) > 0 {
			last := &log[len(log)-1]
			last.End = min(last.End, at-1)
			op.Begin = max(op.Begin, last.End+1)
		}
		switch held := len(inside) - first; {
		case held == 0 && rng.IntN(4) == 0:
			op.Answer = Empty
		case (!deque || w == 0) && (held < 100 || rng.IntN(2) == 0) && op.Kind != Steal:
			op.Kind, op.Value = Push, next
			inside = append(inside, next)
			next++
		case held == 0:
			continue
		case op.Kind == Pop && deque:
			op.Value = inside[len(inside)-1]
			inside = inside[:len(inside)-1]
		default:
			op.Value = inside[first]
			first++
		}
		logs[w] = append(logs[w], op)
		n--
	}
	for _, log := range logs {
		h = append(h, log...)
	}
	return h
}

// million is 1,000,000, or what CERTIFY_OPERATIONS says.
func million(b testing.TB) int {
	if s := os.Getenv("CERTIFY_OPERATIONS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	return 1_000_000
}

func benchmark(b *testing.B, c Criterion, deque bool) {
	h := crowd(million(b), 8, deque)
	b.ReportAllocs()
	for b.Loop() {
		if v := c.Check(h, Options{AtomicBatch: true, Aborts: RivalAbort}); v != nil {
			b.Fatal(v)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(len(h)), "ns/row")
}

func BenchmarkFIFO(b *testing.B)         { benchmark(b, FIFO, false) }
func BenchmarkProducerFIFO(b *testing.B) { benchmark(b, ProducerFIFO, false) }
func BenchmarkBag(b *testing.B)          { benchmark(b, Bag, false) }
func BenchmarkDeque(b *testing.B)        { benchmark(b, Deque, true) }

func BenchmarkOvertakes(b *testing.B) {
	h := crowd(million(b), 8, false)
	b.ReportAllocs()
	for b.Loop() {
		if r := Overtakes(h); r.Values == 0 {
			b.Fatal(r)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(len(h)), "ns/row")
}

// BenchmarkRecord is what a call costs more when it is recorded.
func BenchmarkRecord(b *testing.B) {
	for name, clock := range map[string]Clock{"time": Time, "counter": Counter} {
		b.Run("clock="+name, func(b *testing.B) {
			l := NewRecorder(clock, 1, 1<<16).Log(0)
			b.ReportAllocs()
			for b.Loop() {
				begin := l.Now()
				if l.Room() == 0 {
					l.ops = l.ops[:0]
				}
				l.Add(Op{Begin: begin, End: l.Now()})
			}
		})
	}
}
