package explore

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"
)

// ErrStalled: a thread waits in something that is not under control, such as a
// channel, or computes for ever. It cannot be ended; so after this no other
// exploration runs in the process.
var ErrStalled = errors.New("a thread does not come to its next step")

// stalled is guarded by one.
var stalled bool

// ended is how the goroutine of an exploration ended: with an error, by a panic
// in the program's set-up or check, or by Goexit.
type ended struct {
	err      error
	returned bool
	panicked any
}

// watched runs f in a goroutine of its own, since a thread that blocks takes
// the goroutine along that waits for it.
func (r *runner) watched(f func() error) error {
	done := make(chan ended, 1)
	go func() {
		var e ended
		defer func() {
			if !e.returned {
				e.panicked = recover()
			}
			done <- e
		}()
		e.err = f()
		e.returned = true
	}()
	tick := time.NewTicker(r.o.Stall)
	defer tick.Stop()
	for before := int64(-1); ; {
		select {
		case e := <-done:
			if e.panicked != nil {
				panic(e.panicked)
			}
			if !e.returned {
				runtime.Goexit()
			}
			return e.err
		case <-tick.C:
			now := r.progress.Load()
			if now == before {
				stalled = true
				r.x.Abandon()
				return fmt.Errorf("explore: %w in %v:\n%s", ErrStalled, r.o.Stall, blocked())
			}
			before = now
		}
	}
}

// blocked is the stack of the thread that does not come back.
func blocked() string {
	text := make([]byte, 1<<20)
	text = text[:runtime.Stack(text, true)]
	for stack := range strings.SplitSeq(string(text), "\n\n") {
		if strings.Contains(stack, "control.(*Thread).run(") && !strings.Contains(stack, "[coroutine") {
			return stack
		}
	}
	return "no stack"
}
