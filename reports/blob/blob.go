// Package blob is the evidence of a run in one file, so that it can be carried
// to where the shards are merged: a tar archive, compressed by gzip, that holds
// what a run directory derives everything else from, and the logs that its
// records name.
//
//	blob.Pack(w, dir)    // the same evidence makes the same bytes
//	blob.Unpack(r, dir)  // is again a run directory
//
// A blob may be a stranger's: Unpack writes the files of a run and no others, at
// no other place, up to a limit, and refuses one that is cut, damaged, or
// followed by something.
package blob

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/exactlyonce/certify/reports/rundir"
)

// Name is what the blob of a shard is called: by the plan, so that those of two
// plans do not meet unseen, and by its number.
func Name(c rundir.Contents) string {
	return fmt.Sprintf("certify-%.8s-%dof%d.tar.gz", c.Pins[rundir.PlanFile], c.Shard.Index, c.Shard.Of)
}

// Pack writes the blob of the run in dir, which may be unfinished.
func Pack(w io.Writer, dir string) error {
	c, err := rundir.Read(dir)
	if err != nil {
		return fmt.Errorf("blob: pack: %w", err)
	}
	zip := gzip.NewWriter(w)
	archive := tar.NewWriter(zip)
	for _, name := range files(c) {
		data, err := read(dir, name)
		if errors.Is(err, fs.ErrNotExist) && rundir.IsLog(name) {
			continue // somebody needed the room
		}
		if err == nil && name == rundir.ResultsFile {
			data = data[:len(data)-int(c.TornB)]
		}
		if err == nil {
			err = add(archive, name, data)
		}
		if err != nil {
			return fmt.Errorf("blob: pack %s: %w", dir, err)
		}
	}
	if err := errors.Join(archive.Close(), zip.Close()); err != nil {
		return fmt.Errorf("blob: pack %s: %w", dir, err)
	}
	return nil
}

func read(dir, name string) ([]byte, error) {
	if rundir.IsLog(name) {
		return rundir.ReadLog(dir, name)
	}
	return os.ReadFile(filepath.Join(dir, name))
}

// files are those of the evidence, as slash paths below the run directory.
func files(c rundir.Contents) []string {
	names := []string{rundir.PlanFile, rundir.EnvFile, rundir.ResultsFile}
	seen := map[string]bool{}
	for _, r := range c.Records {
		if r.Log != "" && !seen[r.Log] {
			seen[r.Log] = true
			names = append(names, r.Log)
		}
	}
	return names
}

// add keeps nothing of the machine: no times, no owners.
func add(archive *tar.Writer, name string, data []byte) error {
	h := &tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: int64(len(data)), Mode: 0o644,
		ModTime: time.Unix(0, 0), Format: tar.FormatPAX,
	}
	if err := archive.WriteHeader(h); err != nil {
		return err
	}
	_, err := archive.Write(data)
	return err
}

// SHA256 is the digest of a blob's bytes, in hex.
func SHA256(blob []byte) string { return fmt.Sprintf("%x", sha256.Sum256(blob)) }
