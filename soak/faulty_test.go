package soak_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/exactlyonce/certify/internal/stress"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
)

// pool is a correct subject in a few lines: a goroutine a worker, a channel
// and a WaitGroup. The hooks make it faulty, each in one way.
type pool struct {
	workers int
	batches uint64
	calls   chan func(worker int)
	crew    sync.WaitGroup

	times    func(i int) int // how often task i is run
	handle   func(i, value int) (int, int)
	spawns   func(n int) int
	idle     func(worker int) bool // the worker never takes a task
	label    func(worker int) int
	more     int // the probe of this task runs too, unless 0
	stats    func(*soak.Stats)
	closeErr error
	onClose  func()
	err      error
}

func (p *pool) start() {
	p.calls = make(chan func(worker int))
	for w := range p.workers {
		if p.idle == nil || !p.idle(w) {
			p.crew.Go(func() {
				for call := range p.calls {
					call(w)
				}
			})
		}
	}
}

func (p *pool) Workers() int { return p.workers }

func (p *pool) Batch(n int, probe soak.Probe, each func(i, value int, err error)) (int, error) {
	values := make([]int, n)
	spawned := n
	if p.spawns != nil {
		spawned = p.spawns(n)
	}
	var tasks sync.WaitGroup
	for i := range n {
		times := 1
		if p.times != nil {
			times = p.times(i)
		}
		tasks.Add(1)
		p.calls <- func(worker int) {
			defer tasks.Done()
			if p.label != nil {
				worker = p.label(worker)
			}
			for range times {
				values[i] = probe(i, worker)
			}
		}
	}
	tasks.Wait()
	if p.more > 0 {
		probe(p.more, -1)
	}
	for i, v := range values {
		if p.handle != nil {
			i, v = p.handle(i, v)
		}
		each(i, v, nil)
	}
	p.batches++
	return spawned, p.err
}

func (p *pool) Stats() soak.Stats {
	s := soak.Stats{Gauges: []soak.Gauge{{Name: "level", Value: 0, Min: 0, Max: 4, Quiet: 0}}}
	if p.stats != nil {
		p.stats(&s)
	}
	return s
}

func (p *pool) Close() error {
	close(p.calls)
	p.crew.Wait()
	if p.onClose != nil {
		p.onClose()
	}
	return p.closeErr
}

// poolOf is an executor of pools that fault has been at.
func poolOf(name string, fault func(*pool)) soak.Executor {
	return soak.Executor{Name: name, About: "a pool for tests", New: func(o soak.Options) (soak.Subject, error) {
		p := &pool{workers: max(o.Workers, 1)}
		if fault != nil {
			fault(p)
		}
		p.start()
		return p, nil
	}}
}

const (
	faultyTasks = 1000
	faultyBatch = 100
	marked      = 50 // the task of a batch that the fault is about; in the first, past the meeting
)

func markedRuns(times int) func(i int) int {
	return func(i int) int {
		if i == marked {
			return times
		}
		return 1
	}
}

// faults are subjects with one fault each, and what a drill must say of them.
// release, made anew for each, ends what would stay for ever.
var faults = []struct {
	name   string
	reason record.Reason
	fault  func(p *pool, release chan struct{})
}{
	{"loses a task", record.Lost, func(p *pool, _ chan struct{}) {
		p.times = markedRuns(0)
		p.handle = func(i, v int) (int, int) {
			if i == marked { // its handle lies too
				v = int(p.batches)*faultyBatch + i
			}
			return i, v
		}
	}},
	{"runs one twice", record.Duplicated, func(p *pool, _ chan struct{}) {
		p.times = markedRuns(2)
	}},
	{"returns a wrong value", record.Contract, func(p *pool, _ chan struct{}) {
		p.handle = func(i, v int) (int, int) {
			if i == marked {
				v++
			}
			return i, v
		}
	}},
	{"swaps two handles", record.Contract, func(p *pool, _ chan struct{}) {
		p.handle = func(i, v int) (int, int) {
			switch i {
			case marked:
				return marked + 1, v
			case marked + 1:
				return marked, v
			}
			return i, v
		}
	}},
	{"spawns fewer than asked", record.Contract, func(p *pool, _ chan struct{}) { p.spawns = func(n int) int { return n - 1 } }},
	{"has an error for a batch", record.Contract, func(p *pool, _ chan struct{}) { p.err = errors.New("no batch today") }},
	{"never uses a worker", record.Stall, func(p *pool, release chan struct{}) {
		p.idle = func(worker int) bool { return worker == p.workers-1 }
		p.crew.Go(func() { // it comes late, so that the test ends
			<-release
			for call := range p.calls {
				call(p.workers - 1)
			}
		})
	}},
	{"never finishes", record.Stall, func(p *pool, release chan struct{}) {
		p.times = func(i int) int {
			if i == marked && p.batches == 3 {
				<-release
			}
			return 1
		}
	}},
	{"leaves a goroutine", record.Leak, func(p *pool, release chan struct{}) { p.onClose = func() { go func() { <-release }() } }},
	{"shows a gauge out of range", record.Contract, func(p *pool, _ chan struct{}) {
		p.stats = func(s *soak.Stats) { s.Gauges[0].Value = 5 }
	}},
	{"shows a gauge below zero", record.Contract, func(p *pool, _ chan struct{}) {
		p.stats = func(s *soak.Stats) { s.Gauges[0].Value = -1 }
	}},
	{"shows a gauge that is not at rest", record.Contract, func(p *pool, _ chan struct{}) {
		p.stats = func(s *soak.Stats) { s.Gauges[0].Value = 1 }
	}},
	{"has counters that do not add up", record.Contract, func(p *pool, _ chan struct{}) {
		p.stats = func(s *soak.Stats) { s.Unbalanced = "2 in, 1 out" }
	}},
	{"cannot be closed", record.Contract, func(p *pool, _ chan struct{}) { p.closeErr = errors.New("still in use") }},
	{"runs tasks beside its workers", record.Contract, func(p *pool, _ chan struct{}) { p.label = func(int) int { return -1 } }},
	{"runs a task that was never submitted", record.Duplicated, func(p *pool, _ chan struct{}) { p.more = faultyTasks }},
}

// Each faulty subject is found out, for the reason that its fault is.
func TestFaultySubjectsAreKilled(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			stress.Watchdog(t)
			release := make(chan struct{})
			defer close(release)
			faulty := poolOf("faulty", func(p *pool) { f.fault(p, release) })
			spec := soak.Spec{Tasks: faultyTasks, Batch: faultyBatch, Workers: 3}
			if f.reason == record.Stall {
				spec.Stall = 200 * time.Millisecond
			}
			o, err := soak.Check(faulty, spec)
			if err != nil {
				t.Fatal(err)
			}
			if o.Reason != f.reason || o.Verdict != f.reason.Verdict() || o.Detail == "" || o.Err() == nil {
				t.Errorf("%s (%s), want %s: %s", o.Verdict, o.Reason, f.reason, o.Detail)
			}
		})
	}
}

// Correct subjects pass, so that a finding means something.
func TestGoodSubjectsPass(t *testing.T) {
	for _, tasks := range []int{1, 2, 3, 63, 64, 65, faultyTasks} {
		for _, e := range []soak.Executor{poolOf("pool", nil), soak.Goroutines()} {
			stress.Watchdog(t)
			soak.Run(t, e, soak.Spec{Tasks: tasks, Batch: faultyBatch, Workers: 3})
		}
	}
}
