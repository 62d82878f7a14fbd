package soak

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/exactlyonce/certify/reports/record"
)

// watch looks at a trial while it runs, from a goroutine of its own: every
// gauge within its bounds, and always some progress. It only loads, so it
// orders nothing among the tasks.
type watch struct {
	batch atomic.Uint64 // the batch that runs, from 1; written by the trial
	// closing: all work is over, and Close has been called; written by the trial.
	closing atomic.Bool
	stop    chan struct{}
	done    sync.WaitGroup
	// stalled gets why there was no progress, at most once.
	stalled chan string
}

// sampleEvery is how often the gauges are read.
const sampleEvery = 5 * time.Millisecond

func newWatch() *watch { return &watch{stalled: make(chan string, 1)} }

// start begins to look, until end; then it may start again.
func (w *watch) start(t *trial) {
	w.stop = make(chan struct{})
	w.done.Go(func() { w.run(t) })
}

func (w *watch) end() {
	close(w.stop)
	w.done.Wait()
}

func (w *watch) run(t *trial) {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	var last uint64
	since := time.Now()
	for {
		select {
		case <-w.stop:
			return
		case <-tick.C:
		}
		stats := (*t.watched.Load()).Stats()
		t.checkGauges(stats, false)
		if now := stats.Progress + w.batch.Load(); now != last {
			last, since = now, time.Now()
		} else if idle := time.Since(since); idle >= t.spec.Stall {
			w.stalled <- t.describeStall(stats, idle)
			return
		}
	}
}

func (t *trial) describeStall(stats Stats, idle time.Duration) string {
	var b strings.Builder
	if t.watch.closing.Load() {
		b.WriteString("Close does not come back: ")
	}
	fmt.Fprintf(&b, "no progress for %v in batch %d of %d", idle.Round(time.Millisecond), t.watch.batch.Load(), t.spec.Batches())
	for _, g := range stats.Gauges {
		fmt.Fprintf(&b, ", %s %d", g.Name, g.Value)
	}
	return b.String()
}

// checkGauges adds a finding for each gauge that is out of its bounds, or not
// at rest at a quiet moment.
func (t *trial) checkGauges(stats Stats, quiet bool) {
	for _, g := range stats.Gauges {
		if g.Value < g.Min || g.Value > g.Max {
			t.found.add(record.Contract, "gauge %s is %d, outside %d to %d", g.Name, g.Value, g.Min, g.Max)
		} else if quiet && g.Quiet >= 0 && g.Value != g.Quiet {
			t.found.add(record.Contract, "gauge %s is %d with no task left, want %d", g.Name, g.Value, g.Quiet)
		}
	}
}

// dumpGoroutines writes the stacks of all goroutines, at most a megabyte.
func dumpGoroutines(w io.Writer) {
	buf := make([]byte, 1<<20)
	_, _ = w.Write(buf[:runtime.Stack(buf, true)])
}
