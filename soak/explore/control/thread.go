package control

import (
	"iter"
	"runtime"
	"runtime/debug"
)

// Thread is one logical thread.
//
//	         first announcement        picked, next announcement
//	started ---------------------> waiting <--------------------> running
//	    |                             | unwind                       |
//	    +-----------> done <----------+------------------------------+
type Thread struct {
	x      *Execution
	id     int
	nested bool // started by another thread, not by the program
	done   bool
	body   func()

	// What it is about to do, as announced.
	loc   int32
	kind  Kind
	needs uint8
	gate  *Gate
	after int32

	spin  spin
	waits string // what a blocked thread waits for, in words

	count   int32 // events so far
	latest  int32 // the newest of them, or -1
	began   int32 // the first event of the span that runs, or -1
	refused int   // announcements while being unwound, or alone
	alone   bool  // it is the one of Afterwards
	lost    bool  // it could not be unwound
	dead    bool  // it did what is fatal
	inside  bool  // of a call of a Package

	*coroutine
}

// coroutine runs the bodies of threads, one after the other; it outlives them.
type coroutine struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	owner *Thread // whose body to run next; nil ends it
	foot  uintptr // its bottom; 0 until somebody asks
}

// abort is what a thread panics with when its execution is over, exit when it
// wants to end.
type (
	abort struct{}
	exit  struct{}
)

func newCoroutine() *coroutine {
	c := &coroutine{}
	c.next, c.stop = iter.Pull(func(yield func(struct{}) bool) {
		c.yield = yield
		for c.owner != nil {
			c.owner.run()
			if !yield(struct{}{}) {
				return
			}
		}
	})
	return c
}

// run is a thread's life, inside its coroutine.
func (t *Thread) run() {
	defer t.end()
	if t.x.Guard && t.foot == 0 {
		t.foot = bottom()
	}
	t.body()
}

// end is called when the body has returned or panicked.
func (t *Thread) end() {
	x := t.x
	if r := recover(); r != nil {
		switch r.(type) {
		case abort, exit:
		default:
			x.panicked(t, r, debug.Stack())
		}
	}
	t.done = true
	x.live--
	if x.starting || x.unwinding {
		return
	}
	x.choose()
}

// announce says what t does next and returns when it has been picked.
func (t *Thread) announce(l *Loc, k Kind, g *Gate, needs uint8) {
	x := t.x
	if t.alone {
		t.aloneStep(g, needs)
		return
	}
	if x.unwinding || t.dead {
		t.unwound(g, needs)
		return
	}
	t.loc, t.kind, t.gate, t.needs = x.number(l, g), k, g, needs
	if x.starting {
		x.starting = false
	} else {
		x.choose()
		if x.next == t {
			return
		}
	}
	t.yield(struct{}{})
	if x.unwinding {
		panic(abort{})
	}
}

// unwound is announce in a thread whose deferred functions run while it is
// being unwound: what would wait for somebody ends the thread instead. A body
// that recovers from everything forever is left behind.
func (t *Thread) unwound(g *Gate, needs uint8) {
	t.refused++
	if t.refused > 10_000 {
		t.lost = true
		for {
			t.yield(struct{}{})
		}
	}
	if t.refused > 100 || g != nil && g.IsShut(needs) {
		panic(abort{})
	}
}

// commit makes the announced operation an event.
func (t *Thread) commit(wrote bool) {
	x := t.x
	if x.unwinding || t.dead || t.alone {
		return
	}
	e := Event{Thread: int32(t.id), Loc: t.loc, Index: t.count + 1, Prev: x.recent[t.loc], After: t.after, Wrote: wrote, Needs: t.needs}
	if t.gate != nil {
		e.Shut = t.gate.shut
		if t.gate.by > 0 {
			e.After = t.gate.by - 1
		}
	}
	t.count++
	t.after = -1
	i := int32(len(x.events))
	t.latest = i
	if t.began < 0 {
		t.began = i
	}
	x.recent[t.loc] = i
	x.events = append(x.events, e)
	if wrote {
		x.writes++
		x.idle = 0
	} else {
		x.idle++
		t.spin.visit(t.loc, x.writes)
	}
	if x.Trace {
		x.note(t)
	}
	x.picker.Commit(x, int(i))
}

// enabled tells whether t can act if it is picked.
func (t *Thread) enabled() bool { return t.gate == nil || t.gate.shut&t.needs == 0 }

// own tells whether the caller is a thread's goroutine, and notes it if not.
func (t *Thread) own() bool {
	if pc := bottom(); pc == t.foot || pc == tooDeep {
		return true
	}
	t.x.alien.Store(true)
	return false
}

// bottom is the outermost place of the goroutine that calls which tells what it
// is: for a thread, where its coroutine calls run.
func bottom() (pc uintptr) {
	var room [512]uintptr
	n := runtime.Callers(2, room[:])
	if n == len(room) {
		return tooDeep
	}
	return room[max(n-foot, 0)]
}

const (
	foot    = 4 // frames below and including newCoroutine's function
	tooDeep = 0 // the bottom of a stack that is too deep to look at each time
)
