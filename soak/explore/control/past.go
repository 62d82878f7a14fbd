package control

// Unordered tells whether another thread has passed g, needing some of its
// bits, and nothing that t has done so far comes after that. t has announced an
// operation at g and not committed it, so that what happens at g now does not
// count as an order.
func (t *Thread) Unordered(g *Gate) bool {
	x := t.x
	if x.unwinding || t.dead || t.alone {
		return false
	}
	var past []bool
	for i := x.recent[g.id]; i >= 0; i = x.events[i].Prev {
		e := &x.events[i]
		if e.Needs == 0 || int(e.Thread) == t.id {
			continue
		}
		if past == nil {
			past = x.past(t)
		}
		if !past[i] {
			return true
		}
	}
	return false
}

// past marks the events that happen before t's next one but for what that one
// does.
func (x *Execution) past(t *Thread) []bool {
	past := make([]bool, len(x.events))
	todo := []int32{t.latest, t.after}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if i < 0 || past[i] {
			continue
		}
		past[i] = true
		e := &x.events[i]
		todo = append(todo, e.After, x.before(i))
		for k := e.Prev; k >= 0; k = x.events[k].Prev {
			if f := &x.events[k]; f.Wrote || e.Wrote {
				todo = append(todo, k)
			}
		}
	}
	return past
}

// before is the event before i of the same thread, or -1.
func (x *Execution) before(i int32) int32 {
	for k := i - 1; k >= 0; k-- {
		if x.events[k].Thread == x.events[i].Thread {
			return k
		}
	}
	return -1
}
