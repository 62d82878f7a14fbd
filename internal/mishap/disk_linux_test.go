package mishap

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A full disk takes nothing, and takes it again when it is freed.
func TestFullDisk(t *testing.T) {
	disk := SmallDisk(t)
	write := func() error { return os.WriteFile(filepath.Join(disk, "file"), []byte("x"), 0o600) }
	free := FillDisk(t, disk)
	if err := write(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("full: got %v", err)
	}
	free()
	if err := write(); err != nil {
		t.Errorf("freed: got %v", err)
	}
}
