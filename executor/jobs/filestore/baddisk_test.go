package filestore

import (
	"errors"
	"io/fs"
	"strings"
	"sync"
	"testing"
)

// badDisk is the real disk but for as many calls as times from the failAt-th
// on, counted from 1. Those fail, a write after some of its bytes. All that
// follow is what a process sees that was killed there.
type badDisk struct {
	realDisk
	failAt, times int

	mu    sync.Mutex
	calls []string // guarded by mu
	// unsynced is what a power failure could undo. Guarded by mu.
	unsynced map[string]bool
}

var errFault = errors.New("fault on purpose")

func (d *badDisk) call(what string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, what)
	if n := len(d.calls); d.failAt > 0 && n >= d.failAt && n-d.failAt < d.times {
		return errFault
	}
	return nil
}

// note keeps account of what is durable.
func (d *badDisk) note(name string, unsynced bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.unsynced == nil {
		d.unsynced = map[string]bool{}
	}
	if delete(d.unsynced, name); unsynced {
		d.unsynced[name] = true
	}
}

func (d *badDisk) count(what string) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.calls {
		if strings.HasPrefix(c, what) {
			n++
		}
	}
	return n
}

// durable fails the test when something could be undone.
func (d *badDisk) durable(t *testing.T) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.unsynced) > 0 {
		t.Errorf("acknowledged, and not synced: %v", d.unsynced)
	}
}

func (d *badDisk) open(name string, flag int) (file, error) {
	if err := d.call("open"); err != nil {
		return nil, err
	}
	f, err := d.realDisk.open(name, flag)
	if err != nil {
		return nil, err
	}
	return &badFile{f, d, name}, nil
}

func (d *badDisk) rename(from, to string) error {
	if err := d.call("rename"); err != nil {
		return err
	}
	d.note("directory", true)
	return d.realDisk.rename(from, to)
}

func (d *badDisk) remove(name string) error {
	if err := d.call("remove"); err != nil {
		return err
	}
	d.note(name, false)
	return d.realDisk.remove(name)
}

func (d *badDisk) stat(name string) (fs.FileInfo, error) {
	if err := d.call("stat"); err != nil {
		return nil, err
	}
	return d.realDisk.stat(name)
}

func (d *badDisk) syncDir(name string) error {
	if err := d.call("syncdir"); err != nil {
		return err
	}
	d.note("directory", false)
	return d.realDisk.syncDir(name)
}

type badFile struct {
	file
	d    *badDisk
	name string
}

func (f *badFile) WriteAt(p []byte, offset int64) (int, error) {
	f.d.note(f.name, true)
	if err := f.d.call("write"); err != nil {
		n, _ := f.file.WriteAt(p[:len(p)*2/3], offset)
		return n, err
	}
	return f.file.WriteAt(p, offset)
}

func (f *badFile) Sync() error {
	if err := f.d.call("sync"); err != nil {
		return err
	}
	f.d.note(f.name, false)
	return f.file.Sync()
}

func (f *badFile) Truncate(sizeB int64) error {
	if err := f.d.call("truncate"); err != nil {
		return err
	}
	f.d.note(f.name, true)
	return f.file.Truncate(sizeB)
}

func (f *badFile) Stat() (fs.FileInfo, error) {
	if err := f.d.call("fstat"); err != nil {
		return nil, err
	}
	return f.file.Stat()
}

// Close closes in any case, as a dying process does.
func (f *badFile) Close() error { return errors.Join(f.d.call("close"), f.file.Close()) }
