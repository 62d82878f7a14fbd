package monitor_test

import (
	"sync"
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
	"github.com/exactlyonce/certify/soak/monitor"
)

func TestRecorder(t *testing.T) {
	for _, clock := range []monitor.Clock{monitor.Time, monitor.Counter} {
		r := monitor.NewRecorder(clock, 3, 4)
		l := r.Log(2)
		first := l.Now()
		l.Add(monitor.Op{Begin: first, End: l.Now(), Value: 7, Worker: 1})
		r.Log(0).Add(monitor.Op{Begin: 5, End: 6})
		if l.Room() != 3 {
			t.Errorf("room for %d more rows, want 3", l.Room())
		}
		h := r.Collect(nil)
		if len(h) != 2 || h[0].Worker != 0 || h[1].Worker != 2 || h[1].Value != 7 || h[1].Begin < first || h[1].End < h[1].Begin {
			t.Errorf("clock %d: got %+v", clock, h)
		}
		if h = r.Collect(h); len(h) != 2 || l.Room() != 4 {
			t.Errorf("clock %d: the logs are not empty: %+v", clock, h)
		}
		if clock == monitor.Counter && h[1].End != h[1].Begin+1 {
			t.Errorf("the counter counts %d, %d", h[1].Begin, h[1].End)
		}
	}
}

func TestRecordingAllocatesNothing(t *testing.T) {
	for _, clock := range []monitor.Clock{monitor.Time, monitor.Counter} {
		const rows = 1000
		l := monitor.NewRecorder(clock, 1, rows+1).Log(0)
		n := testing.AllocsPerRun(rows, func() {
			begin := l.Now()
			l.Add(monitor.Op{Begin: begin, End: l.Now()})
		})
		if n != 0 || l.Room() != 0 {
			t.Errorf("clock %d: %v allocations a row, room for %d more", clock, n, l.Room())
		}
	}
}

// The stamps of the counter order all calls of all workers: what ended before
// another began, in truth, has the lesser stamp.
func TestCounterOrders(t *testing.T) {
	stress.Watchdog(t)
	const each = 1000
	r := monitor.NewRecorder(monitor.Counter, 4, each)
	var workers sync.WaitGroup
	for w := range 4 {
		workers.Go(func() {
			l := r.Log(w)
			for range each {
				begin := l.Now()
				l.Add(monitor.Op{Begin: begin, End: l.Now()})
			}
		})
	}
	workers.Wait()
	seen := map[int64]bool{}
	for _, op := range r.Collect(nil) {
		seen[op.Begin], seen[op.End] = true, true
	}
	if len(seen) != 2*4*each {
		t.Errorf("%d different stamps of %d", len(seen), 2*4*each)
	}
}

// TestRecorderHidesNoRace plants a data race between two goroutines that record,
// in another process. With the time it is always reported. With the counter it is
// not, when the one goroutine reads its last stamp before the other its first: that
// is why the counter is not for builds with the race detector.
func TestRecorderHidesNoRace(t *testing.T) {
	stress.HidesNoRace(t, "./testdata/planted", "recorded 2", "time", "counter")
}
