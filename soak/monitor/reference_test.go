package monitor

// kind of queue, as the reference plays it.
type kind uint8

const (
	fifoKind kind = iota
	producerKind
	bagKind
	dequeKind
)

func (k kind) criterion() Criterion {
	return [...]Criterion{FIFO, ProducerFIFO, Bag, Deque}[k]
}

// step is a call as the reference plays it: all that happens at one moment.
type step struct {
	op     Op
	values []uint32
	before uint32 // a bit for each step that must have been played
}

// reference decides by trying all orders. It is exact for whatever it is given:
// batches, bounds, calls that never returned.
type reference struct {
	kind  kind
	o     Options
	steps []step
	must  uint32 // steps that must be played
	maker map[uint32]uint16
	seen  map[position]bool
	tired bool // there were more positions than mostPositions
}

// mostPositions is where the search gives up: the orders of 30 calls at once, of which
// none is what it should be, would take it minutes.
const mostPositions = 200_000

// position is the steps that were played and what is inside, oldest lowest, four
// bits each, values from 1.
type position struct {
	played uint32
	inside uint64
}

// legal is the verdict of the reference, if it came to one. Histories have at most 30
// steps and values up to 14.
func legal(k kind, h []Op, o Options) (ok, decided bool) {
	r := &reference{kind: k, o: o, maker: map[uint32]uint16{}, seen: map[position]bool{}}
	for i, op := range h {
		if op.Answer == Lost && !r.justified(h, op) {
			return false, true
		}
		if op.Kind == Push {
			r.maker[op.Value] = op.Worker
		}
		r.enter(h, i)
	}
	r.order()
	ok = r.play(position{})
	return ok, !r.tired
}

func (r *reference) enter(h []Op, i int) {
	op := h[i]
	last := len(r.steps) - 1
	if op.Answer == Also && op.Kind != Push && r.o.AtomicBatch {
		r.steps[last].values = append(r.steps[last].values, op.Value)
		return
	}
	s := step{op: op}
	if op.moves() || op.Kind == Push {
		s.values = []uint32{op.Value}
	}
	if op.Answer == Also {
		s.before = 1 << last
	}
	r.steps = append(r.steps, s)
	if op.Answer != Pending {
		r.must |= 1 << (len(r.steps) - 1)
	}
}

// order finds which steps must come before which. The calls of one worker are in
// the order of their rows.
func (r *reference) order() {
	for i := range r.steps {
		for j := range r.steps {
			a, b := r.steps[j].op, r.steps[i].op
			if a.End < b.Begin || a.Worker == b.Worker && j < i {
				r.steps[i].before |= 1 << j
			}
		}
	}
}

func (r *reference) play(p position) bool {
	if p.played&r.must == r.must && (!r.o.Drained || p.inside == 0) {
		return true
	}
	if r.seen[p] {
		return false
	}
	r.seen[p] = true
	if r.tired = len(r.seen) > mostPositions; r.tired {
		return true // which ends it
	}
	for i := range r.steps {
		s := &r.steps[i]
		if p.played&(1<<i) != 0 || p.played&s.before != s.before {
			continue
		}
		for _, inside := range r.apply(p.inside, s) {
			if r.play(position{p.played | 1<<i, inside}) {
				return true
			}
		}
	}
	return false
}

// apply returns what may be inside after a step, for each way to play it.
func (r *reference) apply(inside uint64, s *step) []uint64 {
	n := size(inside)
	switch {
	case s.op.Kind == Push && s.op.Answer == Full:
		if r.o.WeakFull || r.o.Capacity > 0 && n >= r.o.Capacity {
			return []uint64{inside}
		}
		return nil
	case s.op.Kind == Push:
		if r.o.Capacity > 0 && n >= r.o.Capacity && r.kind != dequeKind {
			return nil
		}
		return []uint64{inside | uint64(s.values[0]+1)<<(4*n)}
	case s.op.Answer == Empty && !r.o.WeakEmpty && n > 0:
		return nil
	case s.op.Answer == Pending:
		return r.takeAny(inside, s.op.Kind)
	}
	for _, v := range s.values {
		at := r.find(inside, v, s.op.Kind)
		if at < 0 {
			return nil
		}
		inside = remove(inside, at)
	}
	return []uint64{inside}
}

// takeAny is a removal that had not returned: it took something or nothing.
func (r *reference) takeAny(inside uint64, k Kind) []uint64 {
	all := []uint64{inside}
	for at := range size(inside) {
		if v := uint32(inside>>(4*at)&15) - 1; r.find(inside, v, k) == at {
			all = append(all, remove(inside, at))
		}
	}
	return all
}

// find returns where v is, if it may be taken, else -1.
func (r *reference) find(inside uint64, v uint32, k Kind) int {
	n := size(inside)
	for at := range n {
		u := uint32(inside>>(4*at)&15) - 1
		switch {
		case u == v:
			if r.kind == dequeKind && k == Pop && at != n-1 {
				return -1
			}
			return at
		case r.kind == fifoKind, r.kind == dequeKind && k == Steal, r.kind == producerKind && r.maker[u] == r.maker[v]:
			return -1 // u comes first
		}
	}
	return -1
}

func size(inside uint64) (n int) {
	for ; inside != 0; inside >>= 4 {
		n++
	}
	return n
}

func remove(inside uint64, at int) uint64 {
	low := uint64(1)<<(4*at) - 1
	return inside&low | inside>>4&^low
}

// justified tells whether a call of another worker overlaps the abort.
func (r *reference) justified(h []Op, abort Op) bool {
	for _, op := range h {
		took := op.Kind != Push && (op.moves() || op.Answer == Pending)
		if op.Worker != abort.Worker && op.Begin <= abort.End && op.End >= abort.Begin && (took || r.o.Aborts == RivalAbort) {
			return true
		}
	}
	return r.o.Aborts == AnyAbort
}
