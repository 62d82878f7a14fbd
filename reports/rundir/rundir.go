package rundir

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"github.com/exactlyonce/certify/reports/record"
)

// What the evidence in a run directory is called.
const (
	PlanFile    = "plan.json"
	EnvFile     = "env.json"
	ResultsFile = "results.jsonl"
	LogsDir     = "logs"
)

const lockFile = "lock"

// Dir is a run directory that this process writes to. Its methods may be
// called from any goroutine.
type Dir struct {
	path string
	lock *flock.Flock

	mu       sync.Mutex // guards what follows
	contents Contents
	done     map[string]bool // repetitions in contents
	results  *os.File
	sizeB    int64 // Invariant: length of results.jsonl between calls
	dead     error // why nothing more may be appended
}

// Open continues a run. It drops a torn last line for good, and verifies the
// plan and the environment.
func Open(path string) (*Dir, error) {
	// Before the lock, which would be created in any directory.
	if _, err := os.Stat(filepath.Join(path, ResultsFile)); err != nil {
		return nil, notARun(path, err)
	}
	lock, err := takeLock(path)
	if err != nil {
		return nil, err
	}
	return start(path, lock)
}

func notARun(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("rundir: open %s: not a run, or its creation was cut short: %w", path, err)
	}
	return fmt.Errorf("rundir: open: %w", err)
}

// start loads a directory that is locked and complete.
func start(path string, lock *flock.Flock) (*Dir, error) {
	d := &Dir{path: path, lock: lock, done: map[string]bool{}}
	if err := d.load(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Dir) load() (err error) {
	if d.contents, err = Read(d.path); err != nil {
		return err
	}
	for _, r := range d.contents.Records {
		d.done[repetition(r)] = true
	}
	if err := removeTemps(d.path); err != nil {
		return err
	}
	name := d.Path(ResultsFile)
	d.results, err = os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("rundir: open: %w", err)
	}
	info, err := d.results.Stat()
	if err != nil {
		return fmt.Errorf("rundir: open: %w", err)
	}
	d.sizeB = info.Size() - d.contents.TornB
	if d.contents.TornB > 0 {
		return d.cutBack()
	}
	return nil
}

// repetition is what must be unique in a run.
func repetition(r record.Record) string { return fmt.Sprintf("%s rep %d", r.Key, r.Rep) }

// Contents returns what the directory held when it was opened and what was
// appended since.
func (d *Dir) Contents() Contents {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.contents.clone()
}

// Path is where the file of that slash path, relative to the directory, is.
func (d *Dir) Path(rel string) string { return filepath.Join(d.path, filepath.FromSlash(rel)) }

// LogPath is where the log called name belongs: as a slash path for the
// record, relative to the directory, and as a path to open. Any name will do,
// such as a key; equal names give equal paths.
func (d *Dir) LogPath(name string) (rel, abs string) {
	rel = LogsDir + "/" + logName(name)
	return rel, d.Path(rel)
}

// maxNameB leaves room below the 255 bytes that file systems allow.
const (
	maxNameB  = 200
	logSuffix = ".log"
)

func logName(name string) string {
	name, whole := strings.Map(plain, name), name
	if len(name) > maxNameB {
		name = name[:maxNameB-9] + "-" + digest([]byte(whole))[:8]
	}
	return name + logSuffix
}

// IsLog reports whether rel is the slash path of a log, as LogPath makes them: a
// plain name directly in the directory of the logs, which leads nowhere else on
// any system.
func IsLog(rel string) bool {
	name, ok := strings.CutPrefix(rel, LogsDir+"/")
	return ok && name != "" && name[0] != '.' && len(name) <= maxNameB+len(logSuffix) && name == strings.Map(plain, name) && filepath.IsLocal(name)
}

// plain is a letter of a log's name, or a comma in its place.
func plain(c rune) rune {
	switch {
	case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', strings.ContainsRune("_.-=", c):
		return c
	}
	return ','
}

// ReadLog reads a log of the run directory at path. What is no log, or no file of
// its own, such as a link to somewhere, is an error that wraps ErrNotLog.
func ReadLog(path, rel string) ([]byte, error) {
	if !IsLog(rel) {
		return nil, fmt.Errorf("rundir: read %.80q: %w", rel, ErrNotLog)
	}
	name := filepath.Join(path, filepath.FromSlash(rel))
	info, err := os.Lstat(name)
	if err != nil {
		return nil, fmt.Errorf("rundir: read: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("rundir: read %s: %w", name, ErrNotLog)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("rundir: read: %w", err)
	}
	return data, nil
}

// WriteFile puts a derived file into the directory: as a whole or not at all,
// in place of an older one.
func (d *Dir) WriteFile(name string, data []byte) error {
	switch name {
	case PlanFile, EnvFile, ResultsFile, lockFile, LogsDir:
		return fmt.Errorf("rundir: write %s: not a derived file", name)
	}
	if name != filepath.Base(name) || !filepath.IsLocal(name) || strings.HasPrefix(name, ".") {
		return fmt.Errorf("rundir: write %q: want a plain file name", name)
	}
	return writeFile(d.path, name, data)
}

// Close gives the directory up. It is for a Dir once.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dead = errors.New("closed")
	var err error
	if d.results != nil {
		err = d.results.Close()
	}
	if err := errors.Join(err, d.lock.Unlock()); err != nil {
		return fmt.Errorf("rundir: close %s: %w", d.path, err)
	}
	return nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
