package rundir

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// What is made in a run directory has these modes, before the umask takes its share:
// see the package doc. Programs that are run from it have DirMode.
const (
	DirMode  = 0o755
	FileMode = 0o644
)

// tempSuffix is of hidden files that a crash may leave; Open removes them.
const tempSuffix = ".tmp"

// writeFile replaces path/name as a whole: written aside, synced, renamed,
// and the name synced.
func writeFile(path, name string, data []byte) error {
	temp := filepath.Join(path, "."+name+"."+rand.Text()+tempSuffix)
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, FileMode)
	if err != nil {
		return fmt.Errorf("rundir: write %s: %w", name, err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(temp, filepath.Join(path, name))
	}
	if err != nil {
		_ = os.Remove(temp) // it is in the way of nobody
		return fmt.Errorf("rundir: write %s: %w", filepath.Join(path, name), err)
	}
	return syncDir(path)
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
