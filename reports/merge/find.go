package merge

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/blob"
	"github.com/exactlyonce/certify/reports/rundir"
)

// find loads the shards of all paths. Blobs are unpacked below temp.
func find(paths []string, temp string) (all []shard, err error) {
	for _, path := range paths {
		found, err := findIn(path, temp)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: %w", path, ErrNone)
		}
		all = append(all, found...)
	}
	all = slices.DeleteFunc(all, func(s shard) bool { return s.unbegun() })
	return all, nil
}

func findIn(path, temp string) (found []shard, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		s, err := unpack(path, temp)
		return []shard{s}, err
	}
	if isRun(path) {
		s, err := load(path, path, nil)
		return []shard{s}, err
	}
	err = filepath.WalkDir(path, func(at string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !e.Type().IsRegular() || !isBlob(e.Name()) {
			return nil
		}
		s, err := unpack(at, temp)
		found = append(found, s)
		return err
	})
	return found, err
}

// unbegun: it was killed before it had a runner, and is missing like one that left
// nothing.
func (s shard) unbegun() bool { return len(s.Records) == 0 && s.Pins[reports.RunnerPin] == "" }

func isRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, rundir.ResultsFile))
	return err == nil
}

func isBlob(name string) bool {
	return strings.HasPrefix(name, "certify-") && strings.HasSuffix(name, ".tar.gz")
}

func unpack(path, temp string) (shard, error) {
	info, err := os.Stat(path)
	if err != nil {
		return shard{}, err
	}
	if info.Size() > blob.MaxBytes { // before it is read: it is from anybody
		return shard{}, fmt.Errorf("%s: %w: %d bytes, more than the %d that one may hold", path, blob.ErrFormat, info.Size(), blob.MaxBytes)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return shard{}, err
	}
	dir, err := os.MkdirTemp(temp, "shard-")
	if err != nil {
		return shard{}, err
	}
	if _, err := blob.Unpack(bytes.NewReader(data), dir); err != nil {
		return shard{}, fmt.Errorf("%s: %w", path, err)
	}
	return load(path, dir, data)
}
