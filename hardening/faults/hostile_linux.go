package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	ourSubjects   = "github.com/exactlyonce/certify/hardening/faults/subjects"
	theirSubjects = "github.com/exactlyonce/certify/soak/subjects/hostile/"
)

// subject is a soak of one of our subjects.
func (b *bench) subject(name, dir string, more ...string) launch {
	return b.imported(ourSubjects, dir, append([]string{"--executor", name}, more...)...)
}

// hostile is a soak of one that certify's own tests have, in a module of its own.
func (b *bench) hostile(name, dir string, more ...string) launch {
	l := b.imported(theirSubjects+name, dir, more...)
	l.dir = filepath.Join(b.root, "soak", "subjects")
	return l
}

func (b *bench) imported(path, dir string, more ...string) launch {
	return launch{args: append([]string{
		"soak", "--import", path, "--drill", "exactly-once", "--race=false", "--low-water", "0", "--out", dir,
	}, more...)}
}

// deaf children ignore the signals that ask to end, and have started others that do, in
// sessions of their own.
func deaf(b *bench, o *outcome) {
	deadline := []string{"--tasks", "300", "--stall", "1m", "--deadline", "4s"}
	e := b.run(b.subject("deaf", b.dir(), deadline...))
	o.trial("until the deadline", want{codes: []int{1}, verdict: "FAILED", words: []string{"FAILED (stall)", "not finished after 4s"}}.problems(e))
	e = b.run(b.subject("deaf", b.dir(), "--tasks", "300", "--stall", "2s", "--deadline", "1m"))
	o.trial("until it stalls", want{codes: []int{1}, verdict: "FAILED", words: []string{"FAILED (stall)"}}.problems(e))
	for _, k := range []kill{
		{whom: theRun, signal: syscall.SIGTERM}, {whom: theRun, signal: syscall.SIGINT}, {whom: theRun, signal: syscall.SIGKILL},
		{whom: repetitionFirst, signal: syscall.SIGTERM, gap: 5 * time.Millisecond},
	} {
		o.trial(k.String(), deafKilled(b, k))
	}
	e = b.run(b.hostile("forks", b.dir(), "--tasks", "300"))
	o.trial("forks away and ends", want{codes: []int{1}, verdict: "FAILED", words: []string{"FAILED (leak)", "1 processes were left behind"}}.problems(e))
}

// deafKilled ends a run while a deaf repetition is there, with what it has started.
func deafKilled(b *bench, k kill) []string {
	dir := b.dir()
	p, err := b.start(b.subject("deaf", dir, "--tasks", "300", "--stall", "1m"))
	if err != nil {
		return []string{err.Error()}
	}
	for ; p.repetition() == 0 || len(alive(p.mark)) < 4; time.Sleep(5 * time.Millisecond) {
		if p.ending() {
			return []string{"the repetition and its processes never came: " + tail(p.wait().err)}
		}
	}
	if !k.strike(p, dir) {
		return []string{"it was over before"}
	}
	e := p.wait()
	bad := k.wants(e).problems(e)
	if l, err := readLedger(dir); err != nil || len(l.rows) > 0 {
		bad = append(bad, fmt.Sprintf("%d rows of a repetition that was not done, %v", len(l.rows), err))
	}
	return bad
}

// loud children write 10 MB a second.
func loud(b *bench, o *outcome) {
	dir := b.dir()
	e := b.run(b.subject("loud", dir, "--tasks", "300"))
	bad := done(dir, e, 0)
	if n := logged(dir); n < 19<<20 {
		bad = append(bad, fmt.Sprintf("the log has %d bytes of 20 MB", n))
	}
	o.trial("20 MB, which are allowed", bad)
	dir = b.dir()
	e = b.run(b.subject("louder", dir, "--tasks", "300"))
	bad = want{codes: []int{1}, verdict: "FAILED", words: []string{"FAILED (contract)", "wrote more than 64 MiB"}}.problems(e)
	if n := logged(dir); n > 64<<20 {
		bad = append(bad, fmt.Sprintf("the log has %d bytes", n))
	}
	o.trial("100 MB, which are not", bad)
	e = b.run(b.hostile("prints", b.dir(), "--tasks", "300"))
	o.trial("100 MB at once", want{codes: []int{1}, verdict: "FAILED", words: []string{"FAILED (contract)", "wrote more than 64 MiB"}}.problems(e))
}

// logged are the bytes of a run's logs.
func logged(dir string) (n int64) {
	logs, _ := filepath.Glob(filepath.Join(dir, "logs", "*"))
	for _, name := range logs {
		if info, err := os.Stat(name); err == nil {
			n += info.Size()
		}
	}
	return n
}
