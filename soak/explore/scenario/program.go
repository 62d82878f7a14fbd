package scenario

import (
	"fmt"
	"slices"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/soak/explore"
)

// play is a scenario on a back end, as a program to explore.
type play struct {
	Scenario
	backend queues.Backend[*Item]
	options queues.Options
	check   Checker

	items   []Item   // all of them, by value-1
	labels  []string // of pushes, likewise
	threads [][]Operation
	history History
}

func newPlay(s Scenario, b queues.Backend[*Item], o queues.Options, check Checker) *play {
	p := &play{Scenario: s, backend: b, options: o, check: check, threads: make([][]Operation, len(s.Words))}
	for i := range 2 * s.Size() {
		p.items = append(p.items, Item(i+1))
		p.labels = append(p.labels, fmt.Sprintf("push %d", i+1))
	}
	return p
}

// Body runs once per execution.
func (p *play) Body(t *explore.T) {
	q := open(p)
	t.Name("q", q)
	first := 0 // the first of the thread's items
	for i, word := range p.Words {
		p.threads[i] = p.threads[i][:0]
		from := first
		t.Go(func() { p.thread(i, word, from, q) })
		for _, op := range word {
			first += items(op)
		}
	}
	t.Check(func() error { return p.judge(q) })
}

// thread does a word. Its items begin after the first ones.
func (p *play) thread(i int, word string, first int, q *queue) {
	for _, op := range word {
		var did []Operation
		var from, to int
		switch n := items(op); op {
		case push, enter, pushTwo:
			from, to = explore.Call(p.labels[first], func() { did = q.push(p.pointers(first, n)) })
			first += n
		case pop, leave:
			from, to = explore.Call("pop", func() { did = q.pop(1) })
		case leaveTwo:
			from, to = explore.Call("pop up to 2", func() { did = q.pop(2) })
		case steal:
			from, to = explore.Call("steal", func() { did = q.steal(i-1, 1) })
		case stealTwo:
			from, to = explore.Call("steal up to 2", func() { did = q.steal(i-1, 2) })
		}
		for k, o := range did {
			o.Thread, o.From, o.To, o.Also = i, from, to, k > 0
			p.threads[i] = append(p.threads[i], o)
		}
	}
}

func (p *play) pointers(first, n int) (all []*Item) {
	for i := range n {
		all = append(all, &p.items[first+i])
	}
	return all
}

// judge looks at what the execution did.
func (p *play) judge(q *queue) error {
	h := &p.history
	*h = History{Kind: p.Kind, Promises: p.backend.Promises, Operations: h.Operations[:0], Left: h.Left[:0]}
	for _, t := range p.threads {
		h.Operations = append(h.Operations, t...)
	}
	for range p.items {
		o := q.pop(1)[0]
		if o.Action == Empty {
			break
		}
		h.Left = append(h.Left, o.Value)
	}
	if p.Kind == queues.KindDeque {
		slices.Reverse(h.Left)
	}
	if err := h.once(); err != nil {
		return fmt.Errorf("%w:%v", err, h)
	}
	return p.check(h)
}
