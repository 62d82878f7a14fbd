// Package monitor judges recorded histories of queues and deques.
//
// A history is a list of [Op]: who called what, when the call began and when it
// had returned, and what the answer was. It is linearizable if each call can be
// given a moment between its begin and its end, such that what a plain queue
// would have answered, called at these moments, is what was answered. General
// checkers search for the moments, which takes for ever on long histories. Values
// here are distinct, and then a few patterns, each of few calls, are all that can
// be wrong:
//
//	FIFO, ProducerFIFO, Bag   queues, also bounded ones
//	Deque                     one owner, and thieves
//	KFIFO, Overtakes          how far a relaxed queue strays from first in, first out
//
// Each looks for its patterns in O(n log n), and returns the first it finds as a
// [Violation]: the name of the rule that is broken and the few calls that show
// it. nil is legal. Calls with one value are judged exactly: linearizable if and
// only if there is no violation. For batches, bounds and calls that never returned
// a violation is certain, while nil is not quite: see the functions.
//
// Two stamps that are equal say nothing about an order. So a coarse clock misses
// violations and makes none up. A [Recorder] stamps.
//
// What is not here: values pushed more than once, peeks, iteration, and what Len
// returns.
package monitor

import "math"

// Op is one row of a history: a call, or one value of a call that moved several.
// The rows of a worker are in the order of its calls.
type Op struct {
	// Begin was read before the call and End after it, from one clock.
	Begin, End int64
	// Value is what was moved, or what was to be pushed. Values are numbers that
	// are pushed once; memory is taken for each number up to the greatest, unless
	// they are sparse.
	Value  uint32
	Worker uint16
	Kind   Kind
	Answer Answer
}

// Never is the End of a call that had not returned.
const Never = math.MaxInt64

// Kind is what was called.
type Kind uint8

const (
	Push  Kind = iota // also PushAll
	Pop               // also PopInto; of a deque, the owner's
	Steal             // a thief's
)

func (k Kind) String() string { return [...]string{"push", "pop", "steal"}[k] }

// Answer is what came of it.
type Answer uint8

const (
	Done    Answer = iota // Value was pushed or taken
	Also                  // and Value too, in the same call as the row before
	Empty                 // a Pop or Steal found nothing
	Full                  // a Push was refused
	Lost                  // a Steal lost a race, and found out nothing
	Pending               // it had not returned; End is Never
)

func (a Answer) String() string {
	return [...]string{"done", "also", "EMPTY", "FULL", "LOST", "pending"}[a]
}

// moves tells whether a value went in or out.
func (o Op) moves() bool { return o.Answer == Done || o.Answer == Also }

// possible tells whether the kind has such an answer.
func (o Op) possible() bool {
	switch o.Answer {
	case Done, Also:
		return o.End >= o.Begin
	case Empty:
		return o.Kind != Push && o.End >= o.Begin
	case Full:
		return o.Kind == Push && o.End >= o.Begin
	case Lost:
		return o.Kind == Steal && o.End >= o.Begin
	}
	return o.Answer == Pending && o.End == Never
}

// Options are what is known of the queue, or promised. The zero value is an
// unbounded queue of which nothing is known to be weak.
type Options struct {
	// Capacity is how many values fit; 0 means that nothing may be refused.
	Capacity int
	// WeakEmpty and WeakFull say that EMPTY and FULL may be answered at any time,
	// as queues do that reserve a place first and fill it later.
	WeakEmpty, WeakFull bool
	// AtomicBatch says that a batch is taken at one moment, with nothing between.
	AtomicBatch bool
	// Drained says that the history goes on until everything was taken.
	Drained bool
	// Aborts is when a Steal may say that it lost a race.
	Aborts Aborts

	// off is a rule that is left out: tests show by it that the others do not do
	// its work.
	off string
}

// Aborts is when a Steal may have lost a race: when a call of somebody else
// overlaps it.
type Aborts uint8

const (
	AnyAbort     Aborts = iota // always
	RivalAbort                 // any call at all
	RemovalAbort               // a call that took something
)
