package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestKilled: kill -9 within a repetition takes the repetition along, and the
// run goes on with it.
func TestKilled(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	run := filepath.Join(work, "run")
	p := startProcess(t, work, "soak", "--race=false", "--tasks", "1000000", "--reps", "20", "--out", run)
	until(t, "two are recorded and another runs", func() bool { return recorded(run) >= 2 && running(run) })
	p.signal(syscall.SIGKILL)
	p.ends(-1)
	until(t, "the repetition died too", func() bool { return !running(run) })
	p = startProcess(t, work, "resume", run)
	p.ends(0)
	p.says("20 of 20 repetitions clean", "of 20 repetitions are recorded already")
	checkRun(t, run, 20)
	bench, err := os.ReadFile(filepath.Join(run, "bench.txt"))
	if err != nil {
		t.Fatal(err)
	}
	startProcess(t, work, "resume", run).ends(0)
	if again, err := os.ReadFile(filepath.Join(run, "bench.txt")); err != nil || string(again) != string(bench) {
		t.Errorf("bench.txt is another one now, %v", err)
	}
}

// slowGo puts a go command before all others that never ends a build. It
// returns where that says which processes it has.
func slowGo(t *testing.T, p *process) (pids string) {
	t.Helper()
	dir := t.TempDir()
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	pids = filepath.Join(dir, "pids")
	script := fmt.Sprintf(`#!/bin/sh
[ "$1" = build ] || exec %s "$@"
sleep 600 &
echo $$ $! >%[2]s.new && mv %[2]s.new %[2]s
wait
`, real, pids)
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	p.Env = append(p.Env, "PATH="+dir+":"+os.Getenv("PATH"))
	return pids
}

// builders waits for a slow go and returns its processes.
func builders(t *testing.T, pids string) (builder, its int) {
	t.Helper()
	until(t, "the build goes on", func() bool { _, err := os.Stat(pids); return err == nil })
	text, err := os.ReadFile(pids)
	if err == nil {
		_, err = fmt.Sscan(string(text), &builder, &its)
	}
	if err != nil {
		t.Fatal(err)
	}
	return builder, its
}

// TestKilledInBuild: there is a plan and no runner yet.
func TestKilledInBuild(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	run := filepath.Join(work, "run")
	p := prepareProcess(t, work, "soak", "--race=false", "--tasks", "2000", "--reps", "2", "--out", run)
	pids := slowGo(t, p)
	p.start()
	builder, _ := builders(t, pids)
	p.signal(syscall.SIGKILL)
	p.ends(-1)
	_ = syscall.Kill(-builder, syscall.SIGKILL) // ours, and in a group of its own
	p = startProcess(t, work, "resume", run)
	p.ends(0)
	p.says("2 of 2 repetitions clean", "building the runner")
	checkRun(t, run, 2)
}

var signals = []struct {
	signal syscall.Signal
	code   int
}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}}

// TestInterruptedBuild: nobody of those that build outlives it.
func TestInterruptedBuild(t *testing.T) {
	t.Parallel()
	for _, s := range signals {
		work := t.TempDir()
		run := filepath.Join(work, "run")
		p := prepareProcess(t, work, "soak", "--race=false", "--reps", "2", "--out", run)
		pids := slowGo(t, p)
		p.start()
		builder, its := builders(t, pids)
		p.signal(s.signal)
		p.ends(s.code)
		p.says("", "0 of 2 repetitions are recorded; go on with: certify resume "+run)
		if alive(builder) || alive(its) {
			t.Errorf("%v: a process of the build is left", s.signal)
		}
		if left, _ := filepath.Glob(filepath.Join(run, ".*")); len(left) > 0 {
			t.Errorf("%v: left behind: %v", s.signal, left)
		}
	}
}

// TestInterruptedRepetition: the second hangs; what the first came to stays.
func TestInterruptedRepetition(t *testing.T) {
	t.Parallel()
	for _, s := range signals {
		work := t.TempDir()
		p := startProcess(t, work, "soak", "--race=false", "--tasks", "2000", "--reps", "3", "--fault", "stall@2", "--out", "run")
		run := filepath.Join(work, "run")
		until(t, "the second runs", func() bool { return recorded(run) == 1 && running(run) })
		p.signal(s.signal)
		p.ends(s.code)
		p.says("", "certify: interrupted\ncertify: 1 of 3 repetitions are recorded; go on with: certify resume run\n")
		if running(run) {
			t.Errorf("%v: the repetition is left", s.signal)
		}
		checkRun(t, run, 1)
	}
}

// TestInterruptedBetween: short repetitions, so that any moment may be hit.
func TestInterruptedBetween(t *testing.T) {
	t.Parallel()
	for i := range 6 {
		s := signals[i%2]
		work := t.TempDir()
		run := filepath.Join(work, "run")
		p := startProcess(t, work, "soak", "--race=false", "--tasks", "10", "--reps", "100000", "--out", run)
		until(t, "some are recorded", func() bool { return recorded(run) > i })
		p.signal(s.signal)
		p.ends(s.code)
		n := recorded(run)
		p.says("", fmt.Sprintf("%d of 100000 repetitions are recorded; go on with: certify resume %s\n", n, run))
		checkRun(t, run, n)
	}
}

// TestSecondSignal ends the process at once.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	for _, s := range signals {
		path, err := exec.LookPath("interruptible")
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for _, want := range []string{"ready", "interrupted"} {
			if !lines.Scan() || lines.Text() != want {
				t.Fatalf("got %q, want %q", lines.Text(), want)
			}
			if err := cmd.Process.Signal(s.signal); err != nil {
				t.Fatal(err)
			}
		}
		timer := time.AfterFunc(watchdog, func() { _ = cmd.Process.Kill() })
		err = cmd.Wait()
		timer.Stop()
		if err == nil || !strings.Contains(err.Error(), "signal: "+s.signal.String()) {
			t.Errorf("%v: ended with %v", s.signal, err)
		}
	}
}

// TestTwoRuns: a directory has one run, and says whose it is.
func TestTwoRuns(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	run := filepath.Join(work, "run")
	first := startProcess(t, work, "soak", "--race=false", "--tasks", "2000", "--reps", "2", "--fault", "stall", "--out", run)
	until(t, "the first runs", func() bool { return running(run) })
	want := fmt.Sprintf("%s: process %d writes to it", run, first.Process.Pid)
	for _, args := range [][]string{{"soak", "--race=false", "--tasks", "2000", "--out", run}, {"resume", run}} {
		second := startProcess(t, work, args...)
		second.ends(2)
		second.says("", want)
	}
	first.signal(syscall.SIGINT)
	first.ends(130)
}
