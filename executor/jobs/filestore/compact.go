package filestore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Compact writes the log anew without history. That happens by itself when
// more than half of a log of 64 KiB or more is history. After an error the log
// is as it was, unless the store is ErrReadOnly now.
func (s *Store) Compact() error {
	s.io.Lock()
	defer s.io.Unlock()
	if err := s.writable(); err != nil {
		return err
	}
	return s.compact()
}

// compactIfWorth is for a commit, which has succeeded whatever happens here:
// one that fails is tried again when the log is twice as large.
func (s *Store) compactIfWorth() {
	if s.endB < s.compactB || s.endB < 2*s.liveB {
		return
	}
	if err := s.compact(); err != nil {
		s.compactB = 2 * s.endB
	}
}

// compact leaves either log under the name at every moment, each whole.
func (s *Store) compact() error {
	published, err := s.publish(func(w *writer) error { return s.eachLive(w.add) })
	if !published {
		if s.file == nil { // closed for the rename, which then failed
			err = errors.Join(err, s.reopen())
		}
		return fmt.Errorf("filestore: compact: %w", err)
	}
	if err == nil {
		err = s.reopen()
	}
	if err == nil {
		var info os.FileInfo
		if info, err = s.file.Stat(); err == nil {
			err = s.index(info.Size())
		}
	}
	if err != nil {
		s.dead = err
		return fmt.Errorf("filestore: compact: %w", err)
	}
	s.compactB = s.minB
	return nil
}

// reopen opens the log under its name.
func (s *Store) reopen() error {
	f, err := s.disk.open(s.path, os.O_RDWR)
	if err != nil {
		s.dead = err
		return err
	}
	s.file = f
	return nil
}

// publish writes a log with what fill adds:
//
//  1. write it beside, and sync it
//  2. close both, as Windows renames no open file
//  3. rename it over the old one
//  4. sync the directory
//
// A crash before 3 leaves the old log and a file that the next Open removes.
// It tells whether 3 has happened.
func (s *Store) publish(fill func(*writer) error) (published bool, err error) {
	temp := filepath.Join(s.dir, tempName)
	err = s.writeTemp(temp, fill) // 1
	if err == nil {
		err = s.closeFile() // 2
	}
	if err == nil {
		err = s.disk.rename(temp, s.path) // 3
	}
	if err != nil {
		_ = s.disk.remove(temp) // or the next Open does
		return false, err
	}
	return true, s.disk.syncDir(s.dir) // 4
}

func (s *Store) writeTemp(temp string, fill func(*writer) error) error {
	f, err := s.disk.open(temp, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	w := &writer{file: f, frame: newFrame()}
	_, err = f.WriteAt([]byte(magic), 0)
	w.endB = int64(len(magic))
	if err == nil {
		err = fill(w)
	}
	if err == nil {
		err = w.flush()
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// writer appends lines to a new log, in frames of some size.
type writer struct {
	file  file
	endB  int64
	frame []byte
}

func (w *writer) add(text []byte) error {
	if len(w.frame) > headB && len(w.frame)+len(text) > joinMaxB {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.frame = append(w.frame, text...)
	return nil
}

func (w *writer) flush() error {
	if len(w.frame) == headB {
		return nil
	}
	seal(w.frame)
	_, err := w.file.WriteAt(w.frame, w.endB)
	w.endB += int64(len(w.frame))
	w.frame = w.frame[:headB]
	return err
}
