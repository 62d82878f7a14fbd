package scenario

import (
	"fmt"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/soak/explore"
)

// play is a scenario on a back end, as a program to explore.
type play struct {
	Scenario
	backend queues.Backend[*Item]
	options queues.Options
	check   Checker

	items   []Item // all of them, by value-1
	threads [][]Operation
	history History
}

// queue is either side of a back end, as the scenario's letters see it.
type queue struct {
	injector queues.Injector[*Item]
	deque    queues.Deque[*Item]
	thieves  []queues.Stealer[*Item]
}

func newPlay(s Scenario, b queues.Backend[*Item], o queues.Options, check Checker) *play {
	p := &play{Scenario: s, backend: b, options: o, check: check, threads: make([][]Operation, len(s.Words))}
	for i := range s.Size() {
		p.items = append(p.items, Item(i+1))
	}
	return p
}

// program runs once per execution.
func (p *play) program(t *explore.T) {
	q := p.open()
	t.Name("q", q)
	first := 0 // the first of the thread's items
	for i, word := range p.Words {
		p.threads[i] = p.threads[i][:0]
		from := first
		t.Go(func() { p.thread(i, word, from, q) })
		for _, op := range word {
			if op == push || op == enter {
				first++
			}
		}
	}
	t.Check(func() error { return p.judge(q) })
}

func (p *play) open() *queue {
	q := new(queue)
	if p.Kind == queues.KindInjector {
		q.injector = p.backend.Injector(p.options)
		return q
	}
	q.deque = p.backend.Deque(p.options)
	for range p.Words[1:] {
		q.thieves = append(q.thieves, q.deque.Stealer())
	}
	return q
}

// thread does a word. Its items begin after the first ones.
func (p *play) thread(i int, word string, first int, q *queue) {
	for _, op := range word {
		o := Operation{Thread: i}
		switch op {
		case push, enter:
			o.Value = p.items[first]
			o.From, o.To = explore.Call(fmt.Sprintf("push %d", o.Value), func() { o.Action = q.push(&p.items[first]) })
			first++
		case pop, leave:
			o.From, o.To = explore.Call("pop", func() { o.Action, o.Value = q.pop() })
		case steal:
			o.From, o.To = explore.Call("steal", func() { o.Action, o.Value = q.steal(i - 1) })
		}
		p.threads[i] = append(p.threads[i], o)
	}
}

func (q *queue) push(v *Item) Action {
	ok := false
	if q.deque != nil {
		ok = q.deque.Push(v)
	} else {
		ok = q.injector.Push(v)
	}
	if ok {
		return Pushed
	}
	return Refused
}

func (q *queue) pop() (Action, Item) {
	var v *Item
	var ok bool
	if q.deque != nil {
		v, ok = q.deque.Pop()
	} else {
		v, ok = q.injector.Pop()
	}
	switch {
	case !ok:
		return Empty, 0
	case v == nil:
		return Popped, 0
	}
	return Popped, *v
}

func (q *queue) steal(thief int) (Action, Item) {
	var dst [1]*Item
	n, retry := q.thieves[thief].Steal(dst[:])
	switch {
	case n == 0 && retry:
		return Lost, 0
	case n == 0:
		return Empty, 0
	case dst[0] == nil:
		return Stolen, 0
	}
	return Stolen, *dst[0]
}

// judge looks at what the execution did.
func (p *play) judge(q *queue) error {
	h := &p.history
	*h = History{Kind: p.Kind, Promises: p.backend.Promises, Operations: h.Operations[:0], Left: h.Left[:0]}
	for _, t := range p.threads {
		h.Operations = append(h.Operations, t...)
	}
	for range 2 * len(p.items) {
		action, v := q.pop()
		if action == Empty {
			break
		}
		h.Left = append(h.Left, v)
	}
	if p.Kind == queues.KindDeque {
		for i, j := 0, len(h.Left)-1; i < j; i, j = i+1, j-1 {
			h.Left[i], h.Left[j] = h.Left[j], h.Left[i]
		}
	}
	if err := h.once(); err != nil {
		return fmt.Errorf("%w:%v", err, h)
	}
	return p.check(h)
}
