package scenario

import (
	"errors"
	"fmt"
	"strings"

	"github.com/exactlyonce/certify/queues"
)

// Item is what goes through the queues: a number from 1.
type Item int

// Action is what an operation did.
type Action uint8

const (
	Pushed  Action = iota // Value went in
	Refused               // Value did not go in
	Popped                // Value came out, at the owner's end or of an injector
	Stolen                // Value came out, at the thieves' end
	Empty                 // nothing came out: there was nothing
	Lost                  // nothing came out: somebody was faster
)

// Operation is one call, or one item of a call that took several.
type Operation struct {
	Thread   int
	Action   Action
	Value    Item
	From, To int  // when; an operation of one thread comes after those before it
	Also     bool // of the same call as the one before
}

func (o Operation) String() string {
	switch o.Action {
	case Pushed:
		return fmt.Sprintf("push %d", o.Value)
	case Refused:
		return fmt.Sprintf("push %d refused", o.Value)
	case Popped:
		return fmt.Sprintf("pop %d", o.Value)
	case Stolen:
		return fmt.Sprintf("steal %d", o.Value)
	case Empty:
		return "empty"
	}
	return "lost"
}

// History is what an execution did to the queue.
type History struct {
	Kind       queues.Kind
	Promises   queues.Promises
	Operations []Operation // by thread, in the thread's order
	Left       []Item      // what was in the queue at the end, oldest first
}

// overlapped tells whether a call of another thread was under way during i.
func (h *History) overlapped(i int) bool {
	for j, o := range h.Operations {
		if o.Thread != h.Operations[i].Thread && !h.precedes(i, j) && !h.precedes(j, i) {
			return true
		}
	}
	return false
}

// precedes tells whether a had ended before b began.
func (h *History) precedes(a, b int) bool {
	x, y := &h.Operations[a], &h.Operations[b]
	if x.Thread == y.Thread {
		return a < b
	}
	return x.To < y.From
}

func (h *History) String() string {
	var b strings.Builder
	for i, o := range h.Operations {
		if i == 0 || h.Operations[i-1].Thread != o.Thread {
			fmt.Fprintf(&b, "\n  %c:", 'a'+o.Thread)
		}
		fmt.Fprintf(&b, " %v [%d,%d]", o, o.From, o.To)
	}
	fmt.Fprintf(&b, "\n  left: %v", h.Left)
	return b.String()
}

// once checks that every item that went in came out or is left, once, and no
// other, and that whoever lost a race had a rival.
func (h *History) once() error {
	count := map[Item]int{}
	for i, o := range h.Operations {
		if o.Action == Lost && !h.overlapped(i) {
			return errors.New("a thief lost a race although nobody else did anything")
		}
		switch o.Action {
		case Pushed:
			count[o.Value]++
		case Popped, Stolen:
			count[o.Value]--
		}
	}
	for _, v := range h.Left {
		count[v]--
	}
	for v, n := range count {
		switch {
		case n > 0:
			return fmt.Errorf("item %d is lost", v)
		case n < 0:
			return fmt.Errorf("item %d came out %d times too often", v, -n)
		}
	}
	return nil
}
