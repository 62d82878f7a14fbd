package blob

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
)

// run makes the directory of shard 2/4 with three records, two of which have a
// log.
func run(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	d, err := rundir.Create(dir, rundir.Origin{Run: "run-1", Shard: record.Shard{Index: 2, Of: 4}, Plan: []byte(`{"reps":3}`), Env: []byte(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for rep := 1; rep <= 3; rep++ {
		r := record.Record{
			Key: record.Key{Drill: "exactly-once"}, Rep: rep, Verdict: record.Failed, Reason: record.Lost, Detail: "1 lost",
			Start: time.Date(2026, 4, 1, 0, 0, rep, 0, time.UTC),
		}
		if rep > 1 {
			var log string
			r.Log, log = d.LogPath(fmt.Sprint("rep ", rep))
			if err := os.WriteFile(log, bytes.Repeat([]byte("goroutine 1\n"), rep), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func pack(t *testing.T, dir string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Pack(&b, dir); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestThereAndBack: unpacked it is the same run, and packed again the same bytes.
func TestThereAndBack(t *testing.T) {
	dir := run(t)
	data := pack(t, dir)
	back := t.TempDir()
	c, err := Unpack(bytes.NewReader(data), back)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Records) != 3 || c.Shard != (record.Shard{Index: 2, Of: 4}) || c.Run != "run-1" {
		t.Errorf("unpacked: %+v", c)
	}
	if !bytes.Equal(pack(t, back), data) {
		t.Error("packed again: other bytes")
	}
	if name := Name(c); !strings.HasPrefix(name, "certify-") || !strings.HasSuffix(name, "-2of4.tar.gz") || !strings.Contains(name, c.Pins[rundir.PlanFile][:8]) {
		t.Errorf("called %s", name)
	}
	log, err := os.ReadFile(filepath.Join(back, filepath.FromSlash(c.Records[2].Log)))
	if err != nil || strings.Count(string(log), "\n") != 3 {
		t.Errorf("log %q, %v", log, err)
	}
}

// TestPackTorn: a line that was not finished stays behind, and so does a log that
// somebody took away.
func TestPackTorn(t *testing.T) {
	dir := run(t)
	whole := pack(t, dir)
	f, err := os.OpenFile(filepath.Join(dir, rundir.ResultsFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(`{"crc":"torn`); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(pack(t, dir), whole) {
		t.Error("the torn line is in it")
	}
	if err := os.RemoveAll(filepath.Join(dir, rundir.LogsDir)); err != nil {
		t.Fatal(err)
	}
	if c, err := Unpack(bytes.NewReader(pack(t, dir)), t.TempDir()); err != nil || len(c.Records) != 3 {
		t.Errorf("without logs: %v", err)
	}
}

func TestPackNoRun(t *testing.T) {
	if err := Pack(io.Discard, t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// TestDamaged: cut anywhere, or with any byte changed, a blob is refused or, where
// gzip ignores the byte, the same.
func TestDamaged(t *testing.T) {
	dir := run(t)
	data := pack(t, dir)
	for n := 0; n < len(data); n += 1 + len(data)/200 {
		if _, err := Unpack(bytes.NewReader(data[:n]), t.TempDir()); err == nil {
			t.Errorf("cut at %d: accepted", n)
		}
		bad := bytes.Clone(data)
		bad[n] ^= 0x10
		back := t.TempDir()
		if _, err := Unpack(bytes.NewReader(bad), back); err == nil && !bytes.Equal(pack(t, back), data) {
			t.Errorf("byte %d: accepted, and another run", n)
		}
	}
	for name, after := range map[string][]byte{"a byte": {0}, "a blob": data} {
		if _, err := Unpack(bytes.NewReader(append(bytes.Clone(data), after...)), t.TempDir()); !errors.Is(err, ErrFormat) {
			t.Errorf("followed by %s: %v", name, err)
		}
	}
}

// entry is a file of a blob that a stranger made.
type entry struct {
	header tar.Header
	data   []byte
}

func forged(t *testing.T, extra ...entry) []byte {
	t.Helper()
	dir := run(t)
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	archive := tar.NewWriter(zip)
	for _, name := range []string{rundir.PlanFile, rundir.EnvFile, rundir.ResultsFile} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		extra = append(extra, entry{tar.Header{Name: name, Typeflag: tar.TypeReg}, data})
	}
	for _, e := range extra {
		e.header.Mode = 0o644
		if e.header.Size == 0 {
			e.header.Size = int64(len(e.data))
		}
		if err := archive.WriteHeader(&e.header); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write(e.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestStrangers: a blob writes the files of a run, in the directory that it is
// given, and nothing else.
func TestStrangers(t *testing.T) {
	if _, err := Unpack(bytes.NewReader(forged(t)), t.TempDir()); err != nil {
		t.Fatalf("without anything strange: %v", err)
	}
	file := func(name string) entry { return entry{tar.Header{Name: name, Typeflag: tar.TypeReg}, []byte("x")} }
	for name, e := range map[string]entry{
		"above":          file("../plan.json"),
		"above, logs":    file("logs/../../x"),
		"absolute":       file("/tmp/x"),
		"deep":           file("logs/a/b"),
		"dots":           file("logs/.."),
		"hidden":         file("logs/.x"),
		"backslash":      file(`logs/..\x`),
		"drive":          file("logs/c:x"),
		"other file":     file("runner.bin"),
		"other spelling": file("./plan.json"),
		"twice":          file("plan.json"),
		"of no record":   file("logs/x.log"),
		"link":           {tar.Header{Name: "logs/x", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, nil},
		"hard link":      {tar.Header{Name: "logs/x", Typeflag: tar.TypeLink, Linkname: "plan.json"}, nil},
		"directory":      {tar.Header{Name: "logs/", Typeflag: tar.TypeDir}, nil},
		"device":         {tar.Header{Name: "logs/x", Typeflag: tar.TypeChar}, nil},
	} {
		above := t.TempDir()
		dir := filepath.Join(above, "in")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if _, err := Unpack(bytes.NewReader(forged(t, e)), dir); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: got %v", name, err)
		}
		if entries, err := os.ReadDir(above); err != nil || len(entries) != 1 {
			t.Errorf("%s: left %v, %v", name, entries, err)
		}
	}
}

// TestBombs: what unpacks to more than the limit is refused before it is written
// whole: many zeros, and a file that says it is larger than it is.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("unpacks a quarter of a gigabyte")
	}
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	archive := tar.NewWriter(zip)
	if err := archive.WriteHeader(&tar.Header{Name: "plan.json", Typeflag: tar.TypeReg, Size: MaxBytes + 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(archive, zeros{}, MaxBytes+1); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(archive.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := Unpack(&b, dir); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("got %v", err)
	}
	if info, err := os.Stat(filepath.Join(dir, "plan.json")); err == nil && info.Size() > 0 {
		t.Errorf("%d bytes of it were written", info.Size())
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
