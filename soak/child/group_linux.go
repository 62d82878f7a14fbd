package child

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/exactlyonce/certify/soak/guard"
)

// wait returns when the child has ended, and leaves it a zombie: as long as
// it is one, the number of the group is its own and may be killed.
func (g group) wait(reap func() error) {
	for {
		err := unix.Waitid(unix.P_PID, g.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err == nil {
			return
		}
		if !errors.Is(err, unix.EINTR) {
			_ = reap() // told again by its next call
			return
		}
	}
}

// bury kills what outlived the child, round by round until nobody is left,
// and returns how many there were. Where the group was killed with the child,
// those in it are not counted: they only die a little later.
func (g group) bury(killed bool) (int, error) {
	found := map[int]bool{} // and whether it counts
	start := time.Now()
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		inGroup, err := g.members()
		if err != nil {
			return 0, err
		}
		for _, pid := range inGroup {
			found[pid] = found[pid] || !killed
		}
		strays, unclear := g.killMarked()
		for _, pid := range strays {
			found[pid] = found[pid] || !killed || !slices.Contains(inGroup, pid)
		}
		g.kill()
		unclear = unclear && time.Since(start) < execLimit
		if len(inGroup) == 0 && len(strays) == 0 && !unclear && over(found) {
			return count(found), nil
		}
		if time.Since(start) > dyingLimit {
			return count(found), fmt.Errorf("processes %v: killed, and do not die", slices.Sorted(maps.Keys(found)))
		}
		time.Sleep(pause)
	}
}

func count(found map[int]bool) int {
	n := 0
	for _, counts := range found {
		if counts {
			n++
		}
	}
	return n
}

// members are the living in the group itself.
func (g group) members() ([]int, error) {
	tree, err := guard.Tree(g.pid)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(tree.PIDs, func(pid int) bool {
		pgid, err := unix.Getpgid(pid)
		return err != nil || pgid != g.pid
	}), nil
}

// killMarked kills the others with our mark in their environment, in the
// group or not, and returns them. Unclear is whether somebody could not be
// told yet.
func (g group) killMarked() (killed []int, unclear bool) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, true // members says why
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() || pid == g.pid {
			continue
		}
		ours, notYet := marked(pid, g.mark)
		unclear = unclear || notYet
		if ours && killOne(pid, g.mark) {
			killed = append(killed, pid)
		}
	}
	return killed, unclear
}

// killOne looks again once it has a handle, which holds the process and not
// its number: that may have gone to somebody else in between.
func killOne(pid int, mark string) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	ours, _ := marked(pid, mark)
	return ours && p.Kill() == nil
}

// killOthers is killMarked until nobody is left, for the child itself.
func (g group) killOthers() {
	for range 100 {
		killed, unclear := g.killMarked()
		if len(killed) == 0 && !unclear {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// execLimit is how long the environment of a process may stay empty before
// it counts as empty: within execve it is, for some microseconds.
const execLimit = 50 * time.Millisecond

// marked reports whether the environment of a process has our mark, and
// whether that cannot be told yet. Who has ended has none, and that of other
// users is closed to us.
func marked(pid int, mark string) (ours, notYet bool) {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false, false
	}
	if len(environ) == 0 {
		// The dead, and threads of the kernel, have no program either.
		_, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		return false, err == nil
	}
	entry := []byte("\x00" + markPrefix + mark + "=1\x00")
	return bytes.Contains(append([]byte{0}, environ...), entry), false
}

// over reports whether all of found have ended for good. Those that became
// our children, as orphans do when we are the first process of a container,
// it reaps; others are their new parent's to reap.
func over(found map[int]bool) bool {
	all := true
	for pid := range found {
		got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		if err == nil && got == 0 || err != nil && dying(pid) {
			all = false
		}
	}
	return all
}

// dying holds between the moment when a process gives its memory back, and
// its environment with it, and the moment when it is a zombie: it still has
// files open. A number that went to somebody else has a program again.
func dying(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
	if bytes.HasPrefix(state, []byte("Z")) || bytes.HasPrefix(state, []byte("X")) {
		return false
	}
	_, err = os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return errors.Is(err, fs.ErrNotExist)
}
