package control

import (
	"errors"
	"sync/atomic"
)

// Picker decides who goes on.
type Picker interface {
	// Pick returns one of the enabled threads, of which there is at least one,
	// or a negative number to end the execution.
	Pick(x *Execution, enabled Set) int
	// Commit tells of event i, the newest.
	Commit(x *Execution, i int)
}

// End is how an execution ended.
type End uint8

const (
	Completed  End = iota // every thread returned
	Stopped               // by the picker
	Deadlocked            // threads are left, none can go on
	Livelocked            // threads go on without a store
	TooLong               // the bound on steps was reached
	Panicked              // a thread did
)

// Execution runs programs, one execution after the other, and keeps what can
// be used again. Set the fields before Execute.
type Execution struct {
	Steps    int  // bound on the events of one execution
	Spin     int  // visits to a load without a store before a thread is held
	Patience int  // steps without a store that are no livelock yet
	Guard    bool // look for goroutines that are no threads: slow
	Trace    bool // keep a trace: slow
	Sources  bool // with the places in the source
	Persist  bool // after a panic the other threads go on
	RealTime bool // the order of spans counts: see Span

	// Held counts how often a thread in a loop was held, in all executions.
	Held int

	picker  Picker
	run     uint32
	threads []*Thread // by number; those of this execution
	pool    []*Thread // all that there have been
	live    int
	next    *Thread // picked; nil when the execution is over
	events  []Event
	recent  []int32 // location -> its newest event, or -1
	writes  int     // events that wrote
	idle    int     // events since the last that wrote
	end     End
	left    Set    // when it ended: who had not returned
	stuck   string // likewise: who waited for what
	nested  bool   // likewise: only threads of threads were left

	births, idling, history Loc
	byAddress               map[any]*Loc

	start, back *Thread // start is to run to its first announcement, then back goes on
	starting    bool
	over        bool
	unwinding   bool

	failure *Failure
	alien   atomic.Bool // somebody who is no thread has used a shim
	trace   trace
}

// Failure is a panic.
type Failure struct {
	Thread int
	Value  any
	Stack  []byte
}

// ErrThreads: the program started too many.
var ErrThreads = errors.New("control: more than 64 threads")

// The numbers of the locations that every execution has.
const (
	spawning  = 0 // written by each Go, so that threads have the same numbers in all orders of the same class
	yielding  = 1 // read by each Gosched, never written
	recording = 2 // see Execution.RealTime
)

// Execute runs one execution: prepare makes the state and calls [Execution.Go]
// for each thread. The caller makes sure that no other execution is running.
func (x *Execution) Execute(p Picker, prepare func()) End {
	x.reset(p)
	defer x.unwind()
	prepare()
	if x.over {
		return x.end
	}
	tracing.Store(x.Trace)
	x.choose()
	for x.next != nil && !x.over {
		t := x.next
		x.resume(t)
		if x.start != nil {
			x.launch()
		}
	}
	if x.Trace {
		x.trace.complete()
	}
	return x.end
}

func (x *Execution) reset(p Picker) {
	x.run++
	if x.run == 0 {
		x.run++
	}
	x.picker = p
	x.threads = x.threads[:0]
	x.events = x.events[:0]
	x.recent = append(x.recent[:0], -1, -1, -1)
	x.births, x.idling, x.history = Loc{x.run, spawning}, Loc{x.run, yielding}, Loc{x.run, recording}
	x.writes, x.idle, x.live = 0, 0, 0
	x.next, x.start, x.back, x.failure = nil, nil, nil, nil
	x.starting, x.over, x.unwinding = false, false, false
	x.end = Completed
	x.trace.reset()
	if len(x.byAddress) > 0 || x.byAddress == nil {
		x.byAddress = map[any]*Loc{}
	}
}

// Go declares a thread. It runs up to its first announcement.
func (x *Execution) Go(f func()) {
	x.start = x.spawn(f)
	x.launch()
}

// spawn makes a thread, from one that has been if it can.
func (x *Execution) spawn(f func()) *Thread {
	i := len(x.threads)
	if i == MaxThreads {
		panic(ErrThreads)
	}
	if i == len(x.pool) {
		x.pool = append(x.pool, &Thread{x: x, id: i, coroutine: newCoroutine()})
	}
	t := x.pool[i]
	t.body, t.done, t.nested, t.dead, t.inside = f, false, false, false, false
	t.gate, t.needs, t.after, t.count, t.latest, t.began, t.refused = nil, 0, -1, 0, -1, -1, 0
	t.spin.reset(0)
	t.owner = t
	x.threads = append(x.threads, t)
	x.live++
	return t
}

// launch runs x.start to its first announcement and hands back to x.back.
func (x *Execution) launch() {
	t := x.start
	x.start, x.starting = nil, true
	x.resume(t)
	x.starting = false
	if x.back != nil && !x.over {
		x.next = x.back
	}
	x.back = nil
}

// resume lets t run until it hands back.
func (x *Execution) resume(t *Thread) {
	current.Store(t)
	t.coroutine.next()
	current.Store(nil)
}

// unwind ends all threads that are left.
func (x *Execution) unwind() {
	tracing.Store(false)
	x.unwinding = true
	x.starting = false
	for _, t := range x.threads {
		if !t.done {
			x.resume(t)
		}
		if t.lost {
			t.coroutine, t.lost = newCoroutine(), false
		}
		t.body = nil
	}
	current.Store(nil)
}

// panicked notes the first panic.
func (x *Execution) panicked(t *Thread, value any, stack []byte) {
	if x.failure == nil {
		x.failure = &Failure{t.id, value, stack}
	}
	if !x.Persist {
		x.finish(Panicked)
	}
}

// number returns the number of l in this execution. A gate that a thread of an
// earlier execution has left shut is opened.
func (x *Execution) number(l *Loc, g *Gate) int32 {
	if l.run != x.run {
		if g != nil && l.run != 0 {
			g.shut = 0
		}
		l.run, l.id = x.run, int32(len(x.recent))
		x.recent = append(x.recent, -1)
		if x.Trace {
			x.trace.names.add(l)
		}
	}
	return l.id
}

// Events are what has happened, in order. The slice is used again.
func (x *Execution) Events() []Event { return x.events }

// Last is the thread of the last event, or 0.
func (x *Execution) Last() int {
	if n := len(x.events); n > 0 {
		return int(x.events[n-1].Thread)
	}
	return 0
}

// Threads is the number of threads so far.
func (x *Execution) Threads() int { return len(x.threads) }

// Failure is the first panic, or nil.
func (x *Execution) Failure() *Failure { return x.failure }

// Pending is what thread i is about to do. For a thread that waits at a gate,
// needs is not zero.
func (x *Execution) Pending(i int) (loc int32, k Kind, needs uint8, done bool) {
	t := x.threads[i]
	return t.loc, t.kind, t.needs, t.done
}

// After is the event that made thread i's next one possible, or -1.
func (x *Execution) After(i int) int32 { return x.threads[i].after }

// Recent is the newest event at a location, or -1.
func (x *Execution) Recent(loc int32) int32 { return x.recent[loc] }

// Alien tells whether a goroutine that is no thread has used a shim, as far as
// Guard was set.
func (x *Execution) Alien() bool { return x.alien.Load() }

// Abandon gives up an execution that does not come back.
func (x *Execution) Abandon() { current.Store(nil) }

// Close ends the coroutines.
func (x *Execution) Close() {
	for _, t := range x.pool {
		t.owner = nil
		t.stop()
	}
	x.pool = nil
}

// Left are the threads that had not returned when the execution ended, or when
// the picker ended it.
func (x *Execution) Left() Set { return x.left }

// Stuck says who then waited for what, and whether only threads were left that
// other threads had started.
func (x *Execution) Stuck() (waits string, nested bool) { return x.stuck, x.nested }

// Letter is how a thread is called in schedules and traces: a, b, c ...
func Letter(i int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/"
	return letters[i : i+1]
}
