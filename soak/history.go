package soak

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak/monitor"
)

// queued is a subject whose queues can be had without it.
type queued interface {
	Queues() (injector, deque queues.Backend[*executor.Task])
}

// Queues are the back ends of the executor.
func (s *workStealing) Queues() (injector, deque queues.Backend[*executor.Task]) {
	return s.injector, s.deque
}

var bare = need{"queues that can be had without it", func(s Subject) bool { _, ok := s.(queued); return ok }}

// history is a drill of a bare queue. Goroutines, its hands, call the queue and each
// record what they do in a log of their own. After each batch all is quiet: the queue
// is emptied by one hand, and the logs go to the end of rows; the next batch may be on
// a new queue. In the end the monitor judges the whole.
//
// All memory is made before the first batch. An item is a task that never runs: what
// counts is its address. A batch uses the items of the batch before the last, and
// their values in the history are new; so one that comes a batch late is known.
type history struct {
	*trial
	rng      *rand.Rand
	backend  queues.Backend[*executor.Task]
	law      monitor.Options
	recorder *monitor.Recorder
	rows     []monitor.Op
	pool     [2][]*executor.Task       // items of the even batches, and of the odd
	index    map[*executor.Task]uint32 // in both; only read once it is made
	base     [2]uint32                 // the value of the first item of each
	side     int                       // the pool of this batch
	hands    []*hand
	wrong    string         // the first Len that was
	start    uint64         // of the counters of the queue in use
	before   uint64         // pushed into those that were used before
	wraps    float64        // queues whose counters, if they begin where they were told to, went round
	told     []record.Value // what the queues that were left have counted
}

// A hand does its work in bursts of these sizes: in most batches all of one, since
// bursts of 1 keep a queue nearly empty, and large ones never meet its ends.
var bursts = [...]int{1, 8, 64, 1024}

// spare is how many answers that move nothing a hand records in a batch, beside
// those that come right after it moved something. More would say the same again.
const spare = 64

func (t *trial) newHistory(b queues.Backend[*executor.Task], hands int) *history {
	n := t.spec.Batch
	h := &history{trial: t, backend: b, rng: rand.New(rand.NewPCG(t.spec.Seed, 1)), index: make(map[*executor.Task]uint32, 2*n)}
	h.law = monitorOptions(b)
	h.makeItems(n)
	clock := monitor.Sharpest()
	if h.rng.IntN(2) == 0 { // what the counter sees is sharper, but it is in the way
		clock = monitor.Time
	}
	most := bursts[len(bursts)-1]
	// Each item is moved twice, and after each move there may be one other answer.
	h.recorder = monitor.NewRecorder(clock, hands, 4*n+spare+most)
	h.rows = make([]monitor.Op, 0, 4*t.spec.Tasks+t.spec.Batches()*hands*spare)
	for i := range hands {
		h.hands = append(h.hands, &hand{
			history: h, log: h.recorder.Log(i), dice: rand.New(rand.NewPCG(t.spec.Seed, uint64(2+i))),
			buf: make([]*executor.Task, most),
		})
	}
	return h
}

func (h *history) makeItems(n int) {
	for side := range h.pool {
		tasks := make([]executor.Task, n)
		for i := range tasks {
			h.pool[side] = append(h.pool[side], &tasks[i])
			h.index[&tasks[i]] = uint32(side*n + i)
		}
	}
	h.base[1] = uint32(n)
}

// valueOf is the value of item i of the two pools; one that is in neither has one
// that was never pushed.
func (h *history) valueOf(v *executor.Task) uint32 {
	i, known := h.index[v]
	if n := uint32(len(h.pool[0])); !known {
		return math.MaxUint32
	} else if i >= n {
		return h.base[1] + i - n
	}
	return h.base[0] + i
}

// options are those of a new queue: small, so that it grows, or is full when the
// bursts are small too, and at times right before its counters wrap.
func (h *history) options() queues.Options {
	capacity := []int{0, 2, 64}[h.rng.IntN(3)]
	if h.backend.Promises.Bounded {
		capacity = 64
	}
	h.start = []uint64{0, 1<<31 - beforeWrap, 1<<32 - beforeWrap, 1<<63 - beforeWrap, 1<<64 - beforeWrap}[h.rng.IntN(5)]
	return queues.Options{Capacity: capacity, Start: h.start}
}

// beforeWrap is how many items before the wrap of an index some queues begin.
const beforeWrap = 100

// leave notes what a queue has been through that is not used any more.
func (h *history) leave(q any) {
	pushed := uint64(0)
	for _, w := range h.hands {
		pushed += w.pushed
	}
	if h.start > 0 && pushed-h.before > beforeWrap {
		h.wraps++
	}
	h.before = pushed
	counted, ok := q.(queues.Counted)
	if !ok {
		return
	}
	for _, c := range counted.Counts() {
		i := slices.IndexFunc(h.told, func(v record.Value) bool { return v.Unit == c.What })
		if i < 0 {
			i = len(h.told)
			h.told = append(h.told, record.Value{Unit: c.What})
		}
		h.told[i].Value += float64(c.N)
	}
}

// batch runs the members of each group together until all have ended, one group
// after the other, and then quiet alone.
func (h *history) batch(n int, quiet func(), groups ...[]func()) {
	size := h.rng.IntN(len(bursts) + 1)
	for _, w := range h.hands {
		w.spare, w.sizes = spare, bursts[:]
		if size < len(bursts) {
			w.sizes = bursts[size : size+1]
		}
	}
	for _, members := range groups {
		together(members)
	}
	quiet()
	h.rows = h.recorder.Collect(h.rows)
	h.base[h.side] += 2 * uint32(len(h.pool[0]))
	h.side = 1 - h.side
}

// together runs the members, and returns when all have ended.
func together(members []func()) {
	start := make(chan struct{})
	var all sync.WaitGroup
	for _, m := range members {
		all.Go(func() {
			<-start
			m()
		})
	}
	close(start)
	all.Wait()
}

// checkLen compares Len with how many are inside while nobody operates.
func (h *history) checkLen(got int) {
	in := 0
	for _, w := range h.hands {
		in += w.moved
	}
	if got != in && h.wrong == "" {
		h.wrong = fmt.Sprintf("Len is %d while nobody operates, and %d items were pushed and not taken", got, in)
	}
	h.hands[0].long = max(h.hands[0].long, got)
}

// judge has the monitor look at the history, and lets go of it. Meanwhile no queue
// makes progress, so the watch rests.
func (h *history) judge() {
	if h.gone.Load() {
		return
	}
	h.watch.end()
	defer h.watch.start(h.trial)
	began := time.Now()
	c := criterion(h.backend)
	h.law.Drained = h.found.none()
	if v := c.Check(h.rows, h.law); v != nil {
		h.found.add(reasonOf(v.Rule), "the history is not %s: %s", c.Name, v)
	}
	if h.wrong != "" && h.found.none() { // else it follows
		h.found.add(record.Contract, "%s", h.wrong)
	}
	h.value("monitor-ns", float64(time.Since(began)))
	h.value("rows", float64(len(h.rows)))
	h.countHands()
	h.measure()
	h.rows, h.recorder = nil, nil
}

func (h *history) countHands() {
	var sum answers
	long := 0
	for _, w := range h.hands {
		long = max(long, w.long)
		sum.add(w.answers)
	}
	h.value("len-max", float64(long))
	h.counts = append(h.counts, record.Value{Unit: "steals", Value: sum.steals}, record.Value{Unit: "stolen", Value: sum.stolen},
		record.Value{Unit: "steal-races", Value: sum.races}, record.Value{Unit: "empties", Value: sum.empties},
		record.Value{Unit: "batches", Value: sum.batches}, record.Value{Unit: "near-wrap", Value: h.wraps})
	if h.backend.Promises.Bounded { // others never refuse
		h.counts = append(h.counts, record.Value{Unit: "refusals", Value: sum.refusals})
	}
	h.counts = append(h.counts, h.told...)
}

// measure records what is no law.
func (h *history) measure() {
	if h.backend.Kind() == queues.KindDeque {
		c := monitor.Contend(h.rows)
		h.value("last-popped", float64(c.LastPopped))
		h.value("last-stolen", float64(c.LastStolen))
		h.value("unexplained-races", float64(c.Unexplained))
	} else if h.backend.Promises.Order != queues.FIFO {
		r := monitor.Overtakes(h.rows)
		h.value("overtaking", float64(r.Overtaking))
		h.value("overtakes-max", float64(r.Max))
	}
}

// criterion is how a back end is judged: by the order that it promises.
func criterion(b queues.Backend[*executor.Task]) monitor.Criterion {
	switch order := b.Promises.Order; {
	case b.Kind() == queues.KindDeque && order == queues.OwnerLIFO:
		return monitor.Deque
	case b.Kind() == queues.KindInjector && order == queues.FIFO:
		return monitor.FIFO
	case b.Kind() == queues.KindInjector && order == queues.ProducerFIFO:
		return monitor.ProducerFIFO
	}
	return monitor.Bag
}

// monitorOptions are the promises that a history can break, and what the contract
// asks of all. A deque that is bounded may refuse at any time; how much a bounded
// injector holds is found out by filling one: see fill.
func monitorOptions(b queues.Backend[*executor.Task]) monitor.Options {
	o := monitor.Options{AtomicBatch: b.Promises.AtomicBatch, Aborts: monitor.RivalAbort, Drained: true, WeakEmpty: b.Promises.Tentative, WeakFull: b.Promises.Tentative}
	if b.Kind() == queues.KindDeque {
		o.WeakFull = o.WeakFull || b.Promises.Bounded
	} else if b.Promises.Bounded {
		o.Capacity = 1
	}
	return o
}

// HistoryLaws lists what the drill of b's kind holds its history against, with what
// is left out because a promise is missing.
func HistoryLaws(b queues.Backend[*executor.Task]) []monitor.Rule {
	return criterion(b).Rules(monitorOptions(b))
}

// reasonOf is what a broken rule of the monitor comes to.
func reasonOf(rule string) record.Reason {
	switch rule {
	case "lost":
		return record.Lost
	case "fresh", "repeat":
		return record.Duplicated
	case "order", "producer-order", "batch-order", "whole", "lifo":
		return record.Reordered
	}
	return record.Contract
}
