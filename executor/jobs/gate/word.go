package gate

import (
	"errors"
	"slices"
	"sync/atomic"
)

// MaxRevision is the largest revision: what the state's bits leave of a word.
const MaxRevision = 1<<(64-stateBits) - 1

// The errors that callers branch on, through errors.Is. What is returned says
// before them which call and which revision.
var (
	// ErrStaleRevision: a newer revision was admitted before.
	ErrStaleRevision = errors.New("stale: a newer one was admitted")
	// ErrDuplicateRevision: this very revision was admitted before.
	ErrDuplicateRevision = errors.New("duplicate: admitted before")
	// ErrRevisionRange: not in 1 to MaxRevision.
	ErrRevisionRange = errors.New("out of range: want 1 to 2305843009213693951")

	// ErrSuperseded: a newer revision was admitted since. Also the cause with
	// which the older one's context ends.
	ErrSuperseded = errors.New("superseded by a newer revision")
	// ErrCancelled: a Cancel came first. Also the cause of a Cancel without.
	ErrCancelled = errors.New("cancelled")
	// ErrTerminal: a Publish or Fail came first. Also the cause with which a
	// context ends after Publish.
	ErrTerminal = errors.New("ended before")
	// ErrForgotten: the key was forgotten since.
	ErrForgotten = errors.New("its key was forgotten")
	// ErrStarted: a Start came first.
	ErrStarted = errors.New("started before")
	// ErrNotStarted: Publish or Fail without Start.
	ErrNotStarted = errors.New("not started")
)

// state is where the newest revision of a key is.
//
//	              Start            Publish
//	    Pending ──────────▶ Running ──────▶ Published ──┐
//	     ▲   │               │   │                      │
//	     │   │ Cancel        │   │ Fail                 │
//	     │   └──────▶ Cancelled  └────▶ Failed ─────────┤
//	     │               ▲  │                           │
//	     │        Cancel └──┼─ (from Running)           │
//	     └──────────────────┴───────────────────────────┘
//	        Admit of a newer revision, from every state
//
//	every state ──▶ Forgotten: Forget, for ever; the key begins anew elsewhere
type state uint8

const (
	pending   state = iota // admitted; left by Start, Cancel, a newer Admit
	running                // started; left by Publish, Fail, Cancel, a newer Admit
	published              // Publish won; left by a newer Admit
	failed                 // Fail won; left by a newer Admit
	cancelled              // Cancel won; left by a newer Admit
	forgotten              // the entry is no key's any more; never left
)

const (
	stateBits = 3
	stateMask = 1<<stateBits - 1
)

// refusals are what a loser is told who finds the state.
var refusals = [...]error{ErrNotStarted, ErrStarted, ErrTerminal, ErrTerminal, ErrCancelled, ErrForgotten}

func pack(rev uint64, s state) uint64       { return rev<<stateBits | uint64(s) }
func unpack(v uint64) (rev uint64, s state) { return v >> stateBits, state(v & stateMask) }

// word is the newest revision of a key and its state. The zero word is of
// revision 0, which nobody has.
type word struct {
	// v = revision<<3 | state. Written by compare-and-swap only, by whoever
	// acts on the key.
	//
	// Invariant: the revision never falls, and of one revision the state never
	// returns to an earlier one.
	v atomic.Uint64
}

// admit takes the word to (rev, pending) if rev is newer.
func (w *word) admit(rev uint64, step step) error {
	for {
		step.at(load)
		v := w.v.Load()
		switch newest, _ := unpack(v); {
		case rev == newest:
			return ErrDuplicateRevision
		case rev < newest:
			return ErrStaleRevision
		}
		step.at(swap)
		if w.v.CompareAndSwap(v, pack(rev, pending)) {
			return nil
		}
	}
}

// move takes the state of rev from one of from to another, or says what is in
// the way.
func (w *word) move(rev uint64, to state, step step, from ...state) error {
	for {
		step.at(load)
		v := w.v.Load()
		newest, s := unpack(v)
		if newest != rev {
			return ErrSuperseded
		}
		if !slices.Contains(from, s) {
			return refusals[s]
		}
		step.at(swap)
		if w.v.CompareAndSwap(v, pack(rev, to)) {
			return nil
		}
	}
}

// forget ends the word.
func (w *word) forget() {
	for {
		v := w.v.Load()
		rev, _ := unpack(v)
		if w.v.CompareAndSwap(v, pack(rev, forgotten)) {
			return
		}
	}
}

// step is told, if set, what comes next: tests choose by it who goes on. It
// is nil but in tests.
type step func(point)

func (s step) at(p point) {
	if s != nil {
		s(p)
	}
}

type point uint8

const (
	load   point = iota // of a word, or of what is published
	swap                // of the same
	lock                // of the gate's mutex
	unlock              // of it, just now
	won                 // the word says published; nothing is stored yet
)
