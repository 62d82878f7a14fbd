package soak

import (
	"math/rand/v2"
	"runtime"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak/monitor"
)

// hand is one goroutine's side of a history. One goroutine at a time uses it.
type hand struct {
	*history
	log    *monitor.Log
	dice   *rand.Rand
	buf    []*executor.Task
	spare  int // how many more answers that move nothing are recorded in this batch
	moved  int // items pushed less items taken
	pushed uint64
	fresh  bool  // it moved something since the last answer that moved nothing
	sizes  []int // of bursts in this batch
	long   int   // the greatest Len it saw
	low    int   // the least, if below 0
	answers
	_ [128]byte // another hand's
}

// answers are counts of what a hand was told.
type answers struct {
	steals, stolen, races, empties, refusals, batches float64
}

func (a *answers) add(b answers) {
	a.steals += b.steals
	a.stolen += b.stolen
	a.races += b.races
	a.empties += b.empties
	a.refusals += b.refusals
	a.batches += b.batches
}

// serial is the value of item i of this batch.
func (w *hand) serial(i int) uint32 { return w.base[w.side] + uint32(i) }

func (w *hand) burst() int { return w.sizes[w.dice.IntN(len(w.sizes))] }

// push pushes item i of the batch, and tells whether it was accepted.
func (w *hand) push(q interface{ Push(*executor.Task) bool }, i int) bool {
	v := w.pool[w.side][i]
	begin := w.log.Now()
	ok := q.Push(v)
	end := w.log.Now()
	if !ok {
		w.refusals++
		w.idle(monitor.Op{Begin: begin, End: end, Kind: monitor.Push, Answer: monitor.Full, Value: w.serial(i)})
		return false
	}
	w.move(1)
	w.log.Add(monitor.Op{Begin: begin, End: end, Kind: monitor.Push, Value: w.serial(i)})
	return true
}

// pushAll pushes the items from i to before j, and returns how many were accepted.
func (w *hand) pushAll(q queues.BatchPusher[*executor.Task], i, j int) int {
	vs := w.pool[w.side][i:j]
	begin := w.log.Now()
	n := q.PushAll(vs)
	op := monitor.Op{Begin: begin, End: w.log.Now(), Kind: monitor.Push}
	n = w.within("PushAll", n, len(vs))
	for k := range n {
		op.Value = w.serial(i + k)
		w.log.Add(op)
		op.Answer = monitor.Also
	}
	w.move(n)
	if n < len(vs) { // the first one that was left was refused
		w.refusals++
		op.Answer, op.Value = monitor.Full, w.serial(i+n)
		w.idle(op)
	}
	return n
}

// take records what a removal returned: the first n of w.buf.
func (w *hand) take(kind monitor.Kind, begin, end int64, n int) {
	op := monitor.Op{Begin: begin, End: end, Kind: kind}
	if n == 0 {
		op.Answer = monitor.Empty
		w.empties++
		w.idle(op)
		return
	}
	for k, v := range w.buf[:n] {
		op.Value = w.valueOf(v)
		w.log.Add(op)
		op.Answer = monitor.Also
		w.buf[k] = nil
	}
	w.move(-n)
}

// move notes that a call pushed n items, or took -n.
func (w *hand) move(n int) {
	w.moved += n
	w.pushed += uint64(max(0, n))
	w.fresh = w.fresh || n != 0
	if n > 1 || n < -1 {
		w.batches++
	}
}

// look reads Len now and then. Whatever it may be while others operate, a number of
// items is never negative.
func (w *hand) look(q interface{ Len() int }) {
	if w.dice.IntN(8) > 0 {
		return
	}
	n := q.Len()
	if n < 0 && w.low == 0 {
		w.found.add(record.Contract, "Len is %d while others operate: it is never negative", n)
	}
	w.long, w.low = max(w.long, n), min(w.low, n)
}

// idle records an answer that moved nothing, if it says something new.
func (w *hand) idle(op monitor.Op) {
	if !w.fresh {
		if w.spare == 0 {
			return
		}
		w.spare--
	}
	w.fresh = false
	w.log.Add(op)
}

// pop takes one item.
func (w *hand) pop(q interface {
	Pop() (*executor.Task, bool)
}) bool {
	begin := w.log.Now()
	v, ok := q.Pop()
	end := w.log.Now()
	if !ok {
		w.take(monitor.Pop, begin, end, 0)
		return false
	}
	w.buf[0] = v
	w.take(monitor.Pop, begin, end, 1)
	return true
}

// popInto takes up to room items.
func (w *hand) popInto(q queues.Injector[*executor.Task], room int) int {
	begin := w.log.Now()
	n := q.PopInto(w.buf[:room])
	end := w.log.Now()
	n = w.within("PopInto", n, room)
	w.take(monitor.Pop, begin, end, n)
	return n
}

// steal takes up to room of the oldest items.
func (w *hand) steal(q queues.Stealer[*executor.Task], room int) (n int, retry bool) {
	begin := w.log.Now()
	n, retry = q.Steal(w.buf[:room])
	end := w.log.Now()
	n = w.within("Steal", n, room)
	switch {
	case n > 0:
		w.steals++
		w.stolen += float64(n)
		w.take(monitor.Steal, begin, end, n)
	case retry:
		w.races++
		w.idle(monitor.Op{Begin: begin, End: end, Kind: monitor.Steal, Answer: monitor.Lost})
	default:
		w.take(monitor.Steal, begin, end, 0)
	}
	return n, retry
}

// within is n, or the nearest to it of what can be true.
func (w *hand) within(call string, n, most int) int {
	if n < 0 || n > most {
		w.found.add(record.Contract, "%s returned %d of at most %d", call, n, most)
	}
	return max(0, min(n, most))
}

// pause lets others run, at times.
func (w *hand) pause() {
	if w.dice.IntN(2) == 0 {
		runtime.Gosched()
	}
}

// full tells whether the log has room for no further burst: more came out than
// went in.
func (w *hand) full() bool { return w.log.Room() < len(w.buf) }
