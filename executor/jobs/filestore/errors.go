package filestore

import (
	"errors"
	"fmt"
)

// The errors that callers branch on, through errors.Is. What is returned says
// before them which file.
var (
	// ErrLocked: another process, or another Store of this one, has the
	// directory.
	ErrLocked = errors.New("in use by another store")
	// ErrCorrupt: see CorruptError.
	ErrCorrupt = errors.New("corrupt")
	// ErrVersion: the log is of another version of this format.
	ErrVersion = errors.New("unknown version")
	// ErrRemoved: the log was removed or replaced under the store; what is
	// written would be lost.
	ErrRemoved = errors.New("removed or replaced while in use")
	// ErrReadOnly: an earlier failure, which is wrapped beside it, left it
	// open what the disk has. Nothing more is written; a new Open finds out.
	ErrReadOnly = errors.New("nothing more is written after an earlier failure")
	// ErrTooLarge: the record takes more than 16 MiB as a line, in which 3 bytes of output
	// are 4.
	ErrTooLarge = errors.New("record too large")
	// ErrClosed: Close was called.
	ErrClosed = errors.New("closed")
)

// CorruptError says where a log is damaged. It is ErrCorrupt.
type CorruptError struct {
	Path    string
	Offset  int64 // of the frame, or of the line in it
	Problem string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("filestore: %s: corrupt at byte %d: %s", e.Path, e.Offset, e.Problem)
}

// Is makes it ErrCorrupt.
func (e *CorruptError) Is(target error) bool { return target == ErrCorrupt }
