package rundir

import (
	"errors"
	"fmt"
)

// ErrExists is wrapped when Create meets a directory with something in it.
var ErrExists = errors.New("not empty: go on with `certify resume`, or choose another --out")

// ErrNotLog is wrapped when a log is to be read that is none.
var ErrNotLog = errors.New("not a log of the run")

// LockedError says that another process writes to the directory.
type LockedError struct {
	Path string
	PID  int // of the holder; 0 when not known
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("rundir: lock %s: another run writes to it", e.Path)
	}
	return fmt.Sprintf("rundir: lock %s: process %d writes to it", e.Path, e.PID)
}

// ChangedError says that something pinned is not what the run began with.
type ChangedError struct {
	Path string
	What string // plan.json, env.json, or what the caller pinned
	Was  string // SHA-256; empty when it was not pinned before the first result
	Now  string
}

func (e *ChangedError) Error() string {
	if e.Was == "" {
		return fmt.Sprintf("rundir: %s: %s: not pinned before the first result", e.Path, e.What)
	}
	return fmt.Sprintf("rundir: %s: %s: changed since the run began: sha256 was %.12s, is %.12s", e.Path, e.What, e.Was, e.Now)
}
