package rundir

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/reports/record"
)

// edit rewrites results.jsonl.
func edit(t *testing.T, d *Dir, change func([]byte) []byte) func() {
	return func() {
		name := d.Path(ResultsFile)
		data, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(name, change(data), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestTorn cuts the last line at every byte: whatever is left of it is
// dropped, and the repetition is done again.
func TestTorn(t *testing.T) {
	d := create(t)
	appendAll(t, d, 1, 2)
	before := d.sizeB
	appendAll(t, d, 3)
	whole, err := os.ReadFile(d.Path(ResultsFile))
	if err != nil {
		t.Fatal(err)
	}
	for end := before; end < int64(len(whole)); end++ {
		d, err = reopen(t, d, edit(t, d, func([]byte) []byte { return whole[:end] }))
		if err != nil {
			t.Fatalf("cut at %d: %v", end, err)
		}
		c := d.Contents()
		checkReps(t, c, 1, 2)
		if c.TornB != end-before {
			t.Errorf("cut at %d: %d bytes torn", end, c.TornB)
		}
		appendAll(t, d, 3)
		if again, err := os.ReadFile(d.Path(ResultsFile)); err != nil || !bytes.Equal(again, whole) {
			t.Fatalf("cut at %d: another file, %v", end, err)
		}
	}
}

// TestReadTorn: a reader looks on while a line is written.
func TestReadTorn(t *testing.T) {
	d := create(t)
	appendAll(t, d, 1)
	defer d.Close()
	edit(t, d, func(data []byte) []byte { return append(data, `{"crc":"`...) })()
	c, err := Read(d.path)
	if err != nil || c.TornB != 8 {
		t.Errorf("got %d bytes torn, %v", c.TornB, err)
	}
	checkReps(t, c, 1)
	if info, err := os.Stat(d.Path(ResultsFile)); err != nil || info.Size() != d.sizeB+8 {
		t.Errorf("the reader changed the file: %v, %v", info.Size(), err)
	}
}

func TestDamage(t *testing.T) {
	line := func(n int, change func([]byte) []byte) func([]byte) []byte {
		return func(data []byte) []byte {
			lines := bytes.SplitAfter(data, []byte("\n"))
			lines[n-1] = change(bytes.Clone(lines[n-1]))
			return bytes.Join(lines, nil)
		}
	}
	flip := func(b []byte) []byte { b[len(b)/2] ^= 1; return b }
	drop := func([]byte) []byte { return nil }
	for _, row := range []struct {
		name   string
		change func([]byte) []byte
		want   string
	}{
		{"nothing left", func([]byte) []byte { return nil }, "no head"},
		{"torn head", func(b []byte) []byte { return b[:20] }, "no head"},
		{"bad head", line(1, flip), ":1:"},
		{"no head", line(1, drop), ":1:"},
		{"bad pin", line(2, flip), ":2:"},
		{"no pin", line(2, drop), "not pinned"},
		{"bad middle", line(5, flip), ":5:"},
		{"bad end", line(6, flip), ":6:"},
		{"missing", line(5, drop), "missing"},
		{"blank", line(5, func(b []byte) []byte { return append([]byte("\n"), b...) }), ":5:"},
		{"copied", line(6, func(b []byte) []byte { return append(b, b...) }), ":7:"},
		{"converted", func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }, "CR LF"},
		{"zeros", line(6, func(b []byte) []byte { return append(make([]byte, len(b)-1), '\n') }), ":6:"},
	} {
		d := create(t)
		appendAll(t, d, 1, 2, 3)
		_, err := reopen(t, d, edit(t, d, row.change))
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v", row.name, err)
		}
	}
}

// forge appends lines as another writer would have, checksums and all.
func forge(t *testing.T, d *Dir, v ...any) func() {
	return edit(t, d, func(data []byte) []byte {
		for _, v := range v {
			line, err := record.Seal(v)
			if err != nil {
				t.Fatal(err)
			}
			data = append(data, line...)
		}
		return data
	})
}

func TestForged(t *testing.T) {
	again := result(1)
	again.Schema, again.Run, again.Seq = record.Schema, "run-1", 2
	for _, row := range []struct {
		name string
		line any
		want string
	}{
		{"twice", again, "already on line 4"},
		{"late pin", pin{pinSchema, "runner", "aaa"}, "schema"},
		{"unknown", head{Schema: "certify/other/1", Run: "x"}, "schema"},
	} {
		d := create(t)
		appendAll(t, d, 1)
		_, err := reopen(t, d, forge(t, d, row.line))
		if err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), ResultsFile+":5:") {
			t.Errorf("%s: got %v", row.name, err)
		}
	}
	d := create(t)
	_, err := reopen(t, d, func() {
		edit(t, d, func([]byte) []byte { return nil })()
		forge(t, d, head{Schema: "certify/results/2", Run: "x"})()
	})
	if err == nil || !strings.Contains(err.Error(), "certify/results/2") {
		t.Errorf("another version: got %v", err)
	}
}

// TestBroken puts a handle in place that fails in one way or another.
func TestBroken(t *testing.T) {
	d := create(t)
	appendAll(t, d, 1)
	closed, err := os.Open(d.Path(PlanFile))
	if err != nil {
		t.Fatal(err)
	}
	good := d.results
	d.results = closed // open for reading only: the write fails, the rest works
	if err := d.Append(result(2)); err == nil || d.dead != nil {
		t.Errorf("write failed: got %v, dead %v", err, d.dead)
	}
	d.results = good
	appendAll(t, d, 2)

	r, w, err := os.Pipe() // takes the line and cannot sync it
	if err != nil {
		t.Fatal(err)
	}
	d.results = w
	if err := d.Append(result(3)); err == nil {
		t.Error("not synced: accepted")
	}
	d.results = good
	if err := d.Append(result(3)); err == nil || !strings.Contains(err.Error(), "no more is written") {
		t.Errorf("after a failed sync: got %v", err)
	}
	for _, f := range []*os.File{closed, r, w} {
		f.Close()
	}
	d, err = reopen(t, d, func() {})
	if err != nil {
		t.Fatal(err)
	}
	checkReps(t, d.Contents(), 1, 2)
}
