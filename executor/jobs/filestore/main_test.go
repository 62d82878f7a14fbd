package filestore

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/exactlyonce/certify/executor/jobs"
	"github.com/exactlyonce/certify/internal/mishap"
	"github.com/exactlyonce/certify/internal/stress"
)

// roles are what the test binary plays as another process.
var roles = map[string]func(path string) error{"hold": hold, "drive": drive}

func TestMain(m *testing.M) {
	mishap.Play(roles)
	goleak.VerifyTestMain(m)
}

func hold(path string) error {
	if _, err := Open(path); err != nil {
		return err
	}
	fmt.Println("held")
	_, err := io.Copy(io.Discard, os.Stdin) // until the test is gone
	return err
}

// watchdog has patience with disks that sync slowly.
func watchdog(t *testing.T) { t.Helper(); stress.WatchdogAfter(t, 5*time.Minute) }

func mustOpen(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// contents is what a store has, as sorted lines.
func contents(t *testing.T, s jobs.Store) []string {
	t.Helper()
	stored, err := s.Load()
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for _, r := range stored.Records {
		all = append(all, fmt.Sprintf("%+v", r))
	}
	slices.Sort(all)
	return all
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got  %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

func is(t *testing.T, what string, got, want error) {
	t.Helper()
	if want == nil && got != nil || !errors.Is(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// script is a history that uses every kind of line. Step i is about one id.
var script = []func(jobs.Store) error{
	func(s jobs.Store) error { return s.Put(jobs.Record{ID: "a", Phase: jobs.Reserved}) },
	func(s jobs.Store) error { return s.Put(jobs.Record{ID: "b/../\"ü", Phase: jobs.Reserved}) },
	func(s jobs.Store) error { return s.Put(jobs.Record{ID: "a", Phase: jobs.Running}) },
	func(s jobs.Store) error { return s.Delete("b/../\"ü") },
	func(s jobs.Store) error {
		return s.Put(jobs.Record{ID: "a", Phase: jobs.Gone, End: jobs.Completed, Began: true, Output: []byte("\x00\n\xff")})
	},
	func(s jobs.Store) error {
		return s.Put(jobs.Record{ID: "c", Phase: jobs.Gone, End: jobs.Failed, Cause: "line\nbreak", Finalize: "<&>"})
	},
	func(s jobs.Store) error { return s.Delete("never there") },
	func(s jobs.Store) error {
		return s.Put(jobs.Record{ID: "d", Phase: jobs.Gone, End: jobs.Cancelled, Cause: "late"})
	},
}

// states are the contents after each number of steps of the script.
func states(t *testing.T) (all [][]string) {
	var m jobs.Memory
	all = append(all, contents(t, &m))
	for _, step := range script {
		if err := step(&m); err != nil {
			t.Fatal(err)
		}
		all = append(all, contents(t, &m))
	}
	return all
}

// written is a log of the whole script, and where its frames end.
func written(t *testing.T) (data []byte, ends []int64) {
	t.Helper()
	dir := t.TempDir()
	s := mustOpen(t, dir)
	ends = append(ends, s.endB)
	for _, step := range script {
		if err := step(s); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, s.endB)
	}
	is(t, "close", s.Close(), nil)
	data, err := os.ReadFile(filepath.Join(dir, logName))
	if err != nil {
		t.Fatal(err)
	}
	return data, ends
}

// withLog is a directory with that log.
func withLog(t *testing.T, data []byte) string {
	t.Helper()
	dir := t.TempDir()
	putLog(t, dir, data)
	return dir
}

func putLog(t *testing.T, dir string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, logName), data, 0o600); err != nil {
		t.Fatal(err)
	}
}
