package rundir

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// takeLock locks an existing directory, or returns a *LockedError at once.
// The file is a name for a lock in the kernel and is never removed.
func takeLock(path string) (*flock.Flock, error) {
	name := filepath.Join(path, lockFile)
	lock := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(FileMode))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("rundir: lock %s: %w", path, err)
	}
	if !ok {
		return nil, &LockedError{Path: path, PID: readPID(name)}
	}
	// The pid is for the other's error message only; Windows lets nobody
	// write to a locked file, and then it is not known.
	_ = os.WriteFile(name, []byte(strconv.Itoa(os.Getpid())+"\n"), FileMode)
	return lock, nil
}

func readPID(name string) int {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}
