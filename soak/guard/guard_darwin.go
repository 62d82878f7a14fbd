package guard

import (
	"errors"
	"fmt"
	"math"
	"syscall"

	"github.com/shirou/gopsutil/v4/process"
	"golang.org/x/sys/unix"
)

// Tree returns the memory and the members of the process group pgid. A group
// that is gone is empty.
func Tree(pgid int) (Usage, error) {
	if pgid <= 1 || pgid > math.MaxInt32 {
		return Usage{}, fmt.Errorf("guard: tree of group %d: not a group of ours", pgid)
	}
	group, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", pgid)
	if err != nil {
		return Usage{}, fmt.Errorf("guard: tree of group %d: %w", pgid, err)
	}
	var u Usage
	for _, member := range group {
		const zombie = 5 // SZOMB of <sys/proc.h>
		if member.Proc.P_stat == zombie {
			continue
		}
		pid := member.Proc.P_pid
		rssB, err := resident(pid)
		if errors.Is(err, syscall.ESRCH) {
			continue // ended in the meantime
		}
		if err != nil {
			return Usage{}, fmt.Errorf("guard: tree of group %d: process %d: %w", pgid, pid, err)
		}
		u.RSSB += rssB
		u.PIDs = append(u.PIDs, int(pid))
	}
	return u, nil
}

// resident does not take 0 for an answer: gopsutil gives it, and no error,
// for a process that it cannot read.
func resident(pid int32) (int64, error) {
	info, err := (&process.Process{Pid: pid}).MemoryInfo()
	if err != nil {
		return 0, err
	}
	if info.RSS > 0 {
		return int64(min(info.RSS, math.MaxInt64)), nil
	}
	if err := syscall.Kill(int(pid), 0); err != nil {
		return 0, err
	}
	return 0, errors.New("its memory cannot be read")
}

// SelfPeak returns the peak of this process's resident memory.
func SelfPeak() (int64, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("guard: own peak: %w", err)
	}
	return usage.Maxrss, nil // bytes here, kilobytes elsewhere
}
