package scenario

import "github.com/exactlyonce/certify/queues"

// queue is either kind of back end, as the letters of scenarios see it.
type queue struct {
	injector queues.Injector[*Item]
	deque    queues.Deque[*Item]
	thieves  []queues.Stealer[*Item]
}

func open(p *play) *queue {
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

// push pushes one item, or a batch if the back end has such.
func (q *queue) push(vs []*Item) []Operation {
	switch batch, ok := q.deque.(queues.BatchPusher[*Item]); {
	case len(vs) > 1 && ok:
		return pushed(vs, batch.PushAll(vs))
	case len(vs) > 1 && q.injector != nil:
		return pushed(vs, q.injector.PushAll(vs))
	}
	var all []Operation
	for _, v := range vs {
		ok := false
		if q.deque != nil {
			ok = q.deque.Push(v)
		} else {
			ok = q.injector.Push(v)
		}
		n := 0
		if ok {
			n = 1
		}
		all = append(all, pushed([]*Item{v}, n)...)
	}
	return all
}

// pushed says that the first n of vs went in and the others did not.
func pushed(vs []*Item, n int) []Operation {
	all := make([]Operation, 0, len(vs))
	for i, v := range vs {
		o := Operation{Action: Refused, Value: *v}
		if i < n {
			o.Action = Pushed
		}
		all = append(all, o)
	}
	return all
}

// pop takes up to n, which is 1 for a deque.
func (q *queue) pop(n int) []Operation {
	dst := make([]*Item, n)
	if n > 1 {
		n = q.injector.PopInto(dst)
		return taken(Popped, dst, n, Empty)
	}
	ok := false
	if q.deque != nil {
		dst[0], ok = q.deque.Pop()
	} else {
		dst[0], ok = q.injector.Pop()
	}
	if !ok {
		n = 0
	}
	return taken(Popped, dst, n, Empty)
}

func (q *queue) steal(thief, n int) []Operation {
	dst := make([]*Item, n)
	n, retry := q.thieves[thief].Steal(dst)
	if retry {
		return taken(Stolen, dst, n, Lost)
	}
	return taken(Stolen, dst, n, Empty)
}

// taken says that the first n of dst came out, or else why nothing did. A nil
// that came out is item 0, which never went in.
func taken(action Action, dst []*Item, n int, nothing Action) []Operation {
	if n == 0 {
		return []Operation{{Action: nothing}}
	}
	all := make([]Operation, 0, n)
	for _, v := range dst[:min(n, len(dst))] {
		o := Operation{Action: action}
		if v != nil {
			o.Value = *v
		}
		all = append(all, o)
	}
	return all
}
