package filestore

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
)

// disk is what the store asks of a file system. Tests put faults in between.
type disk interface {
	open(name string, flag int) (file, error) // mode 0600
	rename(from, to string) error
	remove(name string) error
	stat(name string) (fs.FileInfo, error)
	syncDir(name string) error
}

type file interface {
	io.ReaderAt
	io.WriterAt
	Sync() error
	Truncate(sizeB int64) error
	Stat() (fs.FileInfo, error)
	Close() error
}

type realDisk struct{}

func (realDisk) open(name string, flag int) (file, error) {
	f, err := os.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, err // not a nil *os.File in an interface
	}
	return f, nil
}

func (realDisk) rename(from, to string) error          { return os.Rename(from, to) }
func (realDisk) remove(name string) error              { return os.Remove(name) }
func (realDisk) stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// syncDir makes the names in a directory durable. Windows has no such call
// and needs none: NTFS journals its directories.
func (realDisk) syncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
