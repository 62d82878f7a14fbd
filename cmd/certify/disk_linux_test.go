package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// smallDisk mounts a file system of its own on a directory.
func smallDisk(t *testing.T, size string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("NOT TESTED: a full disk: mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// fill takes all the room there is and returns the file that has it.
func fill(t *testing.T, dir string) string {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.Copy(f, zeros{}); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return f.Name()
}

// TestDiskFull: the disk fills up between two repetitions. What is recorded
// stays, and the run goes on when there is room again.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "16m")
	run := filepath.Join(disk, "run")
	p := startProcess(t, t.TempDir(), "soak", "--race=false", "--tasks", "2000", "--reps", "40", "--out", run)
	until(t, "two are recorded", func() bool { return recorded(run) >= 2 })
	p.signal(syscall.SIGSTOP)
	filler := fill(t, disk)
	p.signal(syscall.SIGCONT)
	p.ends(4)
	n := recorded(run)
	p.says("", "no space left on device")
	p.says("", "repetitions are recorded; go on with: certify resume "+run)
	if n < 2 || n == 40 {
		t.Fatalf("%d of 40 are recorded", n)
	}
	startProcess(t, t.TempDir(), "resume", run).ends(4) // no room yet
	if again := recorded(run); again < n {
		t.Fatalf("%d are recorded, %d were", again, n)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	p = startProcess(t, t.TempDir(), "resume", run)
	p.ends(0)
	p.says("40 of 40 repetitions clean", "")
	checkRun(t, run, 40)
	if left, _ := filepath.Glob(filepath.Join(run, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestDiskFullInBuild: no room for the runner.
func TestDiskFullInBuild(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "1m")
	run := filepath.Join(disk, "run")
	p := startProcess(t, t.TempDir(), "soak", "--race=false", "--tasks", "2000", "--reps", "2", "--out", run)
	p.ends(4)
	p.says("", "no space left on device")
	p.says("", "0 of 2 repetitions are recorded; go on with: certify resume "+run)
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=16m"); err != nil {
		t.Fatal(err)
	}
	startProcess(t, t.TempDir(), "resume", run).ends(0)
	checkRun(t, run, 2)
}

// TestDiskFullAtOnce: no room for the plan, and nothing is left of the try.
func TestDiskFullAtOnce(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "64k")
	fill(t, disk)
	p := startProcess(t, t.TempDir(), "soak", "--race=false", "--tasks", "2000", "--out", filepath.Join(disk, "run"))
	p.ends(4)
	p.says("", "no space left on device")
}

// TestOutputFull: a result that could not be written is no success.
func TestOutputFull(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("NOT TESTED: an output that is full: %v", err)
	}
	defer full.Close()
	for _, more := range [][]string{nil, {"--json"}} {
		p := prepareProcess(t, t.TempDir(), append([]string{"soak", "--race=false", "--tasks", "2000"}, more...)...)
		p.Stdout = full
		p.start().ends(4)
		p.says("", "no space left on device")
	}
}
