//go:build unix

package rundir

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestModes: under whatever umask, nobody else may write what a run makes, and a
// strict umask is respected.
func TestModes(t *testing.T) {
	for _, umask := range []int{0, 0o022, 0o077} {
		dir := filepath.Join(t.TempDir(), "parent", "run")
		made(t, dir, umask)
		n := 0
		err := filepath.WalkDir(filepath.Dir(dir), func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			want := fs.FileMode(FileMode)
			if e.IsDir() {
				want = DirMode
			}
			if want &^= fs.FileMode(umask); info.Mode().Perm() != want {
				t.Errorf("umask %03o: %s has %v, want %v", umask, path, info.Mode().Perm(), want)
			}
			n++
			return nil
		})
		if err != nil || n != 8 { // two directories, logs, plan, env, results, lock, one derived file
			t.Errorf("umask %03o: %d files and directories, %v", umask, n, err)
		}
	}
}

// made makes a run directory under a umask, which is of the whole process: no test
// of this package runs beside another.
func made(t *testing.T, dir string, umask int) {
	t.Helper()
	defer syscall.Umask(syscall.Umask(umask))
	d, err := Create(dir, Origin{Run: "run-1", Plan: []byte(`{}`), Env: []byte(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.WriteFile("bench.txt", nil); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestPipes: nobody waits for the other end of one.
func TestPipes(t *testing.T) {
	for _, name := range []string{ResultsFile, PlanFile, EnvFile} {
		dir := hostile(t)
		path := filepath.Join(dir, name)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skip("no pipes here: ", err)
		}
		read := make(chan error, 1)
		go func() { _, err := Read(dir); read <- err }()
		select {
		case err := <-read:
			if err == nil {
				t.Errorf("%s: a pipe was read", name)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: it waits for the other end", name)
		}
	}
}
