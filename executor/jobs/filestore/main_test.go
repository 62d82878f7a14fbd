package filestore

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/exactlyonce/certify/executor/jobs"
)

// The test binary plays another process when roleEnv is set. It talks in
// lines on its standard output.
const (
	roleEnv = "FILESTORE_TEST_ROLE"
	pathEnv = "FILESTORE_TEST_PATH"
)

var roles = map[string]func(path string) error{"hold": hold, "drive": drive}

func TestMain(m *testing.M) {
	role, ok := roles[os.Getenv(roleEnv)]
	if !ok {
		goleak.VerifyTestMain(m)
		return
	}
	if err := role(os.Getenv(pathEnv)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// other starts the test binary in a role, and is killed with the test.
func other(t *testing.T, role, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+role, pathEnv+"="+path)
	cmd.Stderr = os.Stderr
	_, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, bufio.NewScanner(out)
}

func hold(path string) error {
	if _, err := Open(path); err != nil {
		return err
	}
	fmt.Println("held")
	_, err := io.Copy(io.Discard, os.Stdin) // until the test is gone
	return err
}

var seedFlag = flag.Uint64("seed", 0, "repeat a test with this seed; 0 means one of its own")

// seed is the seed of one test, which a failure prints. It fixes the choices
// of the test, not when other processes do what.
func seed(t *testing.T) *rand.Rand {
	t.Helper()
	n := *seedFlag
	if n == 0 {
		n = rand.Uint64() | 1
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("repeat: go test -run '^%s$' ./executor/jobs/filestore -seed %d", t.Name(), n)
		}
	})
	return rand.New(rand.NewPCG(n, 0))
}

// watchdog makes a hang a verdict, with all stacks.
func watchdog(t *testing.T) {
	t.Helper()
	timer := time.AfterFunc(5*time.Minute, func() {
		debug.SetTraceback("all")
		panic("a test hangs: " + t.Name())
	})
	t.Cleanup(func() { timer.Stop() })
}

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
