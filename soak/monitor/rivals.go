package monitor

import "slices"

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
	r := &rivals{ops: make([]*Op, 0, len(x.ops))}
	for i := range x.ops {
		op := &x.ops[i]
		took := op.Kind != Push && (op.moves() || op.Answer == Pending)
		if took || x.o.Aborts == RivalAbort {
			r.ops = append(r.ops, op)
		}
	}
	r.ends = make([][2]ending, 0, len(r.ops))
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
