package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/exactlyonce/certify/reports/record"
)

// clocks set the time back, without touching the clock of the machine.
func clocks(b *bench, o *outcome) {
	o.trial("the run was begun by a clock that was two days ahead", fromTheFuture(b))
	o.note("rows, sealed again, and files that are two days ahead of the clock, and a resume")
	shim, err := exec.LookPath("unshare")
	if err == nil {
		err = exec.Command(shim, "--time", "--monotonic", "100000", "true").Run()
	}
	if err != nil {
		o.notRun("a monotonic clock that differs: unshare --time: %v", err)
	} else {
		o.trial("a monotonic clock that is a day ahead, and then is not", monotonic(b, shim))
		o.note("unshare --time: the monotonic clock is a day ahead at first, and back after the kill, as after a boot")
	}
	steps, bad := steppingBack(b)
	o.trial("a clock that goes back an hour every 150 ms", bad)
	o.note("certify and its runner, built with a time.Now whose wall clock goes back an hour every 150 ms and whose monotonic clock is right: of the rows, %d began before the one before them", steps)
}

// half is a run that was killed after some rows.
func (b *bench) half(l launch, dir string, rows int) (ledger, error) {
	p, err := b.start(l)
	if err != nil {
		return ledger{}, err
	}
	if !p.records(dir, rows) {
		return ledger{}, fmt.Errorf("over before there were %d rows: %s", rows, tail(p.wait().err))
	}
	_ = p.cmd.Process.Kill() // it runs
	if e := p.wait(); len(e.left) > 0 {
		return ledger{}, fmt.Errorf("processes are left: %q", e.left)
	}
	return readLedger(dir)
}

func fromTheFuture(b *bench) []string {
	const ahead = 48 * time.Hour
	dir := b.dir()
	before, err := b.half(b.soak(dir), dir, 5)
	if err != nil {
		return []string{err.Error()}
	}
	var later bytes.Buffer
	for line := range bytes.Lines(before.raw) {
		if r, err := record.Decode(line); err == nil {
			r.Start = r.Start.Add(ahead)
			if line, err = record.Encode(r); err != nil {
				return []string{err.Error()}
			}
		}
		later.Write(line)
	}
	if err := os.WriteFile(filepath.Join(dir, "results.jsonl"), later.Bytes(), 0o644); err != nil {
		return []string{err.Error()}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, name := range files {
		if err := os.Chtimes(name, time.Time{}, time.Now().Add(ahead)); err != nil {
			return []string{err.Error()}
		}
	}
	if before, err = readLedger(dir); err != nil {
		return []string{err.Error()}
	}
	bad := b.goesOn(dir, before)
	after, err := readLedger(dir)
	if err != nil {
		return append(bad, err.Error())
	}
	if backwards(after) == 0 {
		bad = append(bad, "no row began before the one before it: this shows nothing")
	}
	return append(bad, plausible(after)...)
}

func monotonic(b *bench, unshare string) []string {
	dir := b.dir()
	l := b.soak(dir)
	l.under = []string{unshare, "--time", "--monotonic", "100000", "--boottime", "100000", "--"}
	before, err := b.half(l, dir, 5)
	if err != nil {
		return []string{err.Error()}
	}
	bad := b.goesOn(dir, before)
	after, err := readLedger(dir)
	if err != nil {
		return append(bad, err.Error())
	}
	return append(bad, plausible(after)...)
}

// backwards counts the rows that began, by the wall clock, before the one before them.
func backwards(l ledger) (n int) {
	for i := 1; i < len(l.rows); i++ {
		if l.rows[i].Start.Before(l.rows[i-1].Start) {
			n++
		}
	}
	return n
}

// plausible holds the durations of rows: of a repetition that takes tenths of a second.
func plausible(l ledger) (bad []string) {
	for _, r := range l.rows {
		if d := time.Duration(r.ElapsedNs); d <= 0 || d > 30*time.Second {
			bad = append(bad, fmt.Sprintf("repetition %d took %v", r.Rep, d))
		}
	}
	return bad
}

// steppingBack runs a certify, and its runner, whose wall clock goes back all the time.
func steppingBack(b *bench) (steps int, bad []string) {
	flag, err := shiftedTime(b)
	if err != nil {
		return 0, []string{err.Error()}
	}
	shifted := filepath.Join(b.work, "certify-shifted")
	if err := b.build(context.Background(), shifted, flag); err != nil {
		return 0, []string{err.Error()}
	}
	was := b.certify
	defer func() { b.certify, b.env = was, nil }()
	b.certify, b.env = shifted, []string{"GOFLAGS=" + flag}
	dir := b.dir()
	before, err := b.half(b.soak(dir), dir, 8)
	if err != nil {
		return 0, []string{err.Error()}
	}
	bad = b.goesOn(dir, before)
	after, err := readLedger(dir)
	if err != nil {
		return 0, append(bad, err.Error())
	}
	if steps = backwards(after); steps < len(after.rows)/2 {
		bad = append(bad, "the clock did not go back: this shows nothing")
	}
	return steps, append(bad, plausible(after)...)
}

// shiftedTime is a build flag that replaces time.Now.
func shiftedTime(b *bench) (flag string, err error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("find the source of time: %w", err)
	}
	source := filepath.Join(string(bytes.TrimSpace(goroot)), "src", "time", "time.go")
	text, err := os.ReadFile(source)
	if err != nil {
		return "", err
	}
	const is = "\tmono -= startNano\n\tsec += unixToInternal - minWall\n"
	if bytes.Count(text, []byte(is)) != 1 {
		return "", fmt.Errorf("time.Now of %s is not what it was", runtime.Version())
	}
	shifted := bytes.Replace(text, []byte(is), []byte("\tsec -= (mono - startNano) / 150_000_000 * 3600\n"+is), 1)
	file, overlay := filepath.Join(b.work, "time.go.txt"), filepath.Join(b.work, "overlay.json")
	if err := os.WriteFile(file, shifted, 0o644); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{source: file}})
	if err != nil {
		return "", err
	}
	return "-overlay=" + overlay, os.WriteFile(overlay, list, 0o644)
}
