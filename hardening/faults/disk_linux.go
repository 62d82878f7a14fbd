package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

const (
	hint     = "go on with: certify resume"
	diskFull = "no space left on device"
)

// diskFulls fill the disk that a run is on at some moment, with a little room left, so
// that it is another write each time that has no room.
func diskFulls(b *bench, o *outcome) {
	const times = 10
	for i := range times {
		disk, err := newDisk(b, "16m")
		if err != nil {
			o.notRun("a full file system: mount: %v", err)
			break
		}
		room := b.random.Int64N(48 << 10)
		rows := 1 + b.random.IntN(shortReps-5)
		o.trial(fmt.Sprintf("try %d, %d bytes left after %d rows", i+1, room, rows), disk.fillsUp(b, rows, room))
		disk.close()
	}
	for _, size := range []string{"16k", "1m", "7m"} {
		disk, err := newDisk(b, size)
		if err != nil {
			break // said above
		}
		o.trial("a disk of "+size+" from the start", disk.tooSmall(b))
		disk.close()
	}
	if disk, err := newDisk(b, "16m"); err == nil {
		o.trial("a log that fills the disk", disk.logged(b))
		disk.close()
	}
	fileLimits(b, o)
}

// disk is a small file system of its own.
type disk struct{ dir string }

func newDisk(b *bench, size string) (disk, error) {
	d := disk{b.dir()}
	if err := os.Mkdir(d.dir, 0o777); err != nil {
		return d, err
	}
	return d, syscall.Mount("tmpfs", d.dir, "tmpfs", 0, "size="+size)
}

func (d disk) grow(size string) error {
	return syscall.Mount("tmpfs", d.dir, "tmpfs", syscall.MS_REMOUNT, "size="+size)
}

func (d disk) close() { _ = syscall.Unmount(d.dir, syscall.MNT_DETACH) } // or the machine takes it away

// fill takes all room but some, and returns the file that has it.
func (d disk) fill(room int64) (string, error) {
	f, err := os.Create(filepath.Join(d.dir, "filler"))
	if err != nil {
		return "", err
	}
	defer f.Close()
	n, _ := io.Copy(f, zeros{}) // until there is no room
	return f.Name(), f.Truncate(max(0, n-room))
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func (d disk) fillsUp(b *bench, rows int, room int64) []string {
	dir := filepath.Join(d.dir, "run")
	p, err := b.start(b.soak(dir))
	if err != nil {
		return []string{err.Error()}
	}
	if !p.records(dir, rows) {
		return []string{"it was over before the disk was full: " + tail(p.wait().err)}
	}
	filler, err := d.fill(room)
	if err != nil {
		return []string{err.Error()}
	}
	e := p.wait()
	bad := want{codes: []int{4}, words: []string{diskFull, hint}}.problems(e)
	before, err := readLedger(dir)
	if err != nil {
		return append(bad, err.Error())
	}
	bad = append(bad, before.problems(false)...)
	again := b.run(b.resume(dir)) // there still is no room
	bad = append(bad, want{codes: []int{4}, words: []string{diskFull}}.problems(again)...)
	if err := os.Remove(filler); err != nil {
		return append(bad, err.Error())
	}
	return append(bad, b.goesOn(dir, before)...)
}

// goesOn resumes a run whose trouble is over, and holds its end and what was recorded.
func (b *bench) goesOn(dir string, before ledger) []string {
	e := b.run(b.resume(dir))
	bad := done(dir, e, 0)
	if after, err := readLedger(dir); err == nil { // else done has said it
		bad = append(bad, before.keeps(after)...)
	}
	if len(bad) == 0 {
		bad = b.verified(dir, e.code)
	}
	return bad
}

// records waits until the run has so many more lines; false is that it was over before.
func (p *process) records(dir string, rows int) bool {
	for ; ; time.Sleep(time.Millisecond) {
		if l, err := readLedger(dir); err == nil && len(l.rows) >= rows {
			return !p.over()
		}
		if p.ending() {
			return false
		}
	}
}

// tooSmall is a disk that has no room for the plan, or for the runner.
func (d disk) tooSmall(b *bench) []string {
	dir := filepath.Join(d.dir, "run")
	bad := want{codes: []int{4}, words: []string{diskFull}}.problems(b.run(b.soak(dir)))
	if err := d.grow("16m"); err != nil {
		return append(bad, err.Error())
	}
	if _, err := os.Stat(filepath.Join(dir, "results.jsonl")); err != nil {
		return append(bad, done(dir, b.run(b.soak(dir)), 0)...) // nothing may be in its way
	}
	return append(bad, b.goesOn(dir, ledger{})...)
}

// logged: a repetition writes until the disk is full, and then has no room for its result.
func (d disk) logged(b *bench) []string {
	dir := filepath.Join(d.dir, "run")
	e := b.run(b.subject("loud", dir, "--tasks", "300", "--deadline", "1m"))
	bad := want{codes: []int{4}, words: []string{diskFull, hint}}.problems(e)
	if err := d.grow("64m"); err != nil {
		return append(bad, err.Error())
	}
	return append(bad, done(dir, b.run(b.resume(dir)), 0)...)
}

// fileLimits let a file grow to some bytes more than results.jsonl has: the write of a
// row is cut in the middle.
func fileLimits(b *bench, o *outcome) {
	prlimit, err := exec.LookPath("prlimit")
	if err != nil {
		o.notRun("a limit of the size of files: %v", err)
		return
	}
	for i := range 5 {
		dir := b.dir()
		p, err := b.start(b.soak(dir))
		if err != nil || !p.records(dir, 2) {
			o.trial("a limit of the size of files", []string{fmt.Sprintf("it was over before there were 2 rows: %v", err)})
			return
		}
		_ = p.cmd.Process.Kill() // a run that is not done
		p.wait()
		before, err := readLedger(dir)
		if err != nil {
			o.trial("a limit of the size of files", []string{err.Error()})
			return
		}
		most := int64(len(before.raw)) + b.random.Int64N(1500)
		l := b.resume(dir)
		l.under = []string{prlimit, fmt.Sprintf("--fsize=%d:%d", most, most), "--"}
		bad := want{codes: []int{4}, words: []string{"file too large", hint}}.problems(b.run(l))
		bad = append(bad, b.goesOn(dir, before)...)
		o.trial(fmt.Sprintf("file limit %d: results.jsonl may grow to %d bytes from %d", i+1, most, len(before.raw)), bad)
	}
}
