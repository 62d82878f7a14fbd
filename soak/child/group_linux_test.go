package child

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func init() { roles["first process"] = firstProcess }

// firstProcess adopts orphans, as the first process of a container does, and
// must not be left with their zombies.
func firstProcess() {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	for _, role := range []string{"orphan", "escape twice"} {
		s := Spec{
			Path: os.Args[0], LogPath: filepath.Join(os.Getenv("TMPDIR"), "log"),
			Env: append(os.Environ(), roleEnv+"="+role),
		}
		if exit, err := Run(context.Background(), s); err != nil || exit.Survivors == 0 {
			panic(fmt.Sprint(exit, err))
		}
		if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); !errors.Is(err, syscall.ECHILD) {
			panic(fmt.Sprintf("%s: child %d is left: %v", role, pid, err))
		}
	}
}

func TestFirstProcessOfAContainer(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"=first process", "TMPDIR="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestBuryKilled: those in a group that was killed with the child are buried
// and not counted.
func TestBuryKilled(t *testing.T) {
	s := spec(t, "orphan")
	cmd := command(s, t.Name())
	out, err := os.Create(s.LogPath)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	g := group{cmd.Process.Pid, t.Name()}
	g.wait(cmd.Wait)
	if n, err := g.bury(true); n != 0 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	log, err := os.ReadFile(s.LogPath)
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range spawned(t, string(log)) {
		if alive(pid) {
			t.Errorf("%d is alive", pid)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	out.Close()
}

func TestMarked(t *testing.T) {
	t.Setenv(markPrefix+"AAA", "1")
	cmd := exec.Command("/bin/cat")
	cmd.Env = []string{markPrefix + "FIRST=1", "X=" + markPrefix + "IN=1", markPrefix + "LONG=11", markPrefix + "LAST=1"}
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	for notYet := true; notYet; { // Start may return within its execve
		_, notYet = marked(pid, "")
	}
	for mark, want := range map[string]bool{"FIRST": true, "LAST": true, "IN": false, "LONG": false, "AAA": false, "": false} {
		if ours, notYet := marked(pid, mark); ours != want || notYet {
			t.Errorf("%q: got %v, %v", mark, ours, notYet)
		}
	}
	stdin.Close()
	cmd.Wait()
	if ours, notYet := marked(pid, "FIRST"); ours || notYet {
		t.Error("the dead have marks")
	}
}

// TestEmptyEnvironment: who has none is a stranger, after a while.
func TestEmptyEnvironment(t *testing.T) {
	cmd := exec.Command("/bin/cat")
	cmd.Env = []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer stdin.Close()
	if _, notYet := marked(cmd.Process.Pid, "x"); !notYet {
		t.Error("an empty environment is no answer")
	}
	if exit, _ := run(t, spec(t, "ok")); exit.Survivors != 0 {
		t.Errorf("got %+v", exit)
	}
	if !alive(cmd.Process.Pid) {
		t.Error("a stranger was killed")
	}
}
