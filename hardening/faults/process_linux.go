package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// launch is a certify to start.
type launch struct {
	args  []string
	under []string // a command that runs it: its own words, before ours
	dir   string   // where, if not in the module
	path  string   // which, if not the bench's
	env   []string
}

// process is a certify that runs. It, and whoever it starts, has the mark.
type process struct {
	cmd   *exec.Cmd
	out   *os.File
	err   *os.File
	mark  string
	began time.Time
	ended chan struct{}
	bench *bench
}

const markName = "CERTIFY_FAULTS_MARK"

func (b *bench) start(l launch) (*process, error) {
	b.pause()
	p := &process{mark: rand.Text(), ended: make(chan struct{}), bench: b}
	path, dir := b.certify, b.root
	if l.path != "" {
		path = l.path
	}
	if l.dir != "" {
		dir = l.dir
	}
	words := append(append(l.under[:len(l.under):len(l.under)], path), l.args...)
	p.cmd = exec.Command(words[0], words[1:]...)
	p.cmd.Dir = dir
	p.cmd.Env = append(append(append(os.Environ(), b.env...), l.env...), markName+"="+p.mark, "NO_COLOR=1")
	var err error
	if p.out, err = os.CreateTemp(b.work, "out"); err != nil {
		return nil, err
	}
	if p.err, err = os.CreateTemp(b.work, "err"); err != nil {
		return nil, err
	}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.err
	p.began = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait() // the state says it
		close(p.ended)
	}()
	return p, nil
}

// run starts a certify and waits for its end.
func (b *bench) run(l launch) end {
	p, err := b.start(l)
	if err != nil {
		return end{code: -2, err: err.Error()}
	}
	return p.wait()
}

func (p *process) over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// ending: it is over, or should be.
func (p *process) ending() bool { return p.over() || time.Since(p.began) > p.bench.patience }

// wait returns the end. Who outlives it is given some time to die, and then killed.
func (p *process) wait() end {
	var e end
	timer := time.NewTimer(p.bench.patience)
	defer timer.Stop()
	select {
	case <-p.ended:
	case <-timer.C:
		e.hung = true
		_ = p.cmd.Process.Kill() // it has ended by itself
		<-p.ended
	}
	e.took = time.Since(p.began)
	for last := time.Now().Add(p.bench.dying); ; time.Sleep(5 * time.Millisecond) {
		if e.left = describe(alive(p.mark)); len(e.left) == 0 || time.Now().After(last) {
			break
		}
	}
	for _, pid := range alive(p.mark) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may be gone
	}
	e.code = p.cmd.ProcessState.ExitCode()
	e.out, e.err = taken(p.out), taken(p.err)
	return e
}

// taken is what a file of output holds; it is removed.
func taken(f *os.File) string {
	data, err := os.ReadFile(f.Name())
	if err != nil {
		return err.Error()
	}
	_ = f.Close()
	_ = os.Remove(f.Name())
	return string(data)
}

// alive are the processes with a mark in their environment; who has ended has none.
func alive(mark string) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range all {
		environ, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(environ, []byte(markName+"="+mark)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func describe(pids []int) (lines []string) {
	for _, pid := range pids {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && len(line) > 0 {
			lines = append(lines, fmt.Sprintf("%d %.120s", pid, bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return lines
}

// repetition is the process of the repetition that runs now, and 0 for none.
func (p *process) repetition() int { return p.running("runner.bin") }

// running is the process of a program of that name, and 0 for none.
func (p *process) running(program string) int {
	for _, pid := range alive(p.mark) {
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		if err == nil && strings.HasPrefix(filepath.Base(exe), program) {
			return pid
		}
	}
	return 0
}
