package executor

import (
	"errors"
	"fmt"
)

// The errors that callers branch on, through errors.Is.
var (
	// ErrShutdown: Shutdown or Stop came first; the task was refused.
	ErrShutdown = errors.New("executor: shut down")
	// ErrNilTask: the function or body of the task is nil.
	ErrNilTask = errors.New("executor: task is nil")
	// ErrPriority: there is no such Priority.
	ErrPriority = errors.New("executor: no such priority")
	// ErrSaturated: all Config.Capacity slots are taken; the task was refused.
	ErrSaturated = errors.New("executor: saturated")
	// ErrCancelled: the task was cancelled. The cause, if one was given, is
	// wrapped beside it.
	ErrCancelled = errors.New("executor: task cancelled")
	// ErrStopped is the cause of tasks that Stop cancelled.
	ErrStopped = errors.New("executor: stopped")
	// ErrStorage: all handles of a Storage are in use, or one still is at its
	// Reset.
	ErrStorage = errors.New("executor: handles in use")
	// ErrGoexit: the task called runtime.Goexit.
	ErrGoexit = errors.New("executor: task called runtime.Goexit")
	// ErrInsideTask: Shutdown or Stop was called by a task of the executor
	// that it would wait for.
	ErrInsideTask = errors.New("executor: called from one of its own tasks")
)

// PanicError is the outcome of a task that panicked.
type PanicError struct {
	Value any    // what panic was called with
	Stack []byte // of the panicking goroutine
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("executor: task panicked: %v", e.Value)
}

// Unwrap returns the panic's value when that was an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// ConfigError names the field of a Config that New refused.
type ConfigError struct {
	Field string
	Value any
	Want  string
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("executor: new: %s is %v, want %s", e.Field, e.Value, e.Want)
}

func cancelError(cause error) error {
	if cause == nil || errors.Is(cause, ErrCancelled) {
		return ErrCancelled
	}
	return fmt.Errorf("%w: %w", ErrCancelled, cause)
}
