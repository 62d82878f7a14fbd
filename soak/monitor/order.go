package monitor

import (
	"cmp"
	"slices"
)

// overtaken looks for values a and b where the push of a ended before that of b
// began, and b was certainly taken first. It goes through the pushes by their
// begin and remembers, of those that ended before, which was taken last. What was
// never certainly inside was not overtaken.
func (x *index) overtaken() *Violation {
	ended := x.insides()
	last, of := int64(-1<<63), uint32(0)
	i := 0
	for _, b := range x.spans() {
		for ; i < len(ended) && ended[i].from < b.pushBegin; i++ {
			if a := ended[i]; a.to > last {
				last, of = a.to, a.value
			}
		}
		if b.takeEnd < last {
			return x.violation(x.rows(of, b.value), "value %d overtakes value %d", x.name(b.value), x.name(of))
		}
	}
	return nil
}

// name is a value as it is in the history.
func (x *index) name(v uint32) uint32 {
	if i := x.push[v]; i != none {
		return x.h[i].Value
	}
	return x.h[x.take[v]].Value
}

// outOfLine looks for values a and b of one producer, a pushed first and b
// certainly taken first. It goes through the pushes from the last one and
// remembers, for each producer, which was taken first.
func (x *index) outOfLine() *Violation {
	type first struct {
		end   int64
		value uint32
	}
	lines := make([]first, x.workers())
	for i := range lines {
		lines[i].end = Never
	}
	for i := len(x.ops) - 1; i >= 0; i-- {
		op := &x.ops[i]
		if op.Kind != Push || !op.moves() && op.Answer != Pending || x.push[op.Value] != int32(i) {
			continue
		}
		line := &lines[op.Worker]
		if line.end < x.takeBegin(op.Value) {
			return x.violation(x.rows(op.Value, line.value), "value %d overtakes value %d of the same producer", x.name(line.value), x.name(op.Value))
		}
		if end := x.takeEnd(op.Value); end < line.end {
			*line = first{end, op.Value}
		}
	}
	return nil
}

// workers is one more than the greatest number of a worker.
func (x *index) workers() int {
	n := 0
	for i := range x.ops {
		n = max(n, int(x.ops[i].Worker)+1)
	}
	return n
}

// shuffledLines looks in each batch for two values of one producer that are not
// in its order.
func (x *index) shuffledLines() *Violation {
	newest := make([]struct{ batch, row int32 }, x.workers())
	return x.calls(func(begin, end int) *Violation {
		for i := begin; i < end; i++ {
			row := x.push[x.ops[i].Value]
			if row == none {
				continue
			}
			line := &newest[x.ops[row].Worker]
			if line.batch == int32(end) && line.row > row { // no two batches end at one row
				return x.shuffledPair(x.ops[line.row].Value, x.ops[i].Value)
			}
			line.batch, line.row = int32(end), row
		}
		return nil
	})
}

func (x *index) shuffledPair(first, second uint32) *Violation {
	return x.violation(x.rows(first, second), "a batch has value %d before value %d, which was pushed first", x.name(first), x.name(second))
}

// shuffled is shuffledLines for the values of all producers: it goes through a
// batch from its end and remembers which push ended first.
func (x *index) shuffled() *Violation {
	if v := x.shuffledLines(); v != nil {
		return v
	}
	return x.calls(func(begin, end int) *Violation {
		first, of := int64(Never), uint32(0)
		for i := end - 1; i >= begin; i-- {
			v := x.ops[i].Value
			if x.push[v] == none {
				continue
			}
			push := &x.ops[x.push[v]]
			if first < push.Begin {
				return x.shuffledPair(v, of)
			}
			if push.End < first {
				first, of = push.End, v
			}
		}
		return nil
	})
}

// gap looks for a value that was certainly between two neighbours of a batch.
func (x *index) gap() *Violation {
	var g *gaps
	return x.calls(func(begin, end int) *Violation {
		if g == nil {
			g = x.gaps()
		}
		for i := begin + 1; i < end; i++ {
			a, b := x.ops[i-1].Value, x.ops[i].Value
			if w, found := g.between(a, b); found {
				return x.violation(x.rows(a, w, b), "a batch has values %d and %d, and not value %d between them", x.name(a), x.name(b), x.name(w))
			}
		}
		return nil
	})
}

// gaps finds what is between two values.
type gaps struct {
	*index
	// endsFirst[i] is the index, in spans, of the push that ends first among
	// those from i on.
	endsFirst []int32
	next      []int32 // the row of the producer's next push, by value; or none
}

func (x *index) gaps() *gaps {
	spans := x.spans()
	g := &gaps{index: x, endsFirst: make([]int32, len(spans)), next: make([]int32, len(x.push))}
	for i := len(spans) - 1; i >= 0; i-- {
		g.endsFirst[i] = int32(i)
		if i+1 < len(spans) && spans[g.endsFirst[i+1]].pushEnd < spans[i].pushEnd {
			g.endsFirst[i] = g.endsFirst[i+1]
		}
	}
	last := make([]int32, x.workers())
	for i := range last {
		last[i] = none
	}
	for i := len(x.ops) - 1; i >= 0; i-- {
		op := &x.ops[i]
		if op.Kind == Push && int(op.Value) < len(x.push) && x.push[op.Value] == int32(i) {
			g.next[op.Value], last[op.Worker] = last[op.Worker], int32(i)
		}
	}
	return g
}

// between returns a value that must come out after a and before b.
func (g *gaps) between(a, b uint32) (w uint32, found bool) {
	if g.push[a] == none || g.push[b] == none {
		return 0, false
	}
	from, to := &g.ops[g.push[a]], &g.ops[g.push[b]]
	if next := g.next[a]; from.Worker == to.Worker && next != none && next < g.push[b] {
		return g.ops[next].Value, true
	}
	if from.End >= to.Begin {
		return 0, false
	}
	spans := g.spans()
	i, _ := slices.BinarySearchFunc(spans, from.End+1, func(s span, t int64) int { return cmp.Compare(s.pushBegin, t) })
	if i == len(spans) || spans[g.endsFirst[i]].pushEnd >= to.Begin {
		return 0, false
	}
	return spans[g.endsFirst[i]].value, true
}
