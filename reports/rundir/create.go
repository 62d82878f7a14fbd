package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/exactlyonce/certify/reports/record"
)

// Create makes the directory of a new run, and its parents. The directory
// must not exist or be empty; otherwise the error wraps ErrExists, or is a
// *LockedError when a run is going on in it. What it wrote before an error it
// removes again.
func Create(path string, o Origin) (*Dir, error) {
	if err := checkEmpty(path); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, DirMode); err != nil {
		return nil, fmt.Errorf("rundir: create: %w", err)
	}
	lock, err := takeLock(path)
	if err != nil {
		return nil, err
	}
	// Another run may have come and gone between the check and the lock.
	err = checkEmpty(path)
	if err == nil {
		err = fill(path, o)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return start(path, lock)
}

// checkEmpty allows the lock, which a failed Create leaves behind: to remove
// a lock is to pull it from under somebody who waits for it.
func checkEmpty(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("rundir: create: %w", err)
	}
	for _, e := range entries {
		if e.Name() != lockFile {
			return whoseIs(path)
		}
	}
	return nil
}

// whoseIs tells a directory in which a run goes on from one that is merely
// not empty, without leaving a lock in a directory that is not ours.
func whoseIs(path string) error {
	if _, err := os.Lstat(filepath.Join(path, lockFile)); err == nil {
		lock, err := takeLock(path)
		if err != nil {
			return err
		}
		if err := lock.Unlock(); err != nil {
			return fmt.Errorf("rundir: unlock %s: %w", path, err)
		}
	}
	return fmt.Errorf("rundir: create %s: %w", path, ErrExists)
}

// fill writes the files of a new run, results.jsonl last.
func fill(path string, o Origin) error {
	if err := o.Shard.Validate(); err != nil {
		return fmt.Errorf("rundir: create %s: %w", path, err)
	}
	if !record.IsWord(o.Run) || !json.Valid(o.Plan) || !json.Valid(o.Env) {
		return fmt.Errorf("rundir: create %s: run %q: want a word, and plan and environment in JSON", path, o.Run)
	}
	head, err := o.encodeHead()
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return writeFile(path, PlanFile, o.Plan) },
		func() error { return writeFile(path, EnvFile, o.Env) },
		func() error { return os.Mkdir(filepath.Join(path, LogsDir), DirMode) },
		func() error { return writeFile(path, ResultsFile, bytes.Join(head, nil)) },
		func() error { return syncDir(filepath.Dir(path)) },
	} {
		if err := step(); err != nil {
			unfill(path)
			return fmt.Errorf("rundir: create %s: %w", path, err)
		}
	}
	return nil
}

// unfill is best effort: what it cannot remove, the next Create names.
func unfill(path string) {
	for _, name := range []string{ResultsFile, PlanFile, EnvFile, LogsDir} {
		_ = os.Remove(filepath.Join(path, name))
	}
}
