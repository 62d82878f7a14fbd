//go:build unix

package child

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// group is the process group of a child, which leads it.
type group struct {
	pid  int
	mark string
}

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func adopt(cmd *exec.Cmd, mark string) (group, error) { return group{cmd.Process.Pid, mark}, nil }

func (g group) close() {}

// quit makes Go processes write their goroutines and end. All of the group:
// the one that hangs need not be the first.
func (g group) quit() error { return syscall.Kill(-g.pid, syscall.SIGQUIT) }

// kill ignores that there is nobody left.
func (g group) kill() { _ = syscall.Kill(-g.pid, syscall.SIGKILL) }

// watcher reads what nobody writes, until our end of the pipe is gone with us.
// Who signals everything does not keep it from that.
const watcher = `trap '' HUP INT TERM; read -r nothing; kill -s KILL -- "-$0"`

// watch kills the group when the other end of the pipe is closed, until it is
// stopped. Where there is no shell, nobody watches.
func (g group) watch(pipe *os.File) (stop func()) {
	cmd := exec.Command("/bin/sh", "-c", watcher, strconv.Itoa(g.pid))
	cmd.Stdin = pipe
	cmd.SysProcAttr = attributes()
	if cmd.Start() != nil {
		return func() {}
	}
	return func() {
		_ = cmd.Process.Kill() // it waits for nothing else
		_ = cmd.Wait()
	}
}

func signalOf(state *os.ProcessState) syscall.Signal {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal()
	}
	return 0
}

// leads reports whether this process leads its group, as a child of Run does
// and a grandchild does not.
func leads() bool { return syscall.Getpgrp() == os.Getpid() }

// killSelf ends this process, its group, and on Linux whoever else is marked.
func killSelf(mark string) {
	g := group{os.Getpid(), mark}
	g.killOthers()
	g.kill()
}
