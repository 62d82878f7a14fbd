package blob

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/reports/rundir"
)

// tarred is an archive of entries as they stand, in gzip.
func tarred(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	archive := tar.NewWriter(zip)
	for _, e := range entries {
		if e.header.Mode == 0 {
			e.header.Mode = 0o644
		}
		e.header.Size = int64(len(e.data))
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

// TestHostileEntries are those that TestStrangers lacks.
func TestHostileEntries(t *testing.T) {
	of := func(kind byte, name, link string) entry {
		return entry{tar.Header{Name: name, Typeflag: kind, Linkname: link}, nil}
	}
	file := func(name string) entry { return entry{tar.Header{Name: name, Typeflag: tar.TypeReg}, []byte("x")} }
	for what, e := range map[string]entry{
		"a block device":       of(tar.TypeBlock, "logs/x.log", ""),
		"a pipe":               of(tar.TypeFifo, "logs/x.log", ""),
		"the logs as a link":   of(tar.TypeSymlink, "logs", "/tmp"),
		"the plan as a link":   of(tar.TypeSymlink, "plan.json", "/etc/passwd"),
		"hard link to outside": of(tar.TypeLink, "logs/x.log", "../../outside"),
		"a control":            file("logs/\x1b[2J.log"),
		"a line end":           file("logs/a\nb.log"),
		"turned around":        file("logs/\u202egol.a"),
		"not UTF-8":            file("logs/\xff.log"),
		"huge name":            file("logs/" + strings.Repeat("x", 100_000)),
		"another case":         file("PLAN.JSON"),
		"double slash":         file("logs//x.log"),
		"UNC":                  file(`\\server\share\x`),
		"stream":               file("plan.json::$DATA"),
		"the lock":             file("lock"),
		"a certificate":        file("certificate.json"),
		"an explorer":          file("explorer.bin"),
		"hidden, as a temp":    file(".plan.json.x.tmp"),
		"attributes, no plan":  {tar.Header{Name: "logs/x.log", Typeflag: tar.TypeReg, PAXRecords: map[string]string{"SCHILY.xattr.user.x": "y"}, Uname: "root"}, []byte("x")},
	} {
		above := t.TempDir()
		dir := filepath.Join(above, "in")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		_, err := Unpack(bytes.NewReader(tarred(t, e)), dir)
		if err == nil {
			t.Errorf("%s: taken", what)
			continue
		}
		if strings.ContainsAny(err.Error(), "\x1b\n\u202e") || len(err.Error()) > 1000 {
			t.Errorf("%s: the error says it raw: %q", what, err)
		}
		inside(t, above, dir)
	}
}

// inside: in above there is dir and nothing else, in dir plain files with modes
// that are ours.
func inside(t *testing.T, above, dir string) {
	t.Helper()
	if entries, err := os.ReadDir(above); err != nil || len(entries) != 1 {
		t.Fatalf("beside the directory: %v, %v", entries, err)
	}
	known := []string{rundir.PlanFile, rundir.EnvFile, rundir.ResultsFile, rundir.LogsDir}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if rel = filepath.ToSlash(rel); !slices.Contains(known, rel) && !rundir.IsLog(rel) {
			t.Errorf("%q was made", rel)
		}
		if !e.IsDir() && !info.Mode().IsRegular() || info.Mode()&0o022 != 0 || !e.IsDir() && info.Mode()&0o111 != 0 {
			t.Errorf("%s is %v", rel, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestModesOfStrangers: an archive does not say who may do what with the files.
func TestModesOfStrangers(t *testing.T) {
	dir := run(t)
	var entries []entry
	for _, name := range []string{rundir.PlanFile, rundir.EnvFile, rundir.ResultsFile} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry{tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o6777}, data})
	}
	above := t.TempDir()
	to := filepath.Join(above, "in")
	if err := os.Mkdir(to, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Unpack(bytes.NewReader(tarred(t, entries...)), to); err != nil {
		t.Fatal(err)
	}
	inside(t, above, to)
}

// TestManyFiles: an archive of very many small files ends.
func TestManyFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 100,000 files")
	}
	var entries []entry
	for i := range MaxFiles + 1 {
		entries = append(entries, entry{tar.Header{Name: fmt.Sprintf("logs/%d.log", i), Typeflag: tar.TypeReg}, nil})
	}
	if _, err := Unpack(bytes.NewReader(tarred(t, entries...)), t.TempDir()); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "files") {
		t.Errorf("got %v", err)
	}
}

// TestPackLeavesLinks: a log of a stranger's run directory that leads elsewhere is
// not carried away.
func TestPackLeavesLinks(t *testing.T) {
	dir := run(t)
	c, err := rundir.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, filepath.FromSlash(c.Records[1].Log))
	secret := filepath.Join(t.TempDir(), "secret")
	if err := errors.Join(os.WriteFile(secret, []byte("secret"), 0o600), os.Remove(log)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, log); err != nil {
		t.Skip("no links here: ", err)
	}
	if err := Pack(new(bytes.Buffer), dir); !errors.Is(err, rundir.ErrNotLog) {
		t.Errorf("got %v", err)
	}
}

// FuzzUnpack: whatever an archive holds, and however its bytes were changed, nothing
// is made outside of the directory, and in it the files of a run only; what is
// taken is packed to a blob that is taken.
func FuzzUnpack(f *testing.F) {
	for _, s := range []struct {
		name, link string
		kind       byte
	}{
		{"plan.json", "", tar.TypeReg}, {"logs/a.log", "", tar.TypeReg}, {"../x", "", tar.TypeReg}, {"/tmp/x", "", tar.TypeReg},
		{"logs", "/tmp", tar.TypeSymlink}, {"logs/a.log", "plan.json", tar.TypeLink}, {`logs\..\x`, "", tar.TypeReg}, {"logs/../../x", "", tar.TypeReg},
	} {
		f.Add(s.name, s.link, s.kind, uint16(0), byte(0))
		f.Add(s.name, s.link, s.kind, uint16(60), byte(3))
	}
	good := map[string][]byte{}
	dir := fuzzRun(f)
	for _, name := range []string{rundir.PlanFile, rundir.EnvFile, rundir.ResultsFile} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			f.Fatal(err)
		}
		good[name] = data
	}
	f.Fuzz(func(t *testing.T, name, link string, kind byte, at uint16, flip byte) {
		data := changedArchive(good, name, link, kind, at, flip)
		if data == nil {
			return
		}
		above := t.TempDir()
		to := filepath.Join(above, "in")
		if err := os.Mkdir(to, 0o700); err != nil {
			t.Fatal(err)
		}
		_, err := Unpack(bytes.NewReader(data), to)
		inside(t, above, to)
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := Pack(&again, to); err != nil {
			t.Fatal(err)
		}
		if _, err := Unpack(&again, t.TempDir()); err != nil {
			t.Errorf("taken, and packed again not: %v", err)
		}
	})
}

// fuzzRun is a run of no records.
func fuzzRun(f *testing.F) string {
	dir := filepath.Join(f.TempDir(), "run")
	d, err := rundir.Create(dir, rundir.Origin{Run: "run-1", Plan: []byte(`{"reps":1}`), Env: []byte(`{}`)})
	if err == nil {
		err = d.Close()
	}
	if err != nil {
		f.Fatal(err)
	}
	return dir
}

// changedArchive has one entry beside the good ones, and one byte changed below
// the gzip, whose checksum is good. Nil is for what no writer of tar takes.
func changedArchive(good map[string][]byte, name, link string, kind byte, at uint16, flip byte) []byte {
	var plain, packed bytes.Buffer
	archive := tar.NewWriter(&plain)
	for _, n := range []string{rundir.PlanFile, rundir.EnvFile, rundir.ResultsFile} {
		if n != name {
			_ = archive.WriteHeader(&tar.Header{Name: n, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(good[n]))})
			_, _ = archive.Write(good[n])
		}
	}
	if archive.WriteHeader(&tar.Header{Name: name, Linkname: link, Typeflag: kind, Mode: 0o6777}) != nil || archive.Close() != nil {
		return nil
	}
	data := plain.Bytes()
	data[int(at)%len(data)] ^= flip
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(data) // to memory
	_ = zip.Close()
	return packed.Bytes()
}
