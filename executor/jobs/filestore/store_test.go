package filestore

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/exactlyonce/certify/executor/jobs"
	"github.com/exactlyonce/certify/internal/mishap"
)

func TestReopenV7(t *testing.T) {
	want := states(t)
	dir := t.TempDir()
	for i, step := range script {
		s := mustOpen(t, dir)
		equal(t, "reopened", contents(t, s), want[i])
		is(t, "step", step(s), nil)
		equal(t, "at once", contents(t, s), want[i+1])
		is(t, "close", s.Close(), nil)
		is(t, "close again", s.Close(), nil)
		is(t, "put after close", s.Put(jobs.Record{ID: "x", Phase: jobs.Reserved}), ErrClosed)
		is(t, "compact after close", s.Compact(), ErrClosed)
		_, err := s.Load()
		is(t, "load after close", err, ErrClosed)
	}
	s := mustOpen(t, dir)
	before := s.endB
	is(t, "compact", s.Compact(), nil)
	equal(t, "compacted", contents(t, s), want[len(script)])
	if s.endB >= before {
		t.Errorf("%d bytes, compacted from %d", s.endB, before)
	}
	is(t, "put", s.Put(jobs.Record{ID: "e", Phase: jobs.Running}), nil)
	is(t, "close", s.Close(), nil)
	if n := len(contents(t, mustOpen(t, dir))); n != len(want[len(script)])+1 {
		t.Errorf("%d records after a put behind a compaction", n)
	}
}

func TestModesV7(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: modes of files: Windows has none")
	}
	dir := filepath.Join(t.TempDir(), "store")
	s := mustOpen(t, dir)
	is(t, "compact", s.Compact(), nil)
	for name, want := range map[string]os.FileMode{"": 0o700, logName: 0o600, lockName: 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q: mode %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
}

func TestLockV7(t *testing.T) {
	dir := t.TempDir()
	cmd, out := mishap.Start(t, "hold", dir)
	if !out.Scan() {
		t.Fatal("the holder died")
	}
	_, err := Open(dir)
	is(t, "open beside another process", err, ErrLocked)
	if !strings.Contains(err.Error(), dir) {
		t.Errorf("%v does not name the directory", err)
	}
	mishap.Kill(t, cmd, out)
	mustOpen(t, dir)
	_, err = Open(dir)
	is(t, "open beside another store", err, ErrLocked)
}

// Errors of the file system say what and where.
func TestBadDirectoriesV7(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	taken := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(taken, logName), 0o700); err != nil {
		t.Fatal(err)
	}
	bad := map[string]string{
		"a file":              file,
		"below a file":        filepath.Join(file, "x"),
		"no parent":           filepath.Join(dir, "x", "y"),
		"the log a directory": taken,
	}
	if os.Geteuid() > 0 {
		bad["not writable"] = filepath.Join(dir, "closed")
		if err := os.Mkdir(bad["not writable"], 0o500); err != nil {
			t.Fatal(err)
		}
	}
	for name, path := range bad {
		if _, err := Open(path); err == nil || !strings.HasPrefix(err.Error(), "filestore: ") || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestRemovedUnderItV7(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: a removed log: Windows removes no open file")
	}
	dir := t.TempDir()
	s := mustOpen(t, dir)
	r := jobs.Record{ID: "a", Phase: jobs.Reserved}
	is(t, "put", s.Put(r), nil)
	name := filepath.Join(dir, logName)
	if err := os.Rename(name, name+".away"); err != nil {
		t.Fatal(err)
	}
	err := s.Put(r)
	is(t, "put", err, ErrRemoved)
	if !strings.Contains(err.Error(), name) {
		t.Errorf("%v does not name the log", err)
	}
	is(t, "delete", s.Delete("a"), ErrRemoved)
	is(t, "compact", s.Compact(), ErrRemoved)
	if err := os.WriteFile(name, []byte(magic), 0o600); err != nil {
		t.Fatal(err)
	}
	is(t, "put beside another log", s.Put(r), ErrRemoved)
	if err := os.Rename(name+".away", name); err != nil {
		t.Fatal(err)
	}
	is(t, "put when it is back", s.Put(r), nil)
}

func TestRefusedRecordsV7(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	before := s.endB
	for _, r := range []jobs.Record{
		{ID: "\xff", Phase: jobs.Reserved}, {ID: "a"}, {ID: "a", Phase: jobs.Finalizing}, {ID: "a", Phase: jobs.Gone, End: 99},
	} {
		if err := s.Put(r); err == nil {
			t.Errorf("%+v was taken", r)
		}
	}
	is(t, "put", s.Put(jobs.Record{ID: "a", Phase: jobs.Gone, Output: make([]byte, maxPayload)}), ErrTooLarge)
	if s.endB != before {
		t.Error("a refused record was written")
	}
	output := bytes.Repeat([]byte("x"), 3*joinMaxB)
	is(t, "put of a large one", s.Put(jobs.Record{ID: "a", Phase: jobs.Gone, End: jobs.Completed, Output: output}), nil)
	is(t, "compact", s.Compact(), nil)
	if stored, err := s.Load(); err != nil || !bytes.Equal(stored.Records[0].Output, output) {
		t.Errorf("%d records, %v", len(stored.Records), err)
	}
}

// Who comes while the log is busy shares the next frame and its sync.
func TestGroupCommitV7(t *testing.T) {
	watchdog(t)
	const many = 50
	d := &badDisk{}
	dir := t.TempDir()
	s, err := open(dir, d)
	if err != nil {
		t.Fatal(err)
	}
	before := d.count("sync")
	s.io.Lock()
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() { is(t, "put", s.Put(jobs.Record{ID: fmt.Sprint(i), Phase: jobs.Reserved}), nil) })
	}
	for joined := 0; joined < many; runtime.Gosched() {
		s.mu.Lock()
		if s.next != nil {
			joined = len(s.next.lines)
		}
		s.mu.Unlock()
	}
	s.io.Unlock()
	all.Wait()
	if n := d.count("sync") - before; n != 1 {
		t.Errorf("%d records took %d syncs", many, n)
	}
	is(t, "close", s.Close(), nil)
	if n := len(contents(t, mustOpen(t, dir))); n != many {
		t.Errorf("%d records of %d", n, many)
	}
}

// The log does not grow with its history, and what lives is all there.
func TestCompactsByItselfV7(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir)
	compacted, before := 0, int64(0)
	for i := 0; compacted < 3; i++ {
		is(t, "put", s.Put(jobs.Record{ID: fmt.Sprint(i % 7), Phase: jobs.Gone, End: jobs.Completed, Output: bytes.Repeat([]byte{byte(i)}, 2000)}), nil)
		if s.endB < before {
			compacted++
		}
		if before = s.endB; before > 2*compactMinB {
			t.Fatalf("%d bytes", before)
		}
	}
	want := contents(t, s)
	is(t, "close", s.Close(), nil)
	equal(t, "reopened", contents(t, mustOpen(t, dir)), want)
}

func TestVersionV7(t *testing.T) {
	dir := withLog(t, []byte("certify-jobs v2\nwhatever"))
	_, err := Open(dir)
	is(t, "open", err, ErrVersion)
	if !strings.Contains(err.Error(), dir) || errors.Is(err, ErrCorrupt) {
		t.Errorf("got %v", err)
	}
}
