package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/exactlyonce/certify/reports/rundir"
)

// process is a certify that runs by itself.
type process struct {
	*exec.Cmd
	t    *testing.T
	out  bytes.Buffer // complete when it has ended
	err  bytes.Buffer
	done chan error
}

// prepareProcess makes a certify that is not started, in a directory of its own
// from which the runner can be built.
func prepareProcess(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	path, err := exec.LookPath("certify")
	if err != nil {
		t.Fatal(err)
	}
	env, err := buildEnv(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(path, args...), t: t, done: make(chan error, 1)}
	p.Cmd.Dir = dir
	p.Cmd.Env = append(os.Environ(), env...)
	p.Cmd.Stdout, p.Cmd.Stderr = &p.out, &p.err
	return p
}

func (p *process) start() *process {
	p.t.Helper()
	if err := p.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() { p.done <- p.Cmd.Wait() }()
	p.t.Cleanup(func() { _ = p.Process.Kill() })
	return p
}

func startProcess(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	return prepareProcess(t, dir, args...).start()
}

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if err := p.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// ends waits for the end and checks the exit code; -1 is that of a signal.
func (p *process) ends(code int) {
	p.t.Helper()
	select {
	case err := <-p.done:
		if err != nil && !errors.As(err, new(*exec.ExitError)) {
			p.t.Fatal(err)
		}
	case <-time.After(watchdog):
		p.t.Fatalf("certify %v: does not end", p.Args[1:])
	}
	if got := p.ProcessState.ExitCode(); got != code {
		p.t.Fatalf("certify %v: exit code %d, want %d\n%s%s", p.Args[1:], got, code, &p.out, &p.err)
	}
}

// says checks what the ended process wrote.
func (p *process) says(out, err string) {
	p.t.Helper()
	if !strings.Contains(p.out.String(), out) || out == "" && p.out.Len() > 0 {
		p.t.Errorf("standard output has no %q:\n%s", out, &p.out)
	}
	if !strings.Contains(p.err.String(), err) {
		p.t.Errorf("standard error has no %q:\n%s", err, &p.err)
	}
}

const watchdog = time.Minute

// until polls for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(watchdog); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v", what, watchdog)
		}
	}
}

// recorded is how many repetitions a run has.
func recorded(dir string) int {
	c, err := rundir.Read(dir)
	if err != nil {
		return 0 // not made yet
	}
	return len(c.Records)
}

// running reports whether a runner of that run is alive.
func running(dir string) bool {
	exes, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, exe := range exes {
		if path, err := os.Readlink(exe); err == nil && strings.HasPrefix(path, filepath.Join(dir, runnerFile)) {
			return true
		}
	}
	return false
}

// alive is false of zombies too.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.Contains(stat, []byte(") Z "))
}

// checkRun holds when each of n repetitions is recorded once, in the evidence
// and in the benchmark format.
func checkRun(t *testing.T, dir string, n int) {
	t.Helper()
	c, err := rundir.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	reps := map[int]bool{}
	for _, r := range c.Records {
		reps[r.Rep] = true
	}
	if len(c.Records) != n || len(reps) != n || !reps[1] || !reps[n] {
		t.Errorf("recorded %d, different %d, want %d", len(c.Records), len(reps), n)
	}
	f, err := os.Open(filepath.Join(dir, "bench.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := 0
	for reader := benchfmt.NewReader(f, "bench.txt"); reader.Scan(); {
		switch r := reader.Result().(type) {
		case *benchfmt.Result:
			lines++
		case *benchfmt.SyntaxError:
			t.Error(r)
		}
	}
	if lines != n {
		t.Errorf("bench.txt has %d results, want %d", lines, n)
	}
}
