package jobs

import (
	"errors"
	"fmt"
)

// End is how a job ended.
type End uint8

const (
	// Completed: the body returned without an error.
	Completed End = iota + 1
	// Failed: the body returned an error, panicked or called Goexit, or never
	// began because its beginning could not be recorded.
	Failed
	// Cancelled: a Cancel returned nil, or the executor was stopped, before
	// cancellation closed. What the body returned is dropped.
	Cancelled
)

var ends = [...]string{Completed: "completed", Failed: "failed", Cancelled: "cancelled"}

func (e End) String() string {
	if e < Completed || e > Cancelled {
		return "invalid"
	}
	return ends[e]
}

// Outcome is all that is known of a job that is gone. End, Began, Output and
// Cause are decided when cancellation closes and never change: a Finalize
// that fails is reported beside them.
type Outcome struct {
	End   End
	Began bool // the body was called
	// Output is what the body returned, when Completed.
	Output []byte
	// Cause is nil when Completed. When Failed it is the body's error, an
	// *executor.PanicError, executor.ErrGoexit or a *StoreError; when
	// Cancelled what Cancel was given, or one that is executor.ErrStopped.
	Cause error
	// Finalize is what Finalize returned; its panic or Goexit likewise.
	Finalize error
	// Record is nil when the store has this outcome, else a *StoreError. It is
	// not in a Recovery: there the store did.
	Record error
}

// Err joins all that went wrong. It is nil when the job completed, was
// finalized and is recorded.
func (o Outcome) Err() error {
	cause := o.Cause
	if o.End == Cancelled {
		cause = fmt.Errorf("%w: %w", ErrCancelled, o.Cause)
	}
	return errors.Join(cause, o.Finalize, o.Record)
}
