package monitor

import "slices"

// index is a history with what several rules need to know of it.
type index struct {
	o Options
	h []Op // as given
	// ops is h, but that sparse values are numbered in order.
	ops []Op

	// push and take are the rows at which a value went in and first came out,
	// or none.
	push, take []int32
	again      int32 // a row at which a value came out again, or none
	bad, worse int32 // two rows that cannot both be in a history, or none

	// pending is the Begin of the first removal that had not returned, else Never:
	// what was never taken may have been, from then on.
	pending int64

	bySpan []span // of all values that were pushed, by pushBegin; made by spans
	cover  []inside
	duel   *duel
}

const none = -1

// span is the life of a value.
type span struct {
	pushBegin, pushEnd int64
	takeBegin, takeEnd int64
	value              uint32
}

func newIndex(h []Op, o Options) *index {
	x := &index{o: o, h: h, ops: dense(h), again: none, bad: none, worse: none, pending: Never}
	var size uint32
	for i := range x.ops {
		if x.ops[i].moves() || x.ops[i].Kind == Push {
			size = max(size, x.ops[i].Value+1)
		}
	}
	rows := make([]int32, 2*int(size))
	for i := range rows {
		rows[i] = none
	}
	x.push, x.take = rows[:size:size], rows[size:]
	for i := range x.ops {
		x.enter(int32(i))
	}
	for i, op := range x.ops { // a push that may have happened counts if it is seen to have
		if op.Kind == Push && op.Answer == Pending && x.take[op.Value] != none {
			x.enterPush(int32(i))
		}
	}
	return x
}

// enter notes one row.
func (x *index) enter(i int32) {
	op := &x.ops[i]
	switch {
	case !op.possible():
		x.bad, x.worse = i, i
	case op.Answer == Also && !x.continues(i):
		x.bad, x.worse = i, i
	case op.moves() && op.Kind == Push:
		x.enterPush(i)
	case op.moves():
		if x.take[op.Value] == none {
			x.take[op.Value] = i
		} else if x.again == none {
			x.again = i
		}
	case op.Answer == Pending && op.Kind != Push:
		x.pending = min(x.pending, op.Begin)
	}
}

func (x *index) enterPush(i int32) {
	v := x.ops[i].Value
	if x.push[v] != none {
		x.bad, x.worse = x.push[v], i
	}
	x.push[v] = i
}

// continues tells whether row i can be of the same call as the one before.
func (x *index) continues(i int32) bool {
	if i == 0 {
		return false
	}
	a, b := &x.ops[i-1], &x.ops[i]
	return a.moves() && a.Kind == b.Kind && a.Worker == b.Worker && a.Begin == b.Begin && a.End == b.End
}

// dense numbers the values anew if they are far apart.
func dense(h []Op) []Op {
	var greatest uint32
	for i := range h {
		greatest = max(greatest, h[i].Value)
	}
	if int64(greatest) <= 4*int64(len(h))+1024 {
		return h
	}
	var values []uint32
	for i := range h {
		values = append(values, h[i].Value)
	}
	slices.Sort(values)
	values = slices.Compact(values)
	ops := slices.Clone(h)
	for i := range ops {
		n, _ := slices.BinarySearch(values, ops[i].Value)
		ops[i].Value = uint32(n)
	}
	return ops
}

// takeBegin is when v may have begun to be taken: Never, if it cannot have been.
func (x *index) takeBegin(v uint32) int64 {
	if i := x.take[v]; i != none {
		return x.ops[i].Begin
	}
	return x.pending
}

func (x *index) takeEnd(v uint32) int64 {
	if i := x.take[v]; i != none {
		return x.ops[i].End
	}
	return Never
}

// spans are the lives of the values that were pushed, by the begin of the push.
func (x *index) spans() []span {
	if x.bySpan != nil {
		return x.bySpan
	}
	all := make([]span, 0, len(x.push))
	for v, i := range x.push {
		if i != none {
			op := &x.ops[i]
			all = append(all, span{op.Begin, op.End, x.takeBegin(uint32(v)), x.takeEnd(uint32(v)), uint32(v)})
		}
	}
	x.bySpan = sortRuns(all, func(s *span) int64 { return s.pushBegin })
	return x.bySpan
}

// call returns the row after the last one of the call that begins at row i.
func (x *index) call(i int) int {
	for i++; i < len(x.ops) && x.ops[i].Answer == Also; i++ {
	}
	return i
}

// calls runs f for each removal of more than one value, with its rows, until f
// returns a violation.
func (x *index) calls(f func(begin, end int) *Violation) *Violation {
	for i := 0; i < len(x.ops); {
		end := x.call(i)
		if end-i > 1 && x.ops[i].Kind != Push {
			if v := f(i, end); v != nil {
				return v
			}
		}
		i = end
	}
	return nil
}

// rows are the rows at which the values went in and came out.
func (x *index) rows(values ...uint32) (rows []int32) {
	for _, v := range values {
		for _, i := range []int32{x.push[v], x.take[v]} {
			if i != none {
				rows = append(rows, i)
			}
		}
	}
	return rows
}

// malformed: the recorder's fault, and not the queue's.
func (x *index) malformed() *Violation {
	if x.bad == none {
		return nil
	}
	if x.bad == x.worse {
		return x.violation([]int32{x.bad}, "no call has this answer")
	}
	return x.violation([]int32{x.bad, x.worse}, "value %d is pushed twice", x.h[x.bad].Value)
}

func (x *index) unpushed() *Violation {
	for v, i := range x.take {
		if i == none {
			continue
		}
		if x.push[v] == none {
			return x.violation([]int32{i}, "value %d is taken and was never pushed", x.h[i].Value)
		}
		if x.ops[i].End < x.ops[x.push[v]].Begin {
			return x.violation(x.rows(uint32(v)), "value %d is taken before its push begins", x.h[i].Value)
		}
	}
	return nil
}

func (x *index) repeated() *Violation {
	if x.again == none {
		return nil
	}
	return x.violation(append(x.rows(x.ops[x.again].Value), x.again), "value %d is taken twice", x.h[x.again].Value)
}

func (x *index) missing() *Violation {
	var lost []uint32
	for v, i := range x.push {
		if i != none && x.take[v] == none && x.pending == Never {
			lost = append(lost, uint32(v))
		}
	}
	if lost == nil {
		return nil
	}
	return x.violation(x.rows(lost[0]), "value %d is never taken; such values: %d", x.h[x.push[lost[0]]].Value, len(lost))
}
