// Package lifecycle is the state word of a task and its transitions, nothing
// else. One atomic word decides every race a task can be in: two workers that
// claim it, a cancel against its end, a wake against its poll.
//
//	         Schedule              Claim               Finish
//	Idle ───────────────▶ Queued ─────────▶ Running ─────────────▶ Completed
//	 ▲ ▲                  │  ▲               │ ▲  │                 | Failed
//	 │ └──────────────────┘  │               │ │  │
//	 │      Unschedule       │      Schedule │ │ Pend(again)
//	 │                       │               ▼ │  │
//	 │                       └───────────── Notified ─────────────▶ Completed
//	 │                         Pend                    Finish       | Failed
//	 └─────────────────────────────────────── Running
//	                 Pend
//
//	Cancel: any state that is not terminal ─────────────────────▶ Cancelled
//
// Every exit from a state is a compare-and-swap, never a blind store, so the
// first of two racing actors wins and the other is told. Terminal states
// never change. The word holds no payload: whoever publishes one writes it
// before the call that makes the state terminal, and a reader loads the state
// first.
package lifecycle

import "sync/atomic"

// State is where a task is in its life.
type State uint32

const (
	// Idle: known, and in no queue. Left by Schedule.
	Idle State = iota
	// Queued: somebody won Idle→Queued and owes it a place in a queue, a run,
	// or an end. Left by Claim, or back to Idle by Unschedule.
	Queued
	// Running: one worker, the winner of Claim, owns the body. Left by Finish
	// or Pend.
	Running
	// Notified: running, and woken since the poll began, so that the body
	// must be polled once more. Left by Finish or Pend.
	Notified
	// Completed: the body returned without an error. For ever.
	Completed
	// Failed: the body returned an error, panicked or called Goexit. For ever.
	Failed
	// Cancelled: cancelled before any end. For ever.
	Cancelled
)

var names = [...]string{"idle", "queued", "running", "notified", "completed", "failed", "cancelled"}

func (s State) String() string {
	if int(s) < len(names) {
		return names[s]
	}
	return "invalid"
}

// Terminal tells whether s never changes.
func (s State) Terminal() bool { return s >= Completed }

// Word is one task's state. The zero Word is Idle.
type Word struct {
	// v is written by whoever acts on the task, by compare-and-swap only, and
	// read by all. The swap that makes it terminal publishes the task's
	// payload; a reader's Load pairs with it.
	v atomic.Uint32
}

// Load returns the state. What the winner of the transition into it wrote
// before is visible to the caller.
func (w *Word) Load() State { return State(w.v.Load()) }

func (w *Word) swap(from, to State) bool {
	return w.v.CompareAndSwap(uint32(from), uint32(to))
}

// Schedule asks for the task to be run (again): the first schedule and every
// wake. It returns true to the one caller that took Idle to Queued, who must
// now put the task in a queue, run it, or end it. A wake of a running task
// marks it Notified; in every other state the wake is absorbed, because a run
// that will see it is still to come, or none is.
func (w *Word) Schedule() (enqueue bool) {
	for {
		switch s := w.Load(); s {
		case Idle:
			if w.swap(Idle, Queued) {
				return true
			}
		case Running:
			if w.swap(Running, Notified) {
				return false
			}
		default:
			return false
		}
	}
}

// Unschedule takes back a Schedule whose task no queue would hold. It returns
// false when the task was cancelled meanwhile.
func (w *Word) Unschedule() bool { return w.swap(Queued, Idle) }

// Claim takes the task to Running. Exactly one caller a scheduling wins; the
// others, and everybody when it was cancelled, get false and leave the body
// alone.
func (w *Word) Claim() bool { return w.swap(Queued, Running) }

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
func (w *Word) Pend(again bool) Next {
	for {
		switch s := w.Load(); {
		case s == Running:
			if w.swap(Running, Idle) {
				return Park
			}
		case s == Notified && again:
			if w.swap(Notified, Queued) {
				return Requeue
			}
		case s == Notified:
			if w.swap(Notified, Running) {
				return Again
			}
		default:
			return Drop
		}
	}
}

// Finish ends a run with Completed or Failed and returns true iff that is how
// the task ended. False means that a cancel came first: the caller's payload
// must never be read. Another outcome is a caller's bug and panics.
func (w *Word) Finish(outcome State) bool {
	if outcome != Completed && outcome != Failed {
		panic("lifecycle: finish as " + outcome.String())
	}
	for {
		s := w.Load()
		if s != Running && s != Notified {
			return false
		}
		if w.swap(s, outcome) {
			return true
		}
	}
}

// Cancel ends the task as Cancelled. won is true for exactly the call that
// did it; from is the state it was cancelled from, or the terminal state that
// was there first. From Idle or Queued the body will never run and the winner
// releases it; from Running or Notified it is the worker's until it returns.
func (w *Word) Cancel() (from State, won bool) {
	for {
		s := w.Load()
		if s.Terminal() {
			return s, false
		}
		if w.swap(s, Cancelled) {
			return s, true
		}
	}
}
