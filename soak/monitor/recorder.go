package monitor

import (
	"sync/atomic"
	"time"
)

// Clock is what stamps are read from.
type Clock uint8

const (
	// Time is the machine's monotonic clock, in nanoseconds. Reading it orders
	// nothing between goroutines, so that the race detector sees what it would
	// see without.
	Time Clock = iota
	// Counter is one counter for all. No two stamps are equal, but each reading
	// orders its goroutine after all that read before: it hides data races, and
	// is not for builds with the race detector.
	Counter
)

// Sharpest is the clock that tells most in this build: Counter, or Time under the
// race detector.
func Sharpest() Clock { return sharpest }

// Recorder makes the logs of a history. Workers share nothing of it but the counter
// of that clock.
type Recorder struct {
	start time.Time
	_     [128]byte    // what is only read, and the counter
	tick  atomic.Int64 // all workers: add
	_     [120]byte    // the counter, and whatever the heap puts next
	logs  []*Log
}

// NewRecorder makes logs for the workers 0 to workers-1, with room for so many
// rows each; a row takes 24 bytes. It panics for more workers than 1 << 16.
func NewRecorder(clock Clock, workers, rows int) *Recorder {
	if workers > 1<<16 {
		panic("monitor: more than 65536 workers")
	}
	r := &Recorder{start: time.Now()}
	for i := range workers {
		l := &Log{start: r.start, worker: uint16(i), ops: make([]Op, 0, rows)}
		if clock == Counter {
			l.tick = &r.tick
		}
		r.logs = append(r.logs, l)
	}
	return r
}

// Log is what a worker writes. One goroutine at a time may use it.
type Log struct {
	start  time.Time
	tick   *atomic.Int64 // nil means start
	worker uint16
	ops    []Op
	_      [128]byte // another worker's log
}

// Log returns that of a worker.
func (r *Recorder) Log(worker int) *Log { return r.logs[worker] }

// Now is a stamp: read one right before the call and one right after it.
func (l *Log) Now() int64 {
	if l.tick != nil {
		return l.tick.Add(1)
	}
	return int64(time.Since(l.start))
}

// Add writes a row, whose worker it sets. It allocates only beyond the room that
// there was.
func (l *Log) Add(op Op) {
	op.Worker = l.worker
	l.ops = append(l.ops, op)
}

// Room is for how many more rows there is room.
func (l *Log) Room() int { return cap(l.ops) - len(l.ops) }

// Collect appends what all workers wrote to h, and empties the logs. Nobody may be
// writing.
func (r *Recorder) Collect(h []Op) []Op {
	for _, l := range r.logs {
		h = append(h, l.ops...)
		l.ops = l.ops[:0]
	}
	return h
}
