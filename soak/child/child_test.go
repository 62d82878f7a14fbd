//go:build unix

package child

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/exactlyonce/certify/soak/guard"
)

// spec runs a role of the test binary.
func spec(t *testing.T, role string) Spec {
	t.Helper()
	return Spec{
		Path:    os.Args[0],
		Env:     append(os.Environ(), roleEnv+"="+role),
		LogPath: filepath.Join(t.TempDir(), "log"),
	}
}

func run(t *testing.T, s Spec) (Exit, string) {
	t.Helper()
	exit, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(s.LogPath)
	if err != nil {
		t.Fatal(err)
	}
	return exit, string(log)
}

// gate makes a named pipe for s, and returns what reads a line from it.
func gate(t *testing.T, s *Spec) (next func() string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(name, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	s.Env = append(s.Env, gateEnv+"="+name)
	lines := bufio.NewReader(f)
	return func() string {
		t.Helper()
		f.SetReadDeadline(time.Now().Add(30 * time.Second))
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Error(err)
		}
		return strings.TrimSpace(line)
	}
}

func TestRun(t *testing.T) {
	for _, row := range []struct {
		role   string
		cause  Cause
		code   int
		signal syscall.Signal
		log    string
	}{
		{"ok", Exited, 0, 0, "all is well"},
		{"three", Exited, 3, 0, ""},
		{"panic", Exited, 2, 0, "broken on purpose"},
		{"killed", Signalled, -1, syscall.SIGKILL, ""},
	} {
		exit, log := run(t, spec(t, row.role))
		if exit.Cause != row.cause || exit.Code != row.code || exit.Signal != row.signal {
			t.Errorf("%s: got %+v", row.role, exit)
		}
		if !strings.Contains(log, row.log) {
			t.Errorf("%s: log %q", row.role, log)
		}
		if exit.Elapsed <= 0 || exit.UserCPU+exit.SysCPU <= 0 || exit.Memory.Samples == 0 {
			t.Errorf("%s: not measured: %+v", row.role, exit)
		}
	}
}

func TestRunPasses(t *testing.T) {
	s := spec(t, "show")
	s.Args = []string{"-a", "b c"}
	s.Dir = t.TempDir()
	s.Env = append(s.Env, "CHILD_TEST_MORE=more")
	if err := os.WriteFile(s.LogPath, []byte("of an earlier try"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, log := run(t, s)
	for _, want := range []string{"args -a b c\n", filepath.Base(s.Dir) + "\n", "env more "} {
		if !strings.Contains(log, want) {
			t.Errorf("no %q in %q", want, log)
		}
	}
	if strings.Contains(log, "earlier") {
		t.Errorf("an older log was kept: %q", log)
	}
}

func TestRunInheritsEnvironment(t *testing.T) {
	t.Setenv(roleEnv, "show")
	t.Setenv("CHILD_TEST_MORE", "inherited")
	s := spec(t, "")
	s.Env = nil
	if _, log := run(t, s); !strings.Contains(log, "env inherited") {
		t.Errorf("log %q", log)
	}
}

// runLate runs a role that hangs into its deadline, with longer and longer
// deadlines until it had the time to get there.
func runLate(t *testing.T, s Spec) (Exit, string) {
	t.Helper()
	for s.Deadline = 200 * time.Millisecond; ; s.Deadline *= 2 {
		if exit, log := run(t, s); strings.Contains(log, "ready\n") {
			return exit, log
		}
	}
}

func TestDeadline(t *testing.T) {
	s := spec(t, "hang")
	s.Grace = time.Minute // not needed: the dump ends it
	exit, log := runLate(t, s)
	if exit.Cause != Deadline || exit.Code != 2 || exit.Elapsed < 200*time.Millisecond {
		t.Errorf("got %+v", exit)
	}
	if !strings.Contains(log, "SIGQUIT") || !strings.Contains(log, "goroutine 1") {
		t.Errorf("no goroutines in the log: %q", log)
	}
}

// TestDeadlineOfTheDeaf: who takes no notice of SIGQUIT gets SIGKILL.
func TestDeadlineOfTheDeaf(t *testing.T) {
	s := spec(t, "deaf")
	s.Grace = time.Millisecond
	exit, _ := runLate(t, s)
	if exit.Cause != Deadline || exit.Signal != syscall.SIGKILL {
		t.Errorf("got %+v", exit)
	}
}

// TestDumpIsCutShort: nobody waits for goroutines after Ctrl-C.
func TestDumpIsCutShort(t *testing.T) {
	role := spec(t, "deaf")
	next := gate(t, &role)
	cmd := command(role, t.Name())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	next()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &supervisor{group: group{cmd.Process.Pid, t.Name()}, spec: Spec{Grace: 24 * time.Hour}}
	s.dump(ctx)
	s.group.kill()
	if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("got %v", err)
	}
}

func TestMemory(t *testing.T) {
	s := spec(t, "eat")
	s.Limits = guard.Limits{TreeB: 64 << 20, Interval: 5 * time.Millisecond}
	exit, log := run(t, s)
	if exit.Cause != Memory || exit.Signal != syscall.SIGKILL || exit.Memory.PeakTreeB <= 64<<20 {
		t.Errorf("got %+v", exit)
	}
	if !strings.Contains(log, "eating") {
		t.Errorf("the log is lost: %q", log)
	}
}

func TestLowWater(t *testing.T) {
	s := spec(t, "hang")
	s.Limits = guard.Limits{LowWaterB: 1 << 60}
	if exit, _ := run(t, s); exit.Cause != LowWater {
		t.Errorf("got %+v", exit)
	}
}

func TestCancel(t *testing.T) {
	s := spec(t, "hang")
	next := gate(t, &s)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		next()
		cancel()
	}()
	exit, err := Run(ctx, s)
	if err != nil || exit.Cause != Cancelled || exit.Signal != syscall.SIGKILL {
		t.Errorf("got %+v, %v", exit, err)
	}
}

func TestCancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := spec(t, "ok")
	exit, err := Run(ctx, s)
	if err != nil || exit.Cause != Cancelled || exit.Code != -1 {
		t.Errorf("got %+v, %v", exit, err)
	}
	if _, err := os.Stat(s.LogPath); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it was started: %v", err)
	}
}

func TestRunFails(t *testing.T) {
	for _, row := range []struct {
		name  string
		spoil func(*Spec)
		want  error
	}{
		{"no program", func(s *Spec) { s.Path = filepath.Join(t.TempDir(), "none") }, fs.ErrNotExist},
		{"no directory", func(s *Spec) { s.Dir = filepath.Join(t.TempDir(), "none") }, fs.ErrNotExist},
		{"no log", func(s *Spec) { s.LogPath = filepath.Join(t.TempDir(), "none", "log") }, fs.ErrNotExist},
		{"log below a file", func(s *Spec) { s.LogPath = filepath.Join(s.Path, "log") }, syscall.ENOTDIR},
		{"empty log", func(s *Spec) { s.LogPath = "" }, fs.ErrNotExist},
		{"negative deadline", func(s *Spec) { s.Deadline = -1 }, nil},
		{"negative grace", func(s *Spec) { s.Grace = -1 }, nil},
	} {
		s := spec(t, "ok")
		row.spoil(&s)
		exit, err := Run(t.Context(), s)
		if err == nil || row.want != nil && !errors.Is(err, row.want) || exit.Cause != 0 {
			t.Errorf("%s: got %+v, %v", row.name, exit, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "child: run ") {
			t.Errorf("%s: got %v", row.name, err)
		}
	}
}

func TestCauseString(t *testing.T) {
	var got []string
	for c := Exited; c <= Cancelled; c++ {
		got = append(got, c.String())
	}
	want := []string{"exited", "signalled", "deadline", "memory", "low water", "blind", "cancelled"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := fmt.Sprint(Cause(0), Cause(99)); got != "Cause(0) Cause(99)" {
		t.Errorf("got %s", got)
	}
}

// TestVerdict: what the guard saw counts, unless Run had decided before.
func TestVerdict(t *testing.T) {
	for _, row := range []struct {
		decided   Cause
		trip      guard.Trip
		signalled bool
		want      Cause
	}{
		{Exited, guard.None, false, Exited},
		{Exited, guard.None, true, Signalled},
		{Exited, guard.Memory, true, Memory},
		{Exited, guard.LowWater, false, LowWater},
		{Exited, guard.Blind, false, Blind},
		{Deadline, guard.Memory, true, Deadline},
		{Cancelled, guard.None, true, Cancelled},
		{Memory, guard.Memory, true, Memory},
	} {
		s := &supervisor{report: guard.Report{Trip: row.trip}}
		if got := s.verdict(row.decided, row.signalled); got != row.want {
			t.Errorf("%+v: got %s", row, got)
		}
	}
}
