package merge

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/blob"
	"github.com/exactlyonce/certify/reports/rundir"
)

// ErrShards: a merged run does not follow from the blobs that it keeps.
var ErrShards = errors.New("not what its shards make")

// Check merges the blobs in the directory of the run again, and returns an error
// that wraps ErrShards unless they make the evidence that is there. Of a run that
// was not merged it says nothing.
func Check(run *reports.Run) error {
	if !run.Shard.Merged() {
		return nil
	}
	blobs, err := kept(run)
	if err != nil {
		return fmt.Errorf("merge: check %s: %w", run.Dir, err)
	}
	temp, err := os.MkdirTemp("", "certify-merge-")
	if err != nil {
		return fmt.Errorf("merge: check: %w", err)
	}
	defer os.RemoveAll(temp)
	if _, err := Merge(filepath.Join(temp, "again"), blobs); err != nil {
		return fmt.Errorf("%w: %w", ErrShards, err)
	}
	return same(run.Dir, filepath.Join(temp, "again"))
}

// kept are the blobs of the shards that the run pins, each with its digest.
func kept(run *reports.Run) (paths []string, err error) {
	for i := 1; i <= run.Shard.Of; i++ {
		pinned := run.Pins[reports.ShardPin(i)]
		if pinned == "" {
			continue // missing from the start, which the verdict says
		}
		var c rundir.Contents
		c.Shard, c.Pins = run.Shard, run.Pins
		c.Shard.Index = i
		path := filepath.Join(run.Dir, blob.Name(c))
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%w: shard %d: %w", ErrShards, i, err)
		}
		if blob.SHA256(data) != pinned {
			return nil, fmt.Errorf("%w: shard %d: sha256 was %.12s, is %.12s", ErrShards, i, pinned, blob.SHA256(data))
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func same(dir, again string) error {
	for _, name := range []string{rundir.PlanFile, rundir.EnvFile, rundir.ResultsFile} {
		a, errA := os.ReadFile(filepath.Join(dir, name))
		b, errB := os.ReadFile(filepath.Join(again, name))
		if err := errors.Join(errA, errB); err != nil {
			return fmt.Errorf("merge: check: %w", err)
		}
		if !bytes.Equal(a, b) {
			return fmt.Errorf("merge: check %s: %w: %s", dir, ErrShards, name)
		}
	}
	return nil
}
