package picture_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/internal/stress"
	"github.com/exactlyonce/certify/soak/monitor"
	"github.com/exactlyonce/certify/soak/monitor/picture"
)

// random is a history of calls that overlap at random. Whatever they answered was
// right if they had happened at their begin; then some answers are changed.
func random(rng *rand.Rand, deque bool) (h []monitor.Op) {
	var inside []uint32
	free := []int64{0, 0, 0} // until when a worker is busy
	for now, next := int64(1), uint32(0); len(h) < 16; now += 2 {
		w := rng.IntN(len(free))
		if free[w] >= now {
			continue
		}
		op := monitor.Op{Begin: now, End: now + int64(rng.IntN(12)), Worker: uint16(w)}
		free[w] = op.End
		at := 0
		if rng.IntN(2) == 0 {
			op.Kind = monitor.Pop
			at = len(inside) - 1
		}
		if !deque || w > 0 && deque {
			at = 0
		}
		if deque && w > 0 {
			op.Kind = monitor.Steal
		}
		switch {
		case op.Kind == monitor.Push:
			op.Value = next
			inside = append(inside, next)
			next++
		case len(inside) == 0:
			op.Answer = monitor.Empty
		default:
			op.Value = inside[at]
			inside = append(inside[:at:at], inside[at+1:]...)
		}
		h = append(h, op)
	}
	for range rng.IntN(3) {
		i, j := rng.IntN(len(h)), rng.IntN(len(h))
		if h[i].Kind == h[j].Kind && h[i].Kind != monitor.Push {
			h[i].Value, h[j].Value = h[j].Value, h[i].Value
			h[i].Answer, h[j].Answer = h[j].Answer, h[i].Answer
		} else if h[i].Kind != monitor.Push {
			h[i].Answer = monitor.Empty
		}
	}
	return h
}

// TestAgainstPorcupine compares two methods on histories of single values. What
// porcupine does not decide is counted, and must be rare.
func TestAgainstPorcupine(t *testing.T) {
	for _, c := range []monitor.Criterion{monitor.FIFO, monitor.ProducerFIFO, monitor.Bag, monitor.Deque} {
		t.Run(c.Name, func(t *testing.T) {
			stress.Watchdog(t)
			rng := stress.Random(t)
			n := stress.Rounds(2000)
			seen := map[picture.Verdict]int{}
			for range n {
				h := random(rng, c.Name == monitor.Deque.Name)
				v, err := picture.Check(c, h, monitor.Options{}, 10*time.Second)
				if err != nil {
					t.Fatal(err)
				}
				seen[v]++
				found := c.Check(h, monitor.Options{})
				if v != picture.Unknown && (v == picture.Legal) != (found == nil) {
					t.Fatalf("porcupine: %v, but the monitor found %v in\n%v", v, found, h)
				}
			}
			t.Logf("%v", seen)
			if seen[picture.Unknown] > n/10 || seen[picture.Legal] < n/10 || seen[picture.Illegal] < n/20 {
				t.Errorf("vacuous: %v", seen)
			}
		})
	}
}

// A batch that is taken at one moment is one call for both.
func TestBatches(t *testing.T) {
	op := func(worker uint16, kind monitor.Kind, at int64, value uint32, answer monitor.Answer) monitor.Op {
		return monitor.Op{Begin: at, End: at + 1, Worker: worker, Kind: kind, Value: value, Answer: answer}
	}
	h := []monitor.Op{
		op(0, monitor.Push, 0, 1, monitor.Done), op(0, monitor.Push, 2, 2, monitor.Done), op(0, monitor.Push, 4, 3, monitor.Done),
		op(1, monitor.Pop, 8, 1, monitor.Done), op(1, monitor.Pop, 8, 3, monitor.Also), op(2, monitor.Pop, 8, 2, monitor.Done),
	}
	for atomic, want := range map[bool]picture.Verdict{true: picture.Illegal, false: picture.Legal} {
		o := monitor.Options{AtomicBatch: atomic}
		v, err := picture.Check(monitor.FIFO, h, o, time.Minute)
		if found := monitor.FIFO.Check(h, o); err != nil || v != want || (found == nil) != (want == picture.Legal) {
			t.Errorf("atomic %v: %v, %v, want %v; the monitor found %v", atomic, v, err, want, found)
		}
	}
}

// What takes too long is not known, and no pass.
func TestUnknown(t *testing.T) {
	var h []monitor.Op
	for v := range uint32(60) { // all overlap, and the last one cannot be
		h = append(h, monitor.Op{Begin: 0, End: 10, Worker: uint16(v), Value: v},
			monitor.Op{Begin: 11, End: 20, Worker: uint16(v), Value: v, Kind: monitor.Pop})
	}
	h = append(h, monitor.Op{Begin: 21, End: 22, Value: 99, Kind: monitor.Pop})
	if v, err := picture.Check(monitor.FIFO, h, monitor.Options{}, time.Millisecond); v != picture.Unknown || err != nil {
		t.Errorf("got %v, %v", v, err)
	}
}

func TestErrors(t *testing.T) {
	if _, err := picture.Check(monitor.KFIFO(1), nil, monitor.Options{}, 0); err == nil || !strings.Contains(err.Error(), "1-out-of-order") {
		t.Errorf("got %v", err)
	}
	if _, err := picture.Check(monitor.FIFO, make([]monitor.Op, picture.Limit+1), monitor.Options{}, 0); err == nil || !strings.Contains(err.Error(), "201 rows") {
		t.Errorf("got %v", err)
	}
}

func ExampleDraw() {
	h := []monitor.Op{
		{Begin: 0, End: 1, Worker: 0, Kind: monitor.Push, Value: 1},
		{Begin: 2, End: 3, Worker: 1, Kind: monitor.Push, Value: 2},
		{Begin: 4, End: 5, Worker: 2, Kind: monitor.Pop, Value: 2},
	}
	var page bytes.Buffer // in earnest, a file
	verdict, err := picture.Draw(&page, monitor.FIFO, h, monitor.Options{}, time.Minute)
	fmt.Println(verdict, err, strings.Contains(page.String(), "<html"))
	// Output: illegal <nil> true
}
