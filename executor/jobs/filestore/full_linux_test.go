package filestore

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/exactlyonce/certify/executor/jobs"
	"github.com/exactlyonce/certify/internal/mishap"
)

// A full disk: the error says so, nothing half remains, what was there is
// there, and with space the same store goes on.
func TestFullDiskV7(t *testing.T) {
	disk := mishap.SmallDisk(t)
	dir := filepath.Join(disk, "store")
	free := mishap.FillDisk(t, disk)
	_, err := Open(dir)
	is(t, "open", err, syscall.ENOSPC)
	free()
	s := mustOpen(t, dir)
	record := jobs.Record{ID: "a", Phase: jobs.Gone, End: jobs.Completed, Output: make([]byte, 3000)}
	is(t, "put", s.Put(record), nil)
	want := contents(t, s)
	free = mishap.FillDisk(t, disk)
	record.ID = "b"
	for err = nil; err == nil; { // what its last page still holds
		if err = s.Put(record); err == nil {
			want = contents(t, s)
			record.ID += "b"
		}
	}
	is(t, "put", err, syscall.ENOSPC)
	is(t, "compact", s.Compact(), syscall.ENOSPC)
	info, err := os.Stat(filepath.Join(dir, logName))
	if err != nil || info.Size() != s.endB {
		t.Errorf("%d bytes, %v; want %d: something half remains", info.Size(), err, s.endB)
	}
	equal(t, "full", contents(t, s), want)
	free()
	is(t, "put", s.Put(record), nil)
	is(t, "compact", s.Compact(), nil)
	is(t, "close", s.Close(), nil)
	if n := len(contents(t, mustOpen(t, dir))); n != len(want)+1 {
		t.Errorf("%d records, want %d", n, len(want)+1)
	}
}

// A file system that becomes read-only under the store, and one that was so.
func TestReadOnlyDiskV7(t *testing.T) {
	disk := mishap.SmallDisk(t)
	dir := filepath.Join(disk, "store")
	s := mustOpen(t, dir)
	is(t, "put", s.Put(jobs.Record{ID: "a", Phase: jobs.Reserved}), nil)
	is(t, "close", s.Close(), nil)
	if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("NOT TESTED: a read-only disk: %v", err)
	}
	_, err := Open(dir)
	is(t, "open", err, syscall.EROFS)
	_, err = Open(filepath.Join(disk, "new"))
	is(t, "open of a new one", err, syscall.EROFS)
	if errors.Is(err, ErrCorrupt) {
		t.Errorf("got %v", err)
	}
}
