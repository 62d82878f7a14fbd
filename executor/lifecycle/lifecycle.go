// Package lifecycle is the state word of a task and its transitions, nothing
// else. One atomic word decides every race a task can be in: two workers that
// claim it, a cancel against its end, a wake against its poll, and a late
// handle against the next task in the same storage.
//
//	┌────▶ Queued ─────────▶ Running ───────────────────▶ Completed
//	│       ▲ ▲     Claim     │ ▲ │         Finish        | Failed
//	│       │ │      Schedule │ │ │ Pend
//	│       │ │               ▼ │ │
//	│       │ └─────────── Notified ────────────────────▶ Completed
//	│       │       Pend        │           Finish        | Failed
//	│       │ Schedule          │
//	│       │                   │ Pend, from Running
//	│      Idle ◀───────────────┘
//	│
//	│ Recycle, into      Cancel: Idle, Queued, Running or Notified
//	│ the next           ───────────────────────────────▶ Cancelled
//	│ generation
//	└─────────────────────── Completed | Failed | Cancelled
//
// Every exit is a compare-and-swap, never a blind store, so the first of two
// racing actors wins and the other is told. Terminal states of a generation
// never change; a word that was recycled belongs to the next task, and calls
// with an older generation do nothing.
//
// The word holds no payload. Whoever publishes one writes it before the call
// that makes the state terminal, and a reader loads the state first.
package lifecycle

import "sync/atomic"

// State is where a task is in its life.
type State uint8

const (
	// Queued: begins a task's life. Somebody owes it a place in a queue, a
	// run, or an end. Left by Claim.
	Queued State = iota
	// Idle: waits for a wake, in no queue. Left by Schedule.
	Idle
	// Running: one worker, the winner of Claim, owns the body. Left by Finish
	// or Pend.
	Running
	// Notified: running, and woken since the poll began, so that the body
	// must be polled once more. Left by Finish or Pend.
	Notified
	// Completed: the body returned without an error. Left by Recycle only.
	Completed
	// Failed: the body returned an error, panicked or called Goexit. Left by
	// Recycle only.
	Failed
	// Cancelled: cancelled before any end. Left by Recycle only.
	Cancelled
)

var names = [...]string{"queued", "idle", "running", "notified", "completed", "failed", "cancelled"}

func (s State) String() string {
	if int(s) < len(names) {
		return names[s]
	}
	return "invalid"
}

// Terminal tells whether a task in s has ended.
func (s State) Terminal() bool { return s >= Completed }

// Gen tells the tasks apart that a word serves one after the other. It never
// repeats: at a billion tasks a second it lasts 73 years.
type Gen uint64

const (
	stateBits = 3
	stateMask = 1<<stateBits - 1
)

func pack(g Gen, s State) uint64       { return uint64(g)<<stateBits | uint64(s) }
func unpack(v uint64) (g Gen, s State) { return Gen(v >> stateBits), State(v & stateMask) }

// Word is the state of one task at a time. The zero Word is Queued, of
// generation 0.
type Word struct {
	// v = generation<<3 | state. It is written by whoever acts on the task,
	// by compare-and-swap only, and read by all. The swap that makes it
	// terminal, or moves the generation on, publishes what the swapper wrote
	// before; a reader's Load pairs with it.
	v atomic.Uint64
}

// Load returns the generation and its state.
func (w *Word) Load() (Gen, State) { return unpack(w.v.Load()) }

// swap takes the task of generation g from one state to another.
func (w *Word) swap(g Gen, from, to State) bool {
	return w.v.CompareAndSwap(pack(g, from), pack(g, to))
}

// Begun tells whether the word is that of a task of generation g that nobody
// has claimed or cancelled: for who shares a word in turns, and was told
// early that its turn has come.
func (w *Word) Begun(g Gen) bool { return w.v.Load() == pack(g, Queued) }

// Recycle gives the word of a task that ended as s to the next task, which is
// Queued; later calls with the ended task's generation do nothing. Only
// whoever owns the ended task may call it, once: another call is a caller's
// bug and panics.
func (w *Word) Recycle(g Gen, s State) {
	if s < Completed || !w.v.CompareAndSwap(pack(g, s), pack(g+1, Queued)) {
		w.badRecycle(s)
	}
}

func (w *Word) badRecycle(s State) {
	_, now := w.Load()
	panic("lifecycle: recycle as " + s.String() + " of a task that is " + now.String())
}

// Schedule asks for the task to be run again: every wake. It returns true to
// the one caller that took Idle to Queued, who must now put the task in a
// queue, run it, or end it. A wake of a running task marks it Notified; in
// every other state the wake is absorbed, because a run that will see it is
// still to come, or none is.
func (w *Word) Schedule(g Gen) (enqueue bool) {
	for {
		now, s := w.Load()
		switch {
		case now != g:
			return false
		case s == Idle:
			if w.swap(g, Idle, Queued) {
				return true
			}
		case s == Running:
			if w.swap(g, Running, Notified) {
				return false
			}
		default:
			return false
		}
	}
}

// Claim takes the task to Running. Exactly one caller a scheduling wins; the
// others, and everybody when it was cancelled, get false and leave the body
// alone.
func (w *Word) Claim(g Gen) bool {
	return w.v.CompareAndSwap(pack(g, Queued), pack(g, Running)) // as swap, a call less
}

// Next is what the owner of a poll that is not ready does.
type Next uint8

const (
	Park    Next = iota // nothing: a wake will queue the task
	Again               // poll once more, at once
	Requeue             // put the task in a queue
	Drop                // the task was cancelled: release the body
)

func (n Next) String() string { return [...]string{"park", "again", "requeue", "drop"}[n] }

// Pend ends a poll that is not ready. again says that this poll already was a
// repeated one: at most one repetition follows a wake directly, the next goes
// through the queue, so that a task that wakes itself cannot starve others.
func (w *Word) Pend(g Gen, again bool) Next {
	onNotified, next := Running, Again
	if again {
		onNotified, next = Queued, Requeue
	}
	for {
		switch {
		case w.swap(g, Running, Idle):
			return Park
		case w.swap(g, Notified, onNotified):
			return next
		}
		if now, s := w.Load(); now != g || s != Running && s != Notified {
			return Drop
		}
	}
}

// Finish ends a run with Completed or Failed and returns true iff that is how
// the task ended. False means that a cancel came first: the caller's payload
// must never be read. Another outcome is a caller's bug and panics.
func (w *Word) Finish(g Gen, outcome State) bool {
	if outcome != Completed && outcome != Failed {
		panic("lifecycle: finish as " + outcome.String())
	}
	if w.v.CompareAndSwap(pack(g, Running), pack(g, outcome)) {
		return true
	}
	// Notified is never left for Running but by the caller, so two tries do.
	return w.swap(g, Notified, outcome)
}

// Cancel ends the task of generation g as Cancelled. won is true for exactly
// the call that did it, and from is the state it was cancelled from. From Idle
// or Queued the body will never run again and the winner releases it; from
// Running or Notified it is the worker's until it returns.
func (w *Word) Cancel(g Gen) (from State, won bool) {
	for {
		now, s := w.Load()
		switch {
		case now != g:
			return 0, false
		case s.Terminal():
			return s, false
		case w.swap(g, s, Cancelled):
			return s, true
		}
	}
}
