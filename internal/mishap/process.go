// Package mishap is what befalls durable files, for tests of those who write
// them, and for real: another process that has them open, kill -9 in the midst
// of a write, and, on Linux, a disk without room.
//
// The other process is the test binary again, in one of the roles that its
// TestMain knows. It talks in lines on its standard output. Its standard input
// ends with the process of the test, for it to end too.
//
// Only tests import it.
package mishap

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

const (
	roleEnv = "MISHAP_ROLE"
	pathEnv = "MISHAP_PATH"
)

// Play is how a TestMain begins. In a process that Start made it plays the role
// and exits: with 0 if the role returned nil, and else with 1 and the error on
// standard error. In any other process it does nothing.
func Play(roles map[string]func(path string) error) {
	name := os.Getenv(roleEnv)
	if name == "" {
		return
	}
	role, err := roles[name], error(nil)
	if role == nil {
		err = fmt.Errorf("mishap: no role %q", name)
	} else {
		err = role(os.Getenv(pathEnv))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Start starts the test binary in a role, with the path that it is about, and
// returns it and what it says. It is killed with the test, which should wait
// for it before, by Kill or by cmd.Wait. Where the kernel does not run the binary, as
// one that an emulator runs, it skips the test.
func Start(t testing.TB, role, path string) (cmd *exec.Cmd, says *bufio.Scanner) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+role, pathEnv+"="+path)
	cmd.Stderr = os.Stderr
	_, err := cmd.StdinPipe() // open until cmd.Wait, or until this process is gone
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skipf("an emulator runs this binary, and the kernel does not start it again: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, bufio.NewScanner(out)
}

// Kill is kill -9. It returns what the process still said before it died, and
// only when the kernel is done with it and its locks are free. A process that
// had ended by itself, and well, fails the test.
func Kill(t testing.TB, cmd *exec.Cmd, says *bufio.Scanner) (last []string) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for says.Scan() {
		last = append(last, says.Text())
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("ended well in spite of kill -9")
	}
	return last
}
