package control

import "sync/atomic"

// current is the thread that runs, or nil. The execution's driver writes it at
// each switch, shims read it.
var current atomic.Pointer[Thread]

// tracing is true while the running execution keeps a trace.
var tracing atomic.Bool

// Tracing tells whether [Note] wants to be called.
func Tracing() bool { return tracing.Load() }

// Running returns the thread that the caller is, or nil outside of one and inside
// of a call that is one step. With nil the caller acts like the real thing.
func Running() *Thread {
	t := current.Load()
	if t == nil || t.inside || t.x.Guard && !t.own() {
		return nil
	}
	return t
}

// Read is called before an operation that only reads l.
func Read(l *Loc) {
	if current.Load() != nil {
		access(l, KindRead)
	}
}

// Write is called before an operation that writes l.
func Write(l *Loc) {
	if current.Load() != nil {
		access(l, KindWrite)
	}
}

func access(l *Loc, k Kind) {
	if t := Running(); t != nil {
		t.announce(l, k, nil, 0)
		t.commit(k == KindWrite)
	}
}

// Update is called before an operation that may write l. The caller then gives
// what it returns to [Updated], and whether l was written.
func Update(l *Loc) *Thread {
	t := Running()
	if t != nil {
		t.announce(l, KindUpdate, nil, 0)
	}
	return t
}

// Updated is called after an operation that [Update] announced.
func Updated(t *Thread, wrote bool) {
	if t != nil {
		t.commit(wrote)
	}
}

// Result passes an operation's value on, and into the story.
func Result[V any](op string, v V) V {
	if tracing.Load() {
		Note(op, v)
	}
	return v
}

// At is the location that stands for a variable that has none of its own, by
// its address.
func At(address any) *Loc {
	t := current.Load()
	if t == nil {
		return &nowhere
	}
	l := t.x.byAddress[address]
	if l == nil {
		l = new(Loc)
		t.x.byAddress[address] = l
	}
	return l
}

var nowhere Loc

// Pass waits until the bits of g are open, and then writes or only reads it.
// what says in words what is waited for. The caller is t.
func (t *Thread) Pass(g *Gate, k Kind, bits uint8, what string) {
	t.waits = what
	t.announce(&g.Loc, k, g, bits)
	t.commit(k == KindWrite)
}

// Access is an operation at g that waits for nothing.
func (t *Thread) Access(g *Gate, k Kind) {
	t.announce(&g.Loc, k, g, 0)
	if k != KindUpdate {
		t.commit(k == KindWrite)
	}
}

// Wake opens bits of g, which nobody shuts again, so that whoever passes it
// comes after t's newest event.
func (t *Thread) Wake(g *Gate, bits uint8) {
	g.shut &^= bits
	g.by = t.latest + 1
}

// Fatal ends the execution as a failure of t that no recover can undo.
func (t *Thread) Fatal(message string) {
	if t.alone {
		panic(message)
	}
	if !t.x.unwinding && !t.dead {
		t.dead = true
		t.x.panicked(t, message, nil)
	}
	panic(abort{})
}

// Yield is a Gosched: it reads the location that nobody writes.
func Yield() bool {
	t := Running()
	if t == nil {
		return false
	}
	t.announce(&t.x.idling, KindRead, nil, 0)
	t.commit(false)
	return true
}

// Exit ends the running thread, if there is one, without a failure.
func Exit() {
	if Running() != nil {
		panic(exit{})
	}
}

// Go starts f as a thread of its own. It returns false outside of a thread.
func Go(f func()) bool {
	t := Running()
	if t == nil || t.alone {
		return false
	}
	x := t.x
	t.announce(&x.births, KindWrite, nil, 0)
	t.commit(true)
	if x.unwinding || t.dead {
		return true
	}
	child := x.spawn(f)
	child.nested = true
	child.after = t.latest
	x.start, x.back = child, t
	t.yield(struct{}{})
	if x.unwinding {
		panic(abort{})
	}
	return true
}

// Spawn starts f as a thread, in a thread, and as a goroutine elsewhere.
func Spawn(f func()) {
	if !Go(f) {
		go f()
	}
}

// Span runs f, a call of the program's, and returns when it began and ended:
// at its first and its last event, which is as short as the call can seem to
// its thread. Times of one execution can be compared, and nothing else.
//
// Two executions of one class may differ in which of two calls that share no
// location ended before the other began. With Execution.RealTime they are of
// different classes.
func Span(f func()) (from, to int) {
	t := Running()
	if t == nil || t.alone {
		f()
		return 0, 0
	}
	x := t.x
	outer := t.began
	t.began = -1
	if x.RealTime {
		t.announce(&x.history, KindRead, nil, 0)
		t.commit(false)
	}
	f()
	if x.RealTime {
		t.announce(&x.history, KindWrite, nil, 0)
		t.commit(true)
	}
	from, to = 2*int(t.began)+1, 2*int(t.latest)+1
	if t.began < 0 { // no event at all: now
		from, to = 2*len(x.events), 2*len(x.events)
	}
	if t.began < 0 || outer >= 0 {
		t.began = outer // which else begins with f
	}
	return from, to
}
