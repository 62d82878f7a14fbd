package jobs

import (
	"errors"
	"fmt"
)

// The errors that callers branch on, through errors.Is. What is returned says
// before them which job and which call.
var (
	// ErrNoRun: Job.Run is nil.
	ErrNoRun = errors.New("job without Run")
	// ErrInvalidID: see IDError, which has the detail.
	ErrInvalidID = errors.New("invalid id")
	// ErrDuplicateID: a job of that id is not gone yet. See DuplicateError.
	ErrDuplicateID = errors.New("duplicate id")
	// ErrCapacity: Config.Capacity jobs are not gone yet.
	ErrCapacity = errors.New("all places are taken")
	// ErrClosed: Close was called; nothing is started any more.
	ErrClosed = errors.New("supervisor closed")
	// ErrUnknown: no job of that id is reserved, running or finalizing.
	ErrUnknown = errors.New("unknown job")
	// ErrFinalizing: the job's end is decided; the cancel changed nothing.
	ErrFinalizing = errors.New("finalizing: its end is decided")
	// ErrCancelled: the job was cancelled. The cause is wrapped beside it.
	ErrCancelled = errors.New("job cancelled")
)

// IDError says why an id is refused. It is ErrInvalidID.
type IDError struct {
	ID      string
	Problem string
	At      int // byte where the problem is
}

func (e *IDError) Error() string {
	const shown = 64
	id := e.ID
	if len(id) > shown {
		id = id[:shown] + "..."
	}
	return fmt.Sprintf("jobs: start %q: invalid id: %s at byte %d", id, e.Problem, e.At)
}

// Is makes it ErrInvalidID.
func (e *IDError) Is(target error) bool { return target == ErrInvalidID }

// DuplicateError names the phase of the job that has the id. It is
// ErrDuplicateID.
type DuplicateError struct {
	ID    string
	Phase Phase
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("jobs: start %q: duplicate id: the other is %s", e.ID, e.Phase)
}

// Is makes it ErrDuplicateID.
func (e *DuplicateError) Is(target error) bool { return target == ErrDuplicateID }

// StoreError says which record of a job the store did not take. It wraps what
// the store returned.
type StoreError struct {
	ID    string
	Phase Phase // of the record: Reserved, Running or Gone
	Err   error
}

func (e *StoreError) Error() string {
	return fmt.Sprintf("record %q as %s: %v", e.ID, e.Phase, e.Err)
}

func (e *StoreError) Unwrap() error { return e.Err }

// ConfigError names the field of a Config that New refused.
type ConfigError struct {
	Field string
	Value any
	Want  string
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("jobs: new: %s is %v, want %s", e.Field, e.Value, e.Want)
}
