package main

import (
	"sync"

	"github.com/exactlyonce/certify/executor"
)

// What chance alone would bring now and then, the beginning and the end of each life
// bring for certain: a task that is cancelled in the queue, one that is while it runs, a
// full executor, each way to fail, and a Stop with tasks in the queue.

// opened is how many tasks the opening cancels in the queue.
const opened = 8

// fillable is up to which capacity the opening fills the executor.
const fillable = 256

// gates are tasks that hold all workers, until release is closed or their contexts end.
type gates struct {
	l       *life
	marks   []mark
	release chan struct{}
	tickets []ticket
}

func newGates(l *life) *gates {
	return &gates{l: l, marks: l.take(submitted, l.config.Workers), release: make(chan struct{})}
}

// hold returns when they run. It is false when the executor takes nothing any more.
func (g *gates) hold() bool {
	var running sync.WaitGroup
	for i := range g.marks {
		m := &g.marks[i]
		running.Add(1)
		h, err := g.l.pool.submit(func(w *executor.Worker) (int, error) {
			m.ran()
			running.Done()
			select {
			case <-g.release:
			case <-w.Context().Done():
			}
			return answer, nil
		})
		if err != nil {
			g.l.complain("a task that is to hold a worker: %v", err)
			return false
		}
		g.tickets = append(g.tickets, accept(h, m, fine))
	}
	running.Wait()
	return true
}

func (l *life) settleAll(tickets []ticket) {
	for _, t := range tickets {
		l.settle(t)
	}
}

// open is the beginning, before anybody else gives tasks.
func (l *life) open() {
	g := newGates(l)
	if !g.hold() {
		return
	}
	var all []ticket
	for i, ms := 0, l.take(tried, opened); i < opened; i++ {
		t, _ := l.try(&ms[i], dropped)
		all = append(all, t...)
	}
	if l.config.Capacity <= fillable {
		all = append(all, l.fill()...)
	}
	g.tickets[0].won = g.tickets[0].handle.Cancel(nil)
	close(g.release)
	l.settleAll(g.tickets)
	l.settleAll(all)
	l.failures()
}

// try gives one task with a handle, if there is room.
func (l *life) try(m *mark, f fate) (accepted []ticket, full bool) {
	h, err := l.pool.trySubmit(l.body(m, f))
	if err != nil {
		l.refused(err)
		return nil, true
	}
	return []ticket{accept(h, m, f)}, false
}

// fill gives tasks of both sorts until there is no room.
func (l *life) fill() (all []ticket) {
	refusals := l.tally.saturated.Load()
	for i, ms := 0, l.take(tried, l.config.Capacity); i < len(ms); i++ {
		t, full := l.try(&ms[i], fine)
		if full {
			break
		}
		all = append(all, t...)
	}
	for i, ms := 0, l.take(alone, l.config.Capacity+1); i < len(ms); i++ {
		if err := l.pool.tryGive(l.unowned[fine], &ms[i]); err != nil {
			l.refused(err)
			break
		}
		ms[i].give()
	}
	if n := l.tally.saturated.Load() - refusals; n != 2 {
		l.complain("a full executor refused %d tasks, want one of each sort", n)
	}
	return all
}

// failures is one of each, with a handle and light.
func (l *life) failures() {
	for _, f := range []fate{fails, panics, exits} {
		m := &l.take(submitted, 1)[0]
		if h, err := l.pool.submit(l.body(m, f)); err != nil {
			l.complain("a task that is to fail: %v", err)
		} else {
			l.settle(accept(h, m, f))
		}
		if m = &l.take(alone, 1)[0]; l.pool.give(nil, l.unowned[f], m) == nil {
			m.give()
		}
	}
}

// finale is the end. It has its ids from the beginning, for it comes when most are gone.
type finale struct {
	l             *life
	gates         *gates
	queued, light []mark
}

func newFinale(l *life) *finale {
	f := &finale{l: l}
	if l.shape.end == stopped {
		f.gates, f.queued, f.light = newGates(l), l.take(tried, 16), l.take(alone, 16)
	}
	return f
}

func (f *finale) end() {
	l := f.l
	if f.gates == nil {
		l.ends.Store(true)
		f.over(l.pool.end(false))
		return
	}
	var all []ticket
	if f.gates.hold() {
		for i := range f.queued {
			t, _ := l.try(&f.queued[i], fine)
			all = append(all, t...)
		}
		for i := range f.light {
			if err := l.pool.tryGive(l.unowned[fine], &f.light[i]); err != nil {
				l.refused(err)
			} else {
				f.light[i].give()
			}
		}
	}
	l.ends.Store(true)
	l.stops.Store(true)
	f.over(l.pool.end(true))
	l.settleAll(f.gates.tickets)
	l.settleAll(all)
}

func (f *finale) over(err error) {
	if err != nil {
		f.l.complain("the end: %v", err)
	}
}
