package rundir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// tempSuffix is of hidden files that a crash may leave; Open removes them.
const tempSuffix = ".tmp"

// writeFile replaces path/name as a whole: written aside, synced, renamed,
// and the name synced.
func writeFile(path, name string, data []byte) error {
	f, err := os.CreateTemp(path, "."+name+".*"+tempSuffix)
	if err != nil {
		return fmt.Errorf("rundir: write %s: %w", name, err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = publish(f.Name(), filepath.Join(path, name))
	}
	if err != nil {
		_ = os.Remove(f.Name()) // it is in the way of nobody
		return fmt.Errorf("rundir: write %s: %w", filepath.Join(path, name), err)
	}
	return syncDir(path)
}

// publish gives a temporary file the mode and the name of a result.
func publish(temp, name string) error {
	if err := os.Chmod(temp, 0o644); err != nil {
		return err
	}
	return os.Rename(temp, name)
}

func removeTemps(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("rundir: open: %w", err)
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, ".") && strings.HasSuffix(name, tempSuffix) {
			if err := os.Remove(filepath.Join(path, name)); err != nil {
				return fmt.Errorf("rundir: open: %w", err)
			}
		}
	}
	return nil
}

// syncDir makes names in path durable. Windows has no such call and needs
// none: NTFS journals its directories.
func syncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("rundir: sync: %w", err)
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return fmt.Errorf("rundir: sync %s: %w", path, err)
	}
	return nil
}
