//go:build unix

package child

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary plays the children, and theirs, when roleEnv is set.
const (
	roleEnv = "CHILD_TEST_ROLE"
	gateEnv = "CHILD_TEST_GATE"    // a named pipe, for what the test waits for
	bornEnv = "CHILD_TEST_SPAWNED" // descriptor 3 tells the parent that the role is ready
)

var roles = map[string]func(){
	"ok":       func() { fmt.Println("all is well") },
	"three":    func() { os.Exit(3) },
	"panic":    func() { panic("broken on purpose") },
	"show":     show,
	"hang":     func() { signal.Ignore(syscall.SIGTERM); hang() },
	"killable": hang,
	"deaf":     func() { signal.Ignore(syscall.SIGTERM, syscall.SIGQUIT); hang() },
	"patient":  patient,
	"eat":      eat,
	"killed":   func() { spawn("killer", false).Wait(); hang() },
	"killer":   func() { syscall.Kill(os.Getppid(), syscall.SIGKILL) },

	"orphan":          func() { spawn("hang", false) },
	"bare orphan":     func() { spawn("bare", false) },
	"bare":            hang, // without the environment of its parents
	"orphan and hang": func() { spawn("hang", false); hang() },
	"escape":          func() { spawn("hang", true) },
	"escape twice":    func() { spawn("escape and hang", true) },
	"escape and hang": func() { spawn("hang", true); hang() },

	"supervise":  supervised("watch", false),
	"compile":    supervised("compiler", true),
	"compiler":   func() { report(spawn("hang", false).Process.Pid); hang() },
	"watch":      func() { report(WatchParent()); spawn("hang", true); hang() },
	"grandchild": grandchild,
	"by hand":    func() { fmt.Println("by hand", WatchParent()) },
}

func TestMain(m *testing.M) {
	role, ok := roles[os.Getenv(roleEnv)]
	if !ok {
		// A process under the race detector takes a second to exit.
		os.Setenv("GORACE", "atexit_sleep_ms=0")
		os.Exit(m.Run())
	}
	role()
	os.Exit(0)
}

// hang says that it is there, and stays.
func hang() {
	report(os.Getpid())
	parent := os.Stdout
	if os.Getenv(bornEnv) != "" {
		parent = os.NewFile(3, "parent")
	}
	fmt.Fprintln(parent, "ready")
	time.Sleep(time.Hour)
}

// report writes to the gate, if there is one, in one write.
func report(v any) {
	name := os.Getenv(gateEnv)
	if name == "" {
		return
	}
	gate, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err == nil {
		_, err = fmt.Fprintln(gate, v)
	}
	if err != nil {
		panic(err)
	}
	gate.Close()
}

// patient ends when the test lets it.
func patient() {
	report("waiting")
	release, err := os.Open(os.Getenv(gateEnv) + ".release")
	if err != nil {
		panic(err)
	}
	io.Copy(io.Discard, release)
}

// eat holds much more memory than it should.
func eat() {
	fmt.Println("eating")
	b := make([]byte, 256<<20)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	hang()
	b[0] = 2
}

func show() {
	dir, _ := os.Getwd()
	fmt.Println("args", strings.Join(os.Args[1:], " "))
	fmt.Fprintln(os.Stderr, "dir", dir)
	fmt.Println("env", os.Getenv("CHILD_TEST_MORE"), os.Getenv("HOME"))
}

// spawn starts a role as a child of this process, and returns when it hangs
// or has ended.
func spawn(role string, setsid bool) *exec.Cmd {
	ready, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+role, bornEnv+"=1")
	if role == "bare" {
		cmd.Env = cmd.Env[len(cmd.Env)-2:]
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: setsid}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	fmt.Println("spawned", cmd.Process.Pid)
	w.Close()
	ready.Read(make([]byte, 1))
	return cmd
}

func supervised(role string, foreign bool) func() {
	return func() {
		exit, err := Run(context.Background(), Spec{
			Path: os.Args[0], LogPath: os.DevNull, Env: append(os.Environ(), roleEnv+"="+role), Foreign: foreign,
		})
		panic(fmt.Sprint("the supervisor outlived kill -9: ", exit, err))
	}
}

// grandchild asks a process to watch that is no child of Run.
func grandchild() {
	cmd := spawn("by hand", false)
	if err := cmd.Wait(); err != nil {
		panic(err)
	}
	fmt.Println("child", WatchParent())
}
