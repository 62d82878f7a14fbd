package control

import (
	"fmt"
	"strings"
)

// choose sets next, or ends the execution.
func (x *Execution) choose() {
	if x.over {
		x.next = nil
		return
	}
	if len(x.events) >= x.Steps {
		x.finish(TooLong)
		return
	}
	enabled := x.Enabled()
	if enabled == 0 {
		if x.live > 0 {
			x.finish(Deadlocked)
		} else {
			x.finish(Completed)
		}
		return
	}
	if x.idle > x.Patience {
		x.finish(Livelocked)
		return
	}
	i := x.picker.Pick(x, enabled)
	if i < 0 {
		x.finish(Stopped)
		return
	}
	x.next = x.threads[i]
}

func (x *Execution) finish(end End) {
	x.next = nil
	if x.over {
		return
	}
	x.over, x.end = true, end
	x.left, x.stuck, x.nested = 0, "", true
	for i, t := range x.threads {
		if !t.done {
			x.left |= One(i)
			x.nested = x.nested && t.nested
		}
	}
	if end != Completed {
		x.stuck = x.whoWaits()
	}
}

// Enabled is the set of threads that can act. Threads that are held in a loop
// are not in it, unless nobody else is: then one of them is, each in turn.
func (x *Execution) Enabled() (enabled Set) {
	var held Set
	for i, t := range x.threads {
		if t.done || !t.enabled() {
			continue
		}
		if t.spin.writes == x.writes && t.kind != KindWrite && t.spin.held(t.loc, x.writes, x.Spin) {
			held |= One(i)
			continue
		}
		enabled |= One(i)
	}
	if held == 0 {
		return enabled
	}
	x.Held++
	if enabled == 0 {
		return x.turn(held)
	}
	return enabled
}

// turn picks the next of held after the thread of the last event.
func (x *Execution) turn(held Set) Set {
	last := x.Last()
	for k := 1; k <= len(x.threads); k++ {
		if i := (last + k) % len(x.threads); held.Has(i) {
			return One(i)
		}
	}
	return held
}

func (x *Execution) whoWaits() string {
	var all []string
	for i, t := range x.threads {
		if !t.done && !t.enabled() {
			all = append(all, fmt.Sprintf("thread %s waits %s", Letter(i), t.waits))
		}
	}
	return strings.Join(all, ", ")
}
