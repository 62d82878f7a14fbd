package monitor

import (
	"cmp"
	"slices"
)

// scene is what random histories are of.
type scene struct {
	kind    kind
	o       Options
	batches bool
	pending bool
}

// exact tells whether the monitor must say what the reference says; else it only
// must not find what is not there.
func (s scene) exact() bool {
	switch {
	case s.pending:
		return false
	case s.kind == dequeKind:
		return true
	}
	return s.o.Capacity == 0 && !s.batches
}

// generator makes histories by playing a queue and then spoiling what was played.
// Its choices are numbers below n that dice gives, so that a fuzzer can make them.
type generator struct {
	dice func(n int) int
	scene
	calls  []call
	inside []uint32
	maker  map[uint32]int
	next   uint32
}

// call is a call with its moment.
type call struct {
	at, begin, end int64
	worker         int
	kind           Kind
	answer         Answer // Done, Empty, Full, Lost, Pending
	values         []uint32
}

const mostCalls = 10

func (g *generator) odds(n int) bool { return g.dice(n) == 0 }

// generate returns a history, spoiled more often than not.
func (g *generator) generate() []Op {
	g.maker = map[uint32]int{}
	workers := 2 + g.dice(4)
	for i := range 3 + g.dice(mostCalls-2) {
		c := call{at: int64(4 * (i + 1)), worker: g.dice(workers)}
		g.play(&c)
		g.calls = append(g.calls, c)
	}
	g.widen()
	if g.dice(10) < 8 {
		for range 1 + g.dice(2) {
			g.spoil()
		}
	}
	if g.pending {
		g.suspend()
	}
	return g.history()
}

// play chooses what a call is, and its answer.
func (g *generator) play(c *call) {
	c.kind = Kind(g.dice(2))
	if len(g.inside) == 0 && g.odds(2) {
		c.kind = Push
	}
	if g.kind == dequeKind && c.worker > 0 {
		c.kind = Steal
	}
	n := 1
	if g.batches && g.odds(2) {
		n += g.dice(3)
	}
	for ; n > 0 && g.playOne(c); n-- {
	}
	if c.kind == Steal && len(c.values) == 0 && g.odds(8) {
		c.answer = Lost
	}
}

// playOne moves a value, and tells whether another may follow.
func (g *generator) playOne(c *call) bool {
	if c.kind == Push {
		bound := g.o.Capacity > 0 && g.kind != dequeKind
		if bound && len(g.inside) >= g.o.Capacity || g.next == 13 {
			if len(c.values) == 0 && bound {
				c.answer, c.values = Full, []uint32{g.next}
				g.next++
			} else if len(c.values) == 0 {
				c.kind = Pop
				return true
			}
			return false
		}
		g.inside, c.values = append(g.inside, g.next), append(c.values, g.next)
		g.maker[g.next] = c.worker
		g.next++
		return true
	}
	if len(g.inside) == 0 {
		if len(c.values) == 0 {
			c.answer = Empty
		}
		return false
	}
	at := g.choose(c.kind)
	c.values = append(c.values, g.inside[at])
	g.inside = slices.Delete(g.inside, at, at+1)
	return c.kind != Pop || g.kind != dequeKind
}

// choose is which of the values inside goes.
func (g *generator) choose(k Kind) int {
	switch {
	case g.kind == dequeKind && k == Pop:
		return len(g.inside) - 1
	case g.kind == bagKind:
		return g.dice(len(g.inside))
	case g.kind == producerKind:
		w := g.maker[g.inside[g.dice(len(g.inside))]]
		return slices.IndexFunc(g.inside, func(v uint32) bool { return g.maker[v] == w })
	}
	return 0
}

// widen gives each call an interval around its moment. Those of one worker do not
// touch.
func (g *generator) widen() {
	spread := 1 + g.dice(14)
	last := map[int]int{}
	for i := range g.calls {
		c := &g.calls[i]
		c.begin, c.end = c.at-int64(g.dice(spread)), c.at+int64(g.dice(spread))
		if j, ok := last[c.worker]; ok {
			p := &g.calls[j]
			p.end = min(p.end, c.at-1)
			c.begin = max(c.begin, p.end+1)
		}
		last[c.worker] = i
	}
}

// spoil changes something.
func (g *generator) spoil() {
	i, j := g.dice(len(g.calls)), g.dice(len(g.calls))
	a, b := &g.calls[i], &g.calls[j]
	switch g.dice(10) {
	case 0: // two removals swap values
		if len(a.values) > 0 && len(b.values) > 0 && a.kind != Push && b.kind != Push {
			k, l := g.dice(len(a.values)), g.dice(len(b.values))
			a.values[k], b.values[l] = b.values[l], a.values[k]
		}
	case 1: // a removal takes what another took, or what was never pushed
		if len(a.values) > 0 && len(b.values) > 0 && a.kind != Push {
			a.values[g.dice(len(a.values))] = b.values[g.dice(len(b.values))]
		}
	case 2: // a call is left out
		if len(g.calls) > 1 {
			g.calls = slices.Delete(g.calls, i, i+1)
		}
	case 3: // a removal finds nothing
		if a.kind != Push {
			a.answer, a.values = Empty, nil
		}
	case 4: // an interval shrinks
		a.begin += int64(g.dice(int(a.end-a.begin) + 1))
		a.end = a.begin + int64(g.dice(int(a.end-a.begin)+1))
	case 5: // a batch is shuffled
		if n := len(a.values); n > 1 {
			k, l := g.dice(n), g.dice(n)
			a.values[k], a.values[l] = a.values[l], a.values[k]
		}
	case 6:
		g.insert(a)
	case 7: // a push is refused
		if a.kind == Push && len(a.values) == 1 {
			a.answer = Full
		}
	case 8: // two calls swap their places
		a.begin, b.begin = b.begin, a.begin
		a.end, b.end = b.end, a.end
		a.worker, b.worker = b.worker, a.worker
		if g.kind == dequeKind && (a.worker == 0) != (b.worker == 0) {
			a.worker, b.worker = b.worker, a.worker
			a.begin, b.begin = b.begin, a.begin
			a.end, b.end = b.end, a.end
		}
	case 9:
		g.interleave(i)
	}
}

// interleave lets a batch and the removal after it overlap, and take a value of each
// other's.
func (g *generator) interleave(i int) {
	takes := func(c call) bool { return c.kind != Push && len(c.values) > 0 }
	for ; i < len(g.calls); i++ {
		if a := &g.calls[i]; takes(*a) && len(a.values) > 1 {
			for j := i + 1; j < len(g.calls); j++ {
				if b := &g.calls[j]; takes(*b) && b.worker != a.worker {
					last := &a.values[len(a.values)-1]
					*last, b.values[0] = b.values[0], *last
					a.end = max(a.end, min(g.free(a), b.begin))
					return
				}
			}
		}
	}
}

// free is until when the worker of a does nothing else.
func (g *generator) free(a *call) int64 {
	until := a.end + 20
	for _, c := range g.calls {
		if c.worker == a.worker && c.begin > a.end {
			until = min(until, c.begin-1)
		}
	}
	return until
}

// insert puts a call that moves nothing right after a.
func (g *generator) insert(a *call) {
	until := g.free(a)
	if until <= a.end {
		return
	}
	c := call{worker: a.worker, kind: Pop, answer: Empty}
	c.begin = a.end + 1 + int64(g.dice(int(until-a.end)))
	c.end = c.begin + int64(g.dice(int(until-c.begin)+1))
	if g.kind == dequeKind && a.worker > 0 {
		c.kind = Steal
		if g.odds(2) {
			c.answer = Lost
		}
	}
	g.calls = append(g.calls, c)
}

// suspend makes the last calls of some workers such that have not returned.
func (g *generator) suspend() {
	last := map[int]int{}
	for i, c := range g.calls {
		if j, ok := last[c.worker]; !ok || c.begin > g.calls[j].begin {
			last[c.worker] = i
		}
	}
	for i := range g.calls {
		if c := &g.calls[i]; last[c.worker] == i && g.odds(2) {
			c.end, c.answer = Never, Pending
			if c.kind != Push {
				c.values = nil
			}
		}
	}
}

// history are the rows, by worker.
func (g *generator) history() (h []Op) {
	slices.SortStableFunc(g.calls, func(a, b call) int {
		return cmp.Or(cmp.Compare(a.worker, b.worker), cmp.Compare(a.begin, b.begin))
	})
	for _, c := range g.calls {
		op := Op{Begin: c.begin, End: c.end, Worker: uint16(c.worker), Kind: c.kind, Answer: c.answer}
		if len(c.values) == 0 {
			h = append(h, op)
		}
		for i, v := range c.values {
			op.Value = v
			if i > 0 && c.answer == Done {
				op.Answer = Also
			}
			h = append(h, op)
		}
	}
	return h
}
