//go:build unix

package child

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// alive does not count a zombie, which waits for its parent only.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if runtime.GOOS == "linux" {
		return err == nil && !strings.Contains(string(stat), ") Z ")
	}
	return syscall.Kill(pid, 0) == nil
}

// spawned are those whom the log names.
func spawned(t *testing.T, log string) (pids []int) {
	t.Helper()
	for line := range strings.Lines(log) {
		if text, ok := strings.CutPrefix(line, "spawned "); ok {
			pids = append(pids, atoi(t, strings.TrimSpace(text)))
		}
	}
	return pids
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestSurvivors(t *testing.T) {
	for _, row := range []struct {
		role              string
		cause             Cause
		spawns, survivors int
		linux             bool
	}{
		{"orphan", Exited, 1, 1, false},
		{"bare orphan", Exited, 1, 1, false},
		{"orphan and hang", Deadline, 1, 0, false},
		{"escape", Exited, 1, 1, true},
		{"escape twice", Exited, 2, 2, true},
		{"escape and hang", Deadline, 1, 1, true},
	} {
		if row.linux && runtime.GOOS != "linux" {
			continue // there they do escape, as the package says
		}
		try := run
		if row.cause == Deadline {
			try = runLate
		}
		exit, log := try(t, spec(t, row.role))
		if exit.Cause != row.cause || exit.Survivors != row.survivors {
			t.Errorf("%s: got %+v want %d survivors", row.role, exit, row.survivors)
		}
		pids := spawned(t, log)
		if len(pids) != row.spawns {
			t.Errorf("%s: spawned %v", row.role, pids)
		}
		for _, pid := range pids {
			if alive(pid) {
				t.Errorf("%s: %d is alive", row.role, pid)
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}

// TestBuryOnlyOwn: to bury a child harms nobody else: not another child, not
// what this process started without Run, in a session of its own or not.
func TestBuryOnlyOwn(t *testing.T) {
	other := spec(t, "patient")
	next := gate(t, &other)
	release := strings.TrimPrefix(other.Env[len(other.Env)-1], gateEnv+"=") + ".release"
	if err := syscall.Mkfifo(release, 0o666); err != nil {
		t.Fatal(err)
	}
	ended := make(chan Exit)
	go func() {
		exit, err := Run(t.Context(), other)
		if err != nil {
			t.Error(err)
		}
		ended <- exit
	}()
	next()
	bystander := exec.Command(os.Args[0])
	bystander.Env = append(os.Environ(), roleEnv+"=hang")
	bystander.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	defer bystander.Wait()
	defer bystander.Process.Kill()

	if exit, _ := run(t, spec(t, "orphan")); exit.Survivors != 1 {
		t.Errorf("got %+v", exit)
	}
	if !alive(bystander.Process.Pid) {
		t.Error("the bystander is dead")
	}
	w, err := os.OpenFile(release, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	if exit := <-ended; exit.Cause != Exited || exit.Code != 0 {
		t.Errorf("the other child: got %+v", exit)
	}
}

// TestParentKilled: a supervisor that is killed takes the child with it, and
// on Linux whoever left the child's group.
func TestParentKilled(t *testing.T) {
	s := spec(t, "supervise")
	next := gate(t, &s)
	supervisor := exec.Command(s.Path)
	supervisor.Env = s.Env
	supervisor.Stderr = os.Stderr
	if err := supervisor.Start(); err != nil {
		t.Fatal(err)
	}
	if watches := next(); watches != "true" {
		t.Errorf("the child does not watch: %q", watches)
	}
	grandchild, child := atoi(t, next()), atoi(t, next())
	if !alive(child) || !alive(grandchild) {
		t.Error("dead before their time")
	}
	if err := supervisor.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	supervisor.Wait()
	checkDies(t, "child", child)
	if runtime.GOOS == "linux" {
		checkDies(t, "grandchild", grandchild)
	} else {
		syscall.Kill(grandchild, syscall.SIGKILL)
	}
}

// TestForeign: neither a program that does not watch, nor whom it started, outlives a
// supervisor that is killed; and one that ends by itself leaves nothing, and is no leak.
func TestForeign(t *testing.T) {
	s := spec(t, "compile")
	next := gate(t, &s)
	supervisor := exec.Command(s.Path)
	supervisor.Env = s.Env
	supervisor.Stderr = os.Stderr
	if err := supervisor.Start(); err != nil {
		t.Fatal(err)
	}
	hung, grandchild, child := atoi(t, next()), atoi(t, next()), atoi(t, next())
	if hung != grandchild || !alive(child) || !alive(grandchild) {
		t.Errorf("dead before their time, or not who they are: %d is %d, of %d", hung, grandchild, child)
	}
	if err := supervisor.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	supervisor.Wait()
	checkDies(t, "child", child)
	checkDies(t, "grandchild", grandchild)

	s = spec(t, "three")
	s.Foreign = true
	if exit, _ := run(t, s); exit.Cause != Exited || exit.Code != 3 || exit.Survivors != 0 {
		t.Errorf("got %+v, want exit code 3 and nobody left", exit)
	}
}

func checkDies(t *testing.T, name string, pid int) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); alive(pid); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("the %s is alive", name)
		}
	}
}

// TestWatchParentElsewhere: it watches nothing but the pipe of Run.
func TestWatchParentElsewhere(t *testing.T) {
	byHand := exec.Command(os.Args[0]) // with an empty standard input
	byHand.Env = append(os.Environ(), roleEnv+"=by hand", watchEnv+"=")
	if out, err := byHand.Output(); err != nil || string(out) != "by hand false\n" {
		t.Errorf("by hand: %q, %v", out, err)
	}
	marked := exec.Command(os.Args[0])
	marked.Env = append(os.Environ(), roleEnv+"=by hand", watchEnv+"=x")
	marked.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if out, err := marked.Output(); err != nil || string(out) != "by hand false\n" {
		t.Errorf("standard input is no pipe: %q, %v", out, err)
	}
	_, log := run(t, spec(t, "grandchild"))
	if !strings.Contains(log, "by hand false\n") || !strings.Contains(log, "child true\n") {
		t.Errorf("grandchild: %q", log)
	}
}

// TestNoDescriptorsLeft: a hundred repetitions must not use up the table.
func TestNoDescriptorsLeft(t *testing.T) {
	open := func() int {
		names, err := filepath.Glob("/dev/fd/*")
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	run(t, spec(t, "ok"))
	before := open()
	for range 5 {
		run(t, spec(t, "ok"))
	}
	if after := open(); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}
