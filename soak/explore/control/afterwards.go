package control

import (
	"errors"
	"fmt"
)

// ErrEndless: what looks at the end of an execution does not come to its own.
var ErrEndless = errors.New("a check waits or loops for ever")

// Afterwards runs f when an execution has ended, as its only thread: there is
// nothing to pick and nothing is an event, but it takes x.Steps steps at most,
// and nobody is left to wait for. A panic of f is an error.
func (x *Execution) Afterwards(f func() error) (err error) {
	guard := x.Guard
	x.Guard = false
	t := &Thread{x: x, alone: true}
	current.Store(t)
	defer func() {
		current.Store(nil)
		x.Guard = guard
		switch r := recover().(type) {
		case nil:
		case abort:
			err = ErrEndless
		default:
			err = fmt.Errorf("panic in a check: %v", r)
		}
	}()
	return f()
}

// aloneStep is announce in Afterwards.
func (t *Thread) aloneStep(g *Gate, needs uint8) {
	t.refused++
	if t.refused > t.x.Steps || g != nil && g.IsShut(needs) {
		panic(abort{})
	}
}
