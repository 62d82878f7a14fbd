// Package merge joins the shards of a run, which went on different machines,
// into one run directory, of which everything else is derived as of any other.
//
//	run, err := merge.Merge(out, []string{"blobs"})
//	missing := run.MissingShards() // a verdict without them is INCONCLUSIVE
//
// Shards belong together when they were run to the same plan, by the same runner,
// from the same source, and each is there once. Two of one number are refused even
// if one is clean: a failure does not go away by running again. A shard that is
// missing is not an error, but the merged run says so, and is not certified.
//
// The same shards make the same bytes: what a merged run holds can be checked by
// merging again, which is what Check does with the blobs that Merge keeps in it.
package merge

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/blob"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
)

// Merge joins the shards that are found in the paths into a run directory at out,
// which must not exist or be empty. A path is a blob, the run directory of a
// shard, or a directory that holds blobs at any depth. A run directory that is only
// found there does not count: its shard was not finished, or its blob is beside it.
//
// Errors: an *InputError with ErrNone, a *MismatchError, or what is wrong with a
// path; or what kept it from writing.
func Merge(out string, paths []string) (*reports.Run, error) {
	temp, err := os.MkdirTemp("", "certify-merge-")
	if err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	defer os.RemoveAll(temp)
	shards, err := find(paths, temp)
	if err == nil {
		err = belong(shards)
	}
	if err != nil {
		return nil, &InputError{err}
	}
	if err := write(out, shards); err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	return reports.Load(out)
}

// shard is one that was found.
type shard struct {
	path string // as it was given or found
	dir  string // where it is a run directory
	blob []byte // as it was given, or made of dir
	run  *reports.Run
	rundir.Contents
}

// load reads the shard in dir. Its blob is nil when it was not given as one.
func load(path, dir string, given []byte) (s shard, err error) {
	s = shard{path: path, dir: dir, blob: given}
	if s.Contents, err = rundir.Read(dir); err != nil {
		return s, err
	}
	if !s.Shard.Part() {
		return s, fmt.Errorf("%s: a run that is %s: no shard", path, s.Shard)
	}
	if s.run, err = reports.Load(dir); err != nil || given != nil {
		return s, err
	}
	var b bytes.Buffer
	err = blob.Pack(&b, dir)
	s.blob = b.Bytes()
	return s, err
}

// write makes the merged run directory.
func write(out string, shards []shard) error {
	env, err := environment(shards)
	if err != nil {
		return err
	}
	first := shards[0]
	dir, err := rundir.Create(out, rundir.Origin{
		Run: name(shards), Shard: record.Shard{Of: first.Shard.Of}, Plan: first.Plan, Env: env,
	})
	if err != nil {
		return err
	}
	return errors.Join(fill(dir, shards), dir.Close())
}

// name is that of the merged run: the same for the same shards.
func name(shards []shard) string {
	h := sha256.New()
	for _, s := range shards {
		fmt.Fprintln(h, s.Shard, blob.SHA256(s.blob))
	}
	return fmt.Sprintf("merged-%x", h.Sum(nil)[:6])
}

func fill(dir *rundir.Dir, shards []shard) error {
	for _, s := range shards {
		if err := dir.WriteFile(blob.Name(s.Contents), s.blob); err != nil {
			return err
		}
		if err := dir.Pin(reports.ShardPin(s.Shard.Index), blob.SHA256(s.blob)); err != nil {
			return err
		}
	}
	if err := pinBuild(dir, shards[0].Pins); err != nil {
		return err
	}
	for _, s := range shards {
		for _, r := range s.Records {
			if err := copyLog(dir, s, r); err != nil {
				return err
			}
			if err := dir.Append(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// pinBuild pins what all shards were built of: they have the same runner.
func pinBuild(dir *rundir.Dir, pins map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(pins)) {
		if name != reports.RunnerPin && name != reports.ExplorerPin && !strings.HasPrefix(name, reports.ModulePin) {
			continue
		}
		if err := dir.Pin(name, pins[name]); err != nil {
			return err
		}
	}
	return nil
}

// copyLog copies the log that a record names. One that the shard has no more is
// not missed.
func copyLog(dir *rundir.Dir, s shard, r record.Record) error {
	if r.Log == "" {
		return nil
	}
	data, err := rundir.ReadLog(s.dir, r.Log)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.WriteFile(dir.Path(r.Log), data, rundir.FileMode)
	}
	return err
}

// sorted by number.
func sorted(shards []shard) {
	slices.SortStableFunc(shards, func(a, b shard) int { return cmp.Compare(a.Shard.Index, b.Shard.Index) })
}
