package guard

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// Tree returns the memory and the members of the process group pgid, of the
// session pgid, and of all their descendants. A group that is gone is empty.
func Tree(pgid int) (Usage, error) { return tree("/", pgid) }

func tree(root string, pgid int) (Usage, error) {
	if pgid <= 1 {
		return Usage{}, fmt.Errorf("guard: tree of group %d: not a group of ours", pgid)
	}
	procs, err := scan(root)
	if err != nil {
		return Usage{}, fmt.Errorf("guard: tree of group %d: %w", pgid, err)
	}
	var u Usage
	for _, p := range members(procs, pgid) {
		if p.state != 'Z' && p.state != 'X' {
			u.RSSB += p.rssPages * int64(os.Getpagesize())
			u.PIDs = append(u.PIDs, p.pid)
		}
	}
	return u, nil
}

// members picks the group, the session and, round by round, the children of
// those picked.
func members(procs []proc, pgid int) []proc {
	var picked []proc
	in := map[int]bool{}
	for more := true; more; {
		more = false
		for _, p := range procs {
			if !in[p.pid] && (p.pgrp == pgid || p.session == pgid || in[p.ppid]) {
				in[p.pid] = true
				picked = append(picked, p)
				more = true
			}
		}
	}
	return picked
}

// proc is the part of /proc/PID/stat that we use.
type proc struct {
	pid, ppid, pgrp, session int
	state                    byte
	rssPages                 int64
}

// scan reads every process there is. One that ends in the meantime is left
// out; one that cannot be understood is an error, for it might be ours.
func scan(root string) ([]proc, error) {
	dir, err := os.Open(filepath.Join(root, "proc"))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var procs []proc
	for _, name := range names {
		if _, err := strconv.Atoi(name); err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join(dir.Name(), name, "stat"))
		if gone(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		p, err := parseStat(stat)
		if err != nil {
			return nil, fmt.Errorf("process %s: %w", name, err)
		}
		procs = append(procs, p)
	}
	if len(procs) == 0 {
		return nil, errors.New("no process to be seen, not even this one")
	}
	return procs, nil
}

// gone also holds for processes of other users where /proc hides them: what
// we started runs as we do.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) || errors.Is(err, fs.ErrPermission)
}

// parseStat reads "pid (name) state ppid pgrp session ... rss ...". The name
// may hold blanks, newlines and parentheses; the last one closes it.
func parseStat(stat []byte) (proc, error) {
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return proc{}, fmt.Errorf("stat %.80q: no name", stat)
	}
	const firstField, rssField = 3, 24 // as proc(5) counts
	fields := bytes.Fields(stat[end+1:])
	if len(fields) <= rssField-firstField || len(fields[0]) != 1 {
		return proc{}, fmt.Errorf("stat %.80q: too short", stat)
	}
	p := proc{state: fields[0][0]}
	for _, f := range []struct {
		to   *int
		text []byte
	}{
		{&p.pid, bytes.TrimSpace(stat[:open])}, {&p.ppid, fields[1]}, {&p.pgrp, fields[2]}, {&p.session, fields[3]},
	} {
		n, err := strconv.Atoi(string(f.text))
		if err != nil {
			return proc{}, fmt.Errorf("stat %.80q: %w", stat, err)
		}
		*f.to = n
	}
	rss, err := strconv.ParseInt(string(fields[rssField-firstField]), 10, 64)
	if err != nil || rss < 0 {
		return proc{}, fmt.Errorf("stat %.80q: resident pages %q", stat, fields[rssField-firstField])
	}
	p.rssPages = rss
	return p, nil
}
