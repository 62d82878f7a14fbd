package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/exactlyonce/certify/executor/jobs"
)

// batch is what is written in one frame. The first who puts something in it
// writes it, when its turn for the log has come; until then others join.
type batch struct {
	frame []byte
	lines []change
	done  chan struct{} // closed when err is set
	err   error
}

// change is what a line of a batch does, its offset from the frame's start.
type change struct {
	id   string
	gone bool
	at   span
}

// joinMaxB is the size from which on a batch takes no more.
const joinMaxB = 1 << 20

// Put implements jobs.Store: when it returns nil, r is on the disk. Besides
// the errors of the file system, such as syscall.ENOSPC, after which nothing
// of r is in the log, there are ErrReadOnly, ErrRemoved, ErrTooLarge and
// ErrClosed.
func (s *Store) Put(r jobs.Record) error {
	text, err := encode(r)
	if err != nil {
		return err
	}
	return s.append(r.ID, false, text)
}

// Delete implements jobs.Store. It fails like Put.
func (s *Store) Delete(id string) error {
	text, err := line{ID: id, Phase: deleted}.encode()
	if err != nil {
		return err
	}
	return s.append(id, true, text)
}

func (s *Store) append(id string, gone bool, text []byte) error {
	b, first := s.join(id, gone, text)
	if !first {
		<-b.done
		return b.err
	}
	s.io.Lock()
	defer s.io.Unlock()
	s.mu.Lock()
	if s.next == b {
		s.next = nil
	}
	s.mu.Unlock()
	b.err = s.commit(b)
	close(b.done)
	return b.err
}

// join puts a line in the batch that waits, or in a new one.
func (s *Store) join(id string, gone bool, text []byte) (b *batch, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil || len(s.next.frame)+len(text) > joinMaxB {
		s.next, first = &batch{frame: newFrame(), done: make(chan struct{})}, true
	}
	b = s.next
	b.lines = append(b.lines, change{id, gone, span{int64(len(b.frame)), int64(len(text))}})
	b.frame = append(b.frame, text...)
	return b, first
}

// commit makes b durable, or leaves nothing of it.
func (s *Store) commit(b *batch) error {
	if err := s.writable(); err != nil {
		return err
	}
	seal(b.frame)
	if _, err := s.file.WriteAt(b.frame, s.endB); err != nil {
		return s.undo(err)
	}
	if err := s.file.Sync(); err != nil {
		// The kernel may have dropped the pages, and may say yes next time.
		s.dead = fmt.Errorf("sync: %w", err)
		return s.undo(err)
	}
	for _, c := range b.lines {
		c.at.offset += s.endB
		s.keep(c.id, c.gone, c.at)
	}
	s.endB += int64(len(b.frame))
	s.compactIfWorth()
	return nil
}

// writable tells why nothing can be written.
func (s *Store) writable() error {
	if errors.Is(s.dead, ErrClosed) {
		return fmt.Errorf("filestore: write %s: %w", s.path, ErrClosed)
	}
	if s.dead != nil {
		return fmt.Errorf("filestore: write %s: %w: %w", s.path, ErrReadOnly, s.dead)
	}
	mine, err := s.file.Stat()
	if err != nil {
		return fmt.Errorf("filestore: write: %w", err)
	}
	named, err := s.disk.stat(s.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(mine, named) {
		return fmt.Errorf("filestore: write %s: %w", s.path, ErrRemoved)
	}
	if err != nil {
		return fmt.Errorf("filestore: write: %w", err)
	}
	return nil
}

// undo cuts off what a failed write may have left. When that fails too, the
// store is dead.
func (s *Store) undo(cause error) error {
	err := fmt.Errorf("filestore: write %s: %w", s.path, cause)
	if cut := s.cut(); cut != nil {
		if s.dead == nil {
			s.dead = fmt.Errorf("an unfinished frame could not be cut off: %w", cut)
		}
		err = fmt.Errorf("%w; cut it off: %w", err, cut)
	}
	return err
}

// cut drops what follows the last whole frame, durably.
func (s *Store) cut() error {
	if err := s.file.Truncate(s.endB); err != nil {
		return err
	}
	return s.file.Sync()
}
