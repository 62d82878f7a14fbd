package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/exactlyonce/certify/reports/rundir"
)

// truncations cut results.jsonl where a crash might. Each byte of it is a cut for the
// reader of the product; for the whole command, those around the ends of lines are, and a
// sample.
func truncations(b *bench, o *outcome) {
	const reps = 5
	whole := b.dir()
	l, err := b.whole(whole, reps)
	if err != nil {
		o.trial("a run to cut", []string{err.Error()})
		return
	}
	scratch := b.dir()
	if err := copyRun(whole, scratch); err != nil {
		o.trial("a copy of a run", []string{err.Error()})
		return
	}
	for cut := 0; cut < len(l.raw); cut += b.step {
		o.trial(fmt.Sprintf("cut to %d bytes, read", cut), reads(scratch, l.raw[:cut], productReader))
	}
	o.note("%d cuts of a file of %d bytes were given to the reader of the product alone", o.Tried, len(l.raw))
	cuts := sampleCuts(b, l.raw, b.samples)
	for i, cut := range cuts {
		zeros := []byte{}
		if i%4 == 3 { // a file system may have given the length, and not the data
			zeros = make([]byte, 1+b.random.IntN(len(l.raw)-cut))
		}
		o.trial(fmt.Sprintf("cut to %d bytes, %d zeros, resumed", cut, len(zeros)), resumesCut(b, whole, l, cut, zeros))
	}
	o.note("%d more were given to certify resume: those around the ends of the last lines and of some others, and %d anywhere; every fourth with zeros for what was cut", len(cuts), b.samples)
}

// sampleCuts are the bytes around the ends of the head and of the last rows, and some.
func sampleCuts(b *bench, raw []byte, n int) (cuts []int) {
	var ends []int
	for i, c := range raw {
		if c == '\n' {
			ends = append(ends, i)
		}
	}
	for _, e := range append(slices.Clone(ends[:b.ends]), ends[len(ends)-b.ends:]...) {
		cuts = append(cuts, e, e+1, e+2)
	}
	cuts = slices.DeleteFunc(cuts, func(c int) bool { return c >= len(raw) })
	for range n {
		cuts = append(cuts, b.random.IntN(len(raw)))
	}
	return append(cuts, 0)
}

// reader opens a run, and says how many rows it has and how many bytes were dropped.
type reader func(dir string) (rows int, tornB int64, err error)

func productReader(dir string) (rows int, tornB int64, err error) {
	run, err := rundir.Open(dir)
	if err != nil {
		return 0, 0, err
	}
	c := run.Contents()
	return len(c.Records), c.TornB, run.Close()
}

// reads gives a reader a run whose file is cut: it has the rows that are whole and drops
// the rest for good, or refuses to where the run's origin is not whole.
func reads(dir string, kept []byte, read reader) []string {
	name := filepath.Join(dir, "results.jsonl")
	if err := os.WriteFile(name, kept, 0o644); err != nil {
		return []string{err.Error()}
	}
	lines := kept[:bytes.LastIndexByte(kept, '\n')+1]
	rows, tornB, err := read(dir)
	switch want := strings.Count(string(lines), recordSchema); {
	case !hasOrigin(lines) && err == nil:
		return []string{"a run without its origin was opened"}
	case !hasOrigin(lines):
		return nil
	case err != nil:
		return []string{err.Error()}
	case rows != want || tornB != int64(len(kept)-len(lines)):
		return []string{fmt.Sprintf("%d rows and %d torn bytes, want %d and %d", rows, tornB, want, len(kept)-len(lines))}
	}
	if after, err := os.ReadFile(name); err != nil || !bytes.Equal(after, lines) {
		return []string{fmt.Sprintf("the file has %d bytes afterwards, want the %d of whole lines: %v", len(after), len(lines), err)}
	}
	return nil
}

// hasOrigin: a run is one when its head and the digests of plan and environment are there.
func hasOrigin(lines []byte) bool { return bytes.Count(lines, []byte{'\n'}) >= 3 }

// resumesCut gives a run that was cut to certify resume.
func resumesCut(b *bench, whole string, l ledger, cut int, zeros []byte) []string {
	dir := b.dir()
	defer os.RemoveAll(dir)
	if err := copyRun(whole, dir); err != nil {
		return []string{err.Error()}
	}
	if err := os.WriteFile(filepath.Join(dir, "results.jsonl"), append(slices.Clone(l.raw[:cut]), zeros...), 0o644); err != nil {
		return []string{err.Error()}
	}
	before, err := readLedger(dir)
	if err != nil {
		return []string{err.Error()}
	}
	e := b.run(b.resume(dir))
	if hasOrigin(before.raw) {
		bad := done(dir, e, 0)
		if after, err := readLedger(dir); err == nil { // else done has said it
			bad = append(bad, before.keeps(after)...)
		}
		return bad
	}
	words := []string{"results.jsonl: no head"}
	if len(before.raw) > 0 {
		words = []string{"not pinned before the first result"}
	}
	return want{codes: []int{2, 4}, words: words}.problems(e)
}
