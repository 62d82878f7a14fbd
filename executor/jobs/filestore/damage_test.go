package filestore

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/exactlyonce/certify/executor/jobs"
)

// whole is how many frames end at or before size.
func whole(ends []int64, size int64) (frames int) {
	for i, end := range ends {
		if end <= size {
			frames = i
		}
	}
	return frames
}

// The log cut at every byte: what was whole is there, what was not is dropped
// and counted, and the store goes on.
func TestCutAtEveryByteV7(t *testing.T) {
	data, ends := written(t)
	want := states(t)
	dir := t.TempDir()
	for size := range int64(len(data)) + 1 {
		putLog(t, dir, data[:size])
		s, err := Open(dir)
		if size < int64(len(magic)) {
			is(t, "without its beginning", err, ErrCorrupt)
			continue
		}
		if err != nil {
			t.Fatalf("cut at %d: %v", size, err)
		}
		frames := whole(ends, size)
		equal(t, "cut", contents(t, s), want[frames])
		if stored, _ := s.Load(); stored.DroppedB != size-ends[frames] {
			t.Errorf("cut at %d: %d bytes dropped, want %d", size, stored.DroppedB, size-ends[frames])
		}
		for _, step := range script[frames:] {
			is(t, "going on", step(s), nil)
		}
		is(t, "close", s.Close(), nil)
		if again, _ := os.ReadFile(filepath.Join(dir, logName)); !bytes.Equal(again, data) {
			t.Fatalf("cut at %d: another log", size)
		}
	}
}

// Every byte damaged, one at a time, by one bit and by all: never silent.
func TestEveryDamagedByteV7(t *testing.T) {
	data, _ := written(t)
	dir := t.TempDir()
	for at := range data {
		for _, flip := range []byte{1, 0x80, 0xff} {
			bad := bytes.Clone(data)
			bad[at] ^= flip
			putLog(t, dir, bad)
			_, err := Open(dir)
			var where *CorruptError
			switch {
			case errors.As(err, &where):
				if where.Path != filepath.Join(dir, logName) || where.Offset > int64(at) {
					t.Errorf("byte %d: %v", at, err)
				}
			case !errors.Is(err, ErrVersion) || at >= len(magic):
				t.Errorf("byte %d ^ %x: got %v", at, flip, err)
			}
			if after, _ := os.ReadFile(filepath.Join(dir, logName)); !bytes.Equal(after, bad) {
				t.Errorf("byte %d: a refused log was changed", at)
			}
		}
	}
}

// A machine that loses power may leave zeros for what it had not written: in
// the last frame that is an unfinished write, in an earlier one damage.
func TestHolesV7(t *testing.T) {
	data, ends := written(t)
	want := states(t)
	last, before := len(ends)-1, len(ends)-2
	dir := t.TempDir()
	for from := ends[before]; from < int64(len(data)); from++ {
		bad := bytes.Clone(data)
		clear(bad[from:])
		putLog(t, dir, bad)
		s := mustOpen(t, dir)
		equal(t, "hole at the end", contents(t, s), want[before])
		is(t, "put", script[last-1](s), nil)
		is(t, "close", s.Close(), nil)
	}
	for from := ends[0]; from+20 < ends[before]; from++ {
		bad := bytes.Clone(data)
		clear(bad[from : from+20])
		putLog(t, dir, bad)
		_, err := Open(dir)
		is(t, "hole before the last frame", err, ErrCorrupt)
	}
	bad := bytes.Clone(data[:len(data)-1])
	clear(bad[ends[before]-20 : ends[before]])
	_, err := Open(withLog(t, bad))
	is(t, "hole before a last frame that is cut off", err, ErrCorrupt)
	bad = append(bytes.Clone(data), make([]byte, 4096)...)
	stored, err := mustOpen(t, withLog(t, bad)).Load()
	if err != nil || stored.DroppedB != 4096 {
		t.Errorf("zeros behind the last frame: %d dropped, %v", stored.DroppedB, err)
	}
}

// Frames that are whole and say nonsense are damage too.
func TestNonsenseV7(t *testing.T) {
	for name, payload := range map[string]string{
		"no line":       "x",
		"no JSON":       "x\n",
		"unknown phase": `{"id":"a","phase":"asleep"}` + "\n",
		"unknown end":   `{"id":"a","phase":"gone","end":"so so"}` + "\n",
		"second line":   `{"id":"a","phase":"reserved"}` + "\n\n",
	} {
		frame := append(newFrame(), payload...)
		seal(frame)
		_, err := Open(withLog(t, append([]byte(magic), frame...)))
		is(t, name, err, ErrCorrupt)
	}
	empty := newFrame()
	seal(empty)
	_, err := Open(withLog(t, append([]byte(magic), empty...)))
	is(t, "an empty frame", err, ErrCorrupt)
}

// FuzzOpen: no log makes Open panic or lose what it accepted: what is read
// once is read the same after a put and a compaction.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(magic))
	f.Add([]byte("certify-jobs v2\n"))
	frame := append(newFrame(), `{"id":"a","phase":"reserved"}`+"\n"...)
	seal(frame)
	f.Add(append([]byte(magic), frame...))
	f.Add(append([]byte(magic), frame[:20]...))
	f.Add(append(append([]byte(magic), frame...), make([]byte, 30)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := withLog(t, data)
		s, err := Open(dir)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) {
				t.Fatal(err)
			}
			return
		}
		stored, _ := s.Load()
		if stored.DroppedB < 0 || int64(len(data)) != stored.DroppedB+s.endB {
			t.Fatalf("%d bytes: %d dropped, %d kept", len(data), stored.DroppedB, s.endB)
		}
		is(t, "put", s.Put(jobs.Record{ID: "fuzz", Phase: jobs.Running}), nil)
		want := contents(t, s)
		is(t, "compact", s.Compact(), nil)
		is(t, "close", s.Close(), nil)
		s = mustOpen(t, dir)
		equal(t, "reopened", contents(t, s), want)
		is(t, "close", s.Close(), nil)
	})
}
