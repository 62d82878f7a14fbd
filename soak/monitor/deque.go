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
		case op.Kind == Push && op.moves():
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

// Contention counts, in a history of a deque, what its owner and thieves met at.
type Contention struct {
	// LastPopped is how often the owner popped when the values below may all have
	// been stolen; LastStolen how often it found nothing though it had pushed more
	// than it had popped.
	LastPopped, LastStolen int
	Aborts                 int // steals that lost a race
	Unexplained            int // of them, with no removal of another's that overlaps
}

// Contend counts.
func Contend(h []Op) Contention {
	x := newIndex(h, Options{Aborts: RemovalAbort})
	d := x.replay()
	c := Contention{LastPopped: d.popped, LastStolen: d.stolen}
	r := x.rivals()
	for i := range x.ops {
		if x.ops[i].Answer == Lost {
			c.Aborts++
			if !r.meets(&x.ops[i]) {
				c.Unexplained++
			}
		}
	}
	return c
}

// noRival looks for a steal that lost a race against nobody.
func (x *index) noRival() *Violation {
	var r *rivals
	for i := range x.ops {
		if x.ops[i].Answer != Lost {
			continue
		}
		if r == nil {
			r = x.rivals()
		}
		if !r.meets(&x.ops[i]) {
			return x.violation([]int32{int32(i)}, "a steal lost a race, and no %s of another overlaps it", [...]string{"", "call", "removal"}[x.o.Aborts])
		}
	}
	return nil
}

// rivals are the calls that a steal can have lost a race to, by their begin.
type rivals struct {
	ops []*Op
	// ends[i] are the last ends among ops[:i+1], of two workers.
	ends [][2]ending
}

type ending struct {
	at     int64
	worker int32
}

func (x *index) rivals() *rivals {
	r := &rivals{}
	for i := range x.ops {
		op := &x.ops[i]
		took := op.Kind != Push && (op.moves() || op.Answer == Pending)
		if took || x.o.Aborts == RivalAbort {
			r.ops = append(r.ops, op)
		}
	}
	r.ops = sortRuns(r.ops, func(o **Op) int64 { return (*o).Begin })
	best := [2]ending{{-1 << 63, none}, {-1 << 63, none}}
	for _, op := range r.ops {
		e := ending{op.End, int32(op.Worker)}
		switch {
		case e.worker == best[0].worker:
			best[0].at = max(best[0].at, e.at)
		case e.at > best[0].at:
			best = [2]ending{e, best[0]}
		case e.worker == best[1].worker || e.at > best[1].at:
			best[1] = ending{max(best[1].at, e.at), e.worker}
		}
		r.ends = append(r.ends, best)
	}
	return r
}

// meets tells whether a call of another worker overlaps op.
func (r *rivals) meets(op *Op) bool {
	i, _ := slices.BinarySearchFunc(r.ops, op.End, func(o *Op, t int64) int {
		if o.Begin <= t {
			return -1
		}
		return 1
	})
	if i == 0 {
		return false
	}
	for _, e := range r.ends[i-1] {
		if e.worker != none && e.worker != int32(op.Worker) && e.at >= op.Begin {
			return true
		}
	}
	return false
}
