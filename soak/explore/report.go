package explore

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/exactlyonce/certify/soak/explore/control"
)

// Verdict is what an exploration found.
type Verdict uint8

const (
	Passed     Verdict = iota // no failure in the orders that were run
	Wrong                     // a check returned an error
	Panicked                  // a thread panicked, or misused a lock
	Deadlock                  // threads are left and none can go on
	Leak                      // as Deadlock, but only threads that threads started are left
	Livelock                  // threads go round without a store
	TooLong                   // Options.Steps
	Obstructed                // a thread that runs alone does not come to its end
	Invalid                   // the program is not determined by its order
)

func (v Verdict) String() string {
	return [...]string{"passed", "wrong", "panicked", "deadlock", "leak", "livelock",
		"too long", "obstructed", "invalid"}[v]
}

// ErrInvalid: something besides the order decided what the program did: time,
// chance, the order of a map, a goroutine that is no thread, state that outlives
// an execution. Nothing that was explored counts then.
var ErrInvalid = errors.New("not determined by its schedule")

// Report is the result of an exploration.
type Report struct {
	Strategy string
	Failure  *Failure // the first, or nil
	Failures int

	Executions   int  // that came to an end
	SleepBlocked int  // that were given up, being the same as an earlier one
	Classes      int  // distinct ones among Executions, if Options.Classes
	Exhausted    bool // every class was run, or every order of the strategy
	MaxSteps     int
	Threads      int   // most in an execution
	Held         int   // times that a thread in a loop was held until a store
	Levels       []int // executions with at most 0, 1, 2 ... preemptions, each level exhausted
	Solo         int   // runs of one thread alone

	Bound    float64 // PCT: each run finds a failure of that depth with at least this probability
	Miss     float64 // PCT: all runs miss one with at most this probability
	Restarts int     // PCT: starts over because an execution was longer than thought

	Diverged int // Replay: the first step that could not be followed, from 1; 0: none

	Elapsed time.Duration
}

// Rate is executions per second.
func (r Report) Rate() float64 { return float64(r.Executions+r.SleepBlocked) / r.Elapsed.Seconds() }

// Verdict is the failure's, or Passed.
func (r Report) Verdict() Verdict {
	if r.Failure == nil {
		return Passed
	}
	return r.Failure.Verdict
}

// Err returns the failure as an error, or nil.
func (r Report) Err() error {
	if r.Failure == nil {
		return nil
	}
	return r.Failure
}

func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %d executions", r.Strategy, r.Verdict(), r.Executions)
	if r.Exhausted {
		b.WriteString(", exhausted")
	} else {
		b.WriteString(", not exhausted")
	}
	if r.Miss > 0 {
		fmt.Fprintf(&b, ", a failure of this depth missed with probability at most %.2g", r.Miss)
	}
	if r.Failure != nil {
		fmt.Fprintf(&b, "\n%v", r.Failure)
	}
	return b.String()
}

// Failure is an execution that must not be.
type Failure struct {
	Verdict   Verdict
	Err       error          // what is wrong
	Schedule  string         // replays it, see Replay
	Execution int            // which one, from 1
	Story     []control.Step // what happened
	Stack     []byte         // of a panic
}

func (f *Failure) Error() string {
	return fmt.Sprintf("explore: %v: %v, schedule %s", f.Verdict, f.Err, f.Schedule)
}

func (f *Failure) Unwrap() error { return f.Err }
