package blob

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/exactlyonce/certify/reports/rundir"
)

// What a blob may hold at most, when it is unpacked. A run of 1500 repetitions
// is some megabytes.
const (
	MaxBytes = 256 << 20
	MaxFiles = 100_000
)

// ErrFormat: a file is no blob, or not a whole one.
var ErrFormat = errors.New("not a blob")

// Unpack makes dir, which must exist and be empty, the run directory that was
// packed, and returns what it holds. After an error it may hold a part.
func Unpack(r io.Reader, dir string) (rundir.Contents, error) {
	if err := unpack(r, dir); err != nil {
		return rundir.Contents{}, fmt.Errorf("blob: unpack: %w", err)
	}
	c, err := rundir.Read(dir)
	if err != nil {
		return c, fmt.Errorf("blob: unpack: %w", err)
	}
	return c, named(c, dir)
}

func unpack(r io.Reader, dir string) error {
	// Of one piece: what follows would be seen by some readers only.
	all := bufio.NewReader(r)
	zip, err := gzip.NewReader(all)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	zip.Multistream(false)
	left := &io.LimitedReader{R: zip, N: MaxBytes + 1}
	archive := tar.NewReader(left)
	if err := os.Mkdir(filepath.Join(dir, rundir.LogsDir), rundir.DirMode); err != nil {
		return err
	}
	if err := unpackFiles(archive, left, dir); err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return ended(left, all)
}

func unpackFiles(archive *tar.Reader, left *io.LimitedReader, dir string) error {
	var sum int64 // of what is written: a sparse file is more than what is read
	for n := 0; ; n++ {
		h, err := archive.Next()
		switch {
		case left.N <= 0, err == nil && h.Size > MaxBytes-sum:
			return fmt.Errorf("more than %d bytes", MaxBytes)
		case err == io.EOF:
			return nil
		case err == nil && n == MaxFiles:
			return fmt.Errorf("more than %d files", MaxFiles)
		case err == nil:
			sum += h.Size
			err = unpackFile(archive, h, dir)
		}
		if err != nil {
			return err
		}
	}
}

// ended reads up to the checksum of gzip, and expects nothing more.
func ended(rest *io.LimitedReader, all *bufio.Reader) error {
	if n, err := io.Copy(io.Discard, rest); err != nil || n > 0 {
		return fmt.Errorf("%w: its end: %d bytes more, %v", ErrFormat, n, err)
	}
	if _, err := all.ReadByte(); err != io.EOF {
		return fmt.Errorf("%w: something follows it", ErrFormat)
	}
	return nil
}

func unpackFile(archive io.Reader, h *tar.Header, dir string) (err error) {
	if h.Typeflag != tar.TypeReg || !known(h.Name) {
		return fmt.Errorf("%.80q: no file of a run", h.Name)
	}
	f, err := os.OpenFile(filepath.Join(dir, filepath.FromSlash(h.Name)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, rundir.FileMode)
	if err != nil {
		return err // one that is there twice, too
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = io.Copy(f, archive)
	return err
}

// known names are those that Pack writes: exactly the evidence, and flat names in
// the directory of the logs.
func known(name string) bool {
	if slices.Contains([]string{rundir.PlanFile, rundir.EnvFile, rundir.ResultsFile}, name) {
		return true
	}
	return rundir.IsLog(name)
}

// named refuses a log that no record names.
func named(c rundir.Contents, dir string) error {
	entries, err := os.ReadDir(filepath.Join(dir, rundir.LogsDir))
	if err != nil {
		return fmt.Errorf("blob: unpack: %w", err)
	}
	want := map[string]bool{}
	for _, name := range files(c) {
		want[name] = true
	}
	for _, e := range entries {
		if !want[rundir.LogsDir+"/"+e.Name()] {
			return fmt.Errorf("blob: unpack: %w: the log %.80q is of no record", ErrFormat, e.Name())
		}
	}
	return nil
}
