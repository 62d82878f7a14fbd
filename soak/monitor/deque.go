package monitor

import "slices"

// The owner's calls follow one another, so its word can be replayed on a stack.
// What is never popped stays in it, stolen or not:
//
//	push v   v is the top
//	pop → v  v is the top, and goes
//	EMPTY    all that is left was stolen before the end of the call, and goes
//
// A pop that finds another value at the top is wrong, whatever becomes of that one:
// stolen before, what was below would be gone too; stolen later, it was there to be
// popped. So what is stolen is never popped, and is stolen in the order of the pushes.
// The two orders meet only where a steal ends before a push, another steal, or begins
// after an EMPTY; each time two intervals show it.
var dequeRule = criterion{
	{"owner", "the owner's side is used by one worker, one call after the other", (*index).crowdedOwner, nil},
	{"lifo", "the owner pops the newest", (*index).notNewest, nil},
	{"owner-empty", "EMPTY for the owner needs a moment in the call at which all it pushed is gone", (*index).ownerNeverEmpty, omitEmpty},
	{"order", "thieves take the oldest", (*index).notOldest, nil},
	{"batch-order", "a batch is in the order of the pushes", (*index).shuffledLines, nil},
	{"whole", "a batch that is taken at one moment has no gap", (*index).stolenGap, omitBatch},
	{"empty", "EMPTY for a thief needs a moment in the call at which nothing was certainly inside", (*index).thiefNeverEmpty, omitEmpty},
	{"full", "a deque without a bound refuses nothing", (*index).neverFull, func(o Options) string {
		return unless(!o.WeakFull && o.Capacity == 0, "it may refuse")
	}},
	{"abort", "a steal that lost a race had a rival", (*index).noRival, func(o Options) string {
		return unless(o.Aborts != AnyAbort, "a steal may give up without a reason")
	}},
}

// duel is what replaying the owner's word tells.
type duel struct {
	lifo, empty *Violation // the first of each
	kept        []uint32   // what is never popped, by its push
	emptied     []int32    // of each of kept: the row of the last EMPTY before it, or none
	// Of the last value: how often the owner got it while thieves were after the
	// others, and how often a thief did.
	popped, stolen int
}

func (x *index) replay() *duel {
	if x.duel != nil {
		return x.duel
	}
	d := &duel{}
	x.duel = d
	var stack []uint32
	last := int32(none)
	for i := range x.ops {
		op := &x.ops[i]
		switch {
		case op.Kind == Push && x.push[op.Value] == int32(i): // accepted, or seen to have been
			stack = append(stack, op.Value)
			if t := x.take[op.Value]; t == none || x.ops[t].Kind == Steal {
				d.kept, d.emptied = append(d.kept, op.Value), append(d.emptied, last)
			}
		case op.Kind == Pop && op.moves():
			stack = x.replayPop(d, stack, int32(i))
		case op.Kind == Pop && op.Answer == Empty && !x.o.WeakEmpty: // a weak one tells nothing
			x.replayEmpty(d, stack, int32(i))
			stack, last = stack[:0], int32(i)
		}
	}
	return d
}

func (x *index) replayPop(d *duel, stack []uint32, row int32) []uint32 {
	op, top := &x.ops[row], len(stack)-1
	if top >= 0 && stack[top] == op.Value {
		if top > 0 && x.stolenBy(stack[top-1], op.End) {
			d.popped++
		}
		return stack[:top]
	}
	at := slices.Index(stack, op.Value)
	if at < 0 {
		return stack // after an EMPTY that was wrong
	}
	if d.lifo == nil {
		d.lifo = x.violation(x.rows(op.Value, stack[top]), "the owner pops value %d while value %d is newer", x.name(op.Value), x.name(stack[top]))
	}
	return slices.Delete(stack, at, at+1)
}

// stolenBy tells whether v may have been stolen by the time t.
func (x *index) stolenBy(v uint32, t int64) bool {
	i := x.take[v]
	return x.takeBegin(v) <= t && (i == none || x.ops[i].Kind == Steal)
}

func (x *index) replayEmpty(d *duel, stack []uint32, row int32) {
	if len(stack) > 0 {
		d.stolen++
	}
	for _, v := range stack {
		if d.empty == nil && !x.stolenBy(v, x.ops[row].End) {
			d.empty = x.violation(append(x.rows(v), row), "the owner's pop said EMPTY while value %d was inside", x.name(v))
		}
	}
}

func (x *index) notNewest() *Violation       { return x.replay().lifo }
func (x *index) ownerNeverEmpty() *Violation { return x.replay().empty }

// thiefNeverEmpty is neverEmpty of thieves.
func (x *index) thiefNeverEmpty() *Violation {
	x.replay() // says that x is of a deque
	return x.neverEmpty()
}

// crowdedOwner looks for two workers on the owner's side, calls that overlap, and
// a pop of what is pushed only later.
func (x *index) crowdedOwner() *Violation {
	last := int32(none)
	for i := range x.ops {
		op := &x.ops[i]
		if op.Kind == Steal {
			continue
		}
		if last != none && x.ops[last].Worker != op.Worker {
			return x.violation([]int32{last, int32(i)}, "workers %d and %d use the owner's side", x.ops[last].Worker, op.Worker)
		}
		if last != none && op.Begin < x.ops[last].End && !op.sameCall(x.ops[last]) {
			return x.violation([]int32{last, int32(i)}, "two calls of the owner overlap")
		}
		if op.Kind == Pop && op.moves() && x.push[op.Value] > int32(i) {
			return x.violation(x.rows(op.Value), "the owner pops value %d and then pushes it", x.name(op.Value))
		}
		last = int32(i)
	}
	return nil
}

// notOldest looks for a value that was certainly stolen while an older one was
// inside.
func (x *index) notOldest() *Violation {
	last, of := int64(-1<<63), uint32(0)
	for _, v := range x.replay().kept {
		if x.takeEnd(v) < last {
			return x.violation(x.rows(of, v), "value %d is stolen before value %d, which is older", x.name(v), x.name(of))
		}
		if begin := x.takeBegin(v); begin > last {
			last, of = begin, v
		}
	}
	return nil
}

// stolenGap looks for two neighbours of a batch that were not next to each other
// at any one moment: something that is never popped is between them, or the deque
// was empty after the one and before the other.
func (x *index) stolenGap() *Violation {
	d := x.replay()
	place := make([]int32, len(x.push))
	for i, v := range d.kept {
		place[v] = int32(i)
	}
	return x.calls(func(begin, end int) *Violation {
		if x.ops[begin].Kind != Steal {
			return nil
		}
		for i := begin + 1; i < end; i++ {
			a, b := x.ops[i-1].Value, x.ops[i].Value
			if x.push[a] == none || x.push[b] == none {
				continue
			}
			if from, to := place[a], place[b]; to-from > 1 {
				w := d.kept[from+1]
				return x.violation(x.rows(a, w, b), "a batch has values %d and %d, and not value %d between them", x.name(a), x.name(b), x.name(w))
			} else if row := d.emptied[to]; to > from && row != d.emptied[from] {
				return x.violation(append(x.rows(a, b), row), "a batch has values %d and %d, and the deque was empty in between", x.name(a), x.name(b))
			}
		}
		return nil
	})
}
