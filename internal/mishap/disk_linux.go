package mishap

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// SmallDisk mounts a file system of 64 KiB for the length of a test, and
// returns where. It skips a test that may not mount.
func SmallDisk(t testing.TB) (path string) {
	t.Helper()
	path = t.TempDir()
	if err := syscall.Mount("tmpfs", path, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("NOT TESTED: a full disk: cannot mount one: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(path, syscall.MNT_DETACH) })
	return path
}

// FillDisk leaves no page of a SmallDisk free, and returns what gives them all
// back. Files that were there may still grow to the end of their last page.
func FillDisk(t testing.TB, path string) (free func()) {
	t.Helper()
	name := filepath.Join(path, "filler")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}
