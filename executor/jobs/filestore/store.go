package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"

	"github.com/exactlyonce/certify/executor/jobs"
)

// The names in the directory.
const (
	logName  = "jobs.log"
	tempName = "jobs.log.tmp" // a log that is not finished
	lockName = "lock"         // a name for a lock in the kernel; never removed
)

// Store is a jobs.Store in a directory. It is safe for any goroutine.
type Store struct {
	disk disk
	dir  string
	path string // of the log
	lock *flock.Flock

	mu   sync.Mutex
	next *batch // what waits for io; guarded by mu

	// io is held by whoever reads or writes the log, and guards the rest.
	io       sync.Mutex
	file     file // nil after a failure that lost it
	endB     int64
	droppedB int64
	live     map[string]span // the last line of each id
	liveB    int64           // Invariant: the sum of live's lengths
	// compactB is the log's size from which on it is worth a compaction, minB
	// where that begins.
	compactB, minB int64
	// dead goes once from nil to why nothing is written any more.
	dead error
}

// span is where a line is.
type span struct{ offset, lengthB int64 }

// compactMinB is the size below which a log is never compacted by itself.
const compactMinB = 1 << 16

// Open makes the directory (0700) and the log (0600) if there is none, locks
// it, and checks all of the log. Besides the errors of the file system, which
// name what and where, there are ErrLocked, ErrVersion and *CorruptError.
func Open(dir string) (*Store, error) { return open(dir, realDisk{}) }

func open(dir string, d disk) (*Store, error) {
	if err := makeDir(dir, d); err != nil {
		return nil, fmt.Errorf("filestore: open: %w", err)
	}
	lock, err := takeLock(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{disk: d, dir: dir, path: filepath.Join(dir, logName), lock: lock, compactB: compactMinB, minB: compactMinB}
	if err := s.begin(); err != nil {
		return nil, errors.Join(err, s.closeFile(), lock.Close())
	}
	return s, nil
}

// makeDir makes one directory at most, durably: its parent must exist.
func makeDir(dir string, d disk) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil // a file of that name fails at the lock
	}
	if err != nil {
		return err
	}
	return d.syncDir(filepath.Dir(dir))
}

func takeLock(dir string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(dir, lockName), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	got, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("filestore: lock %s: %w", dir, err)
	}
	if !got {
		return nil, errors.Join(fmt.Errorf("filestore: lock %s: %w", dir, ErrLocked), lock.Close())
	}
	return lock, nil
}

// begin opens the log, or makes one, and cuts off what was written in part.
func (s *Store) begin() error {
	temp := filepath.Join(s.dir, tempName)
	if err := s.disk.remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("filestore: open: %w", err)
	}
	_, err := s.disk.stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = s.publish(func(*writer) error { return nil })
	}
	if err != nil {
		return fmt.Errorf("filestore: open: %w", err)
	}
	f, err := s.disk.open(s.path, os.O_RDWR)
	if err != nil {
		return fmt.Errorf("filestore: open: %w", err)
	}
	s.file = f
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("filestore: open: %w", err)
	}
	if err := s.index(info.Size()); err != nil {
		return err
	}
	if s.droppedB = info.Size() - s.endB; s.droppedB > 0 {
		if err := s.cut(); err != nil {
			return fmt.Errorf("filestore: open: drop %d bytes at the end of %s: %w", s.droppedB, s.path, err)
		}
	}
	return nil
}

// index reads all of the log.
func (s *Store) index(sizeB int64) error {
	s.live, s.liveB = map[string]span{}, 0
	end, err := log{s.path, s.file, sizeB}.scan(func(offset int64, text []byte) error {
		r, gone, err := decode(text)
		if err != nil {
			return &CorruptError{s.path, offset, err.Error()}
		}
		s.keep(r.ID, gone, span{offset, int64(len(text))})
		return nil
	})
	s.endB = end
	return err
}

// keep makes at the last line of id.
func (s *Store) keep(id string, gone bool, at span) {
	s.liveB -= s.live[id].lengthB
	if gone {
		delete(s.live, id)
		return
	}
	s.live[id] = at
	s.liveB += at.lengthB
}

// Load implements jobs.Store. Bytes that Open dropped are reported by every
// Load.
func (s *Store) Load() (jobs.Stored, error) {
	s.io.Lock()
	defer s.io.Unlock()
	stored := jobs.Stored{DroppedB: s.droppedB}
	err := s.eachLive(func(text []byte) error {
		r, _, err := decode(text)
		stored.Records = append(stored.Records, r)
		return err
	})
	return stored, err
}

// eachLive calls visit with the last line of each id, checked once more.
func (s *Store) eachLive(visit func(text []byte) error) error {
	if s.file == nil {
		return fmt.Errorf("filestore: read %s: %w", s.path, s.dead)
	}
	last := map[int64]bool{}
	for _, at := range s.live {
		last[at.offset] = true
	}
	_, err := log{s.path, s.file, s.endB}.scan(func(offset int64, text []byte) error {
		if !last[offset] {
			return nil
		}
		return visit(text)
	})
	return err
}

// Close gives the directory free. Later calls to the store are ErrClosed.
func (s *Store) Close() error {
	s.io.Lock()
	defer s.io.Unlock()
	if errors.Is(s.dead, ErrClosed) {
		return nil
	}
	s.dead = ErrClosed
	if err := errors.Join(s.closeFile(), s.lock.Close()); err != nil {
		return fmt.Errorf("filestore: close: %w", err)
	}
	return nil
}

func (s *Store) closeFile() error {
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	return f.Close()
}
