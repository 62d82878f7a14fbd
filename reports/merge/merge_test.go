package merge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/blob"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
)

const reps = 3

// part is a shard to be made; the zero values are those of a good one.
type part struct {
	index, of int
	seed      uint64
	runner    string
	commit    string
	host      string
	failed    bool // in its last repetition
	less      int  // repetitions that were not run
	keyOf     int  // whose key it repeats, if not its own
}

func key(i int) record.Key {
	return record.Key{Drill: "exactly-once", Params: []record.Param{{Name: "tasks", Value: fmt.Sprint(i)}}}
}

// planOf has a key a shard.
func planOf(shards int, seed ...uint64) []byte {
	plan := reports.Plan{First: 1, Reps: reps, Seed: 7, Race: true}
	for _, s := range seed {
		plan.Seed += s
	}
	for i := 1; i <= shards; i++ {
		plan.Keys = append(plan.Keys, key(i))
	}
	data, _ := json.Marshal(plan) // of plain fields
	return data
}

// make writes the run directory of a shard, of a plan with a key a shard.
func (p part) make(t *testing.T, dir string) string {
	t.Helper()
	env, _ := json.Marshal(map[string]string{"commit": "c0ffee" + p.commit, "host": "h" + p.host})
	d, err := rundir.Create(dir, rundir.Origin{
		Run: fmt.Sprint("run-", p.index), Shard: record.Shard{Index: p.index, Of: p.of}, Plan: planOf(p.of, p.seed), Env: env,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.Pin(reports.RunnerPin, "beef"+p.runner); err != nil {
		t.Fatal(err)
	}
	if p.keyOf == 0 {
		p.keyOf = p.index
	}
	for rep := 1; rep <= reps-p.less; rep++ {
		r := record.Record{Key: key(p.keyOf), Rep: rep, Verdict: record.Certified, Start: time.Unix(int64(rep), 0), ElapsedNs: 1e9, PeakB: 1 << 20}
		if p.failed && rep == reps {
			r.Verdict, r.Reason, r.Detail = record.Failed, record.Lost, "1 lost"
			var log string
			r.Log, log = d.LogPath(fmt.Sprint(p.index))
			if err := os.WriteFile(log, []byte("what was seen\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// blob writes the blob of a shard into dir.
func (p part) blob(t *testing.T, dir string) string {
	t.Helper()
	run := p.make(t, filepath.Join(t.TempDir(), "run"))
	c, err := rundir.Read(run)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := blob.Pack(&b, run); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, blob.Name(c))
	if err := errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(name, b.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	return name
}

func merged(t *testing.T, paths ...string) *reports.Run {
	t.Helper()
	out := filepath.Join(t.TempDir(), "merged")
	run, err := Merge(out, paths)
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(run); err != nil {
		t.Errorf("checked: %v", err)
	}
	return run
}

// TestMerge: all shards make a run that is certified and whole, however they are
// given and in whatever order, and always the same.
func TestMerge(t *testing.T) {
	dir := t.TempDir()
	for i := 4; i >= 1; i-- {
		part{index: i, of: 4}.blob(t, filepath.Join(dir, fmt.Sprint("artifact-", i)))
	}
	run := merged(t, dir)
	if run.Verdict != record.Certified || len(run.Records) != 4*reps || len(run.MissingShards()) != 0 || run.Shard != (record.Shard{Of: 4}) {
		t.Errorf("got %v, %d records, missing %v, %v", run.Verdict, len(run.Records), run.MissingShards(), run.Shard)
	}
	for i, r := range run.Records {
		if r.Seq != i+1 || r.Run != fmt.Sprint("run-", i/reps+1) {
			t.Errorf("record %d: seq %d of %s", i+1, r.Seq, r.Run)
		}
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(paths)
	again := merged(t, paths...)
	for _, name := range []string{rundir.PlanFile, rundir.EnvFile, rundir.ResultsFile} {
		a, _ := os.ReadFile(filepath.Join(run.Dir, name))
		b, _ := os.ReadFile(filepath.Join(again.Dir, name))
		if len(a) == 0 || !bytes.Equal(a, b) {
			t.Errorf("%s: not the same bytes", name)
		}
	}
}

// TestMergeDirs: run directories do as well as blobs, and a log comes along.
func TestMergeDirs(t *testing.T) {
	dir := t.TempDir()
	one := part{index: 1, of: 2}.make(t, filepath.Join(dir, "one"))
	two := part{index: 2, of: 2, failed: true, host: "2"}.make(t, filepath.Join(dir, "two"))
	run := merged(t, one, two)
	if run.Verdict != record.Failed || run.Reason != record.Lost {
		t.Errorf("got %v (%s)", run.Verdict, run.Reason)
	}
	last := run.Records[len(run.Records)-1]
	if log, err := os.ReadFile(filepath.Join(run.Dir, filepath.FromSlash(last.Log))); err != nil || string(log) != "what was seen\n" {
		t.Errorf("log %q, %v", log, err)
	}
	if got, want := run.Fact("host"), "shard 1: h; shard 2: h2"; got != want {
		t.Errorf("host %q, want %q", got, want)
	}
	if got := run.Fact("commit"); got != "c0ffee" {
		t.Errorf("commit %q", got)
	}
}

// TestUnfinished: in a directory that is searched, a shard without a blob counts as
// little as one that was never begun.
func TestUnfinished(t *testing.T) {
	dir := t.TempDir()
	part{index: 1, of: 2}.blob(t, dir)
	part{index: 2, of: 2, runner: "x", less: 1}.make(t, filepath.Join(dir, "killed"))
	run := merged(t, dir)
	if run.Verdict != record.Inconclusive || !slices.Equal(run.MissingShards(), []int{2}) {
		t.Errorf("got %v, missing %v", run.Verdict, run.MissingShards())
	}
	unbegun := filepath.Join(t.TempDir(), "unbegun")
	d, err := rundir.Create(unbegun, rundir.Origin{Run: "run-2", Shard: record.Shard{Index: 2, Of: 2}, Plan: planOf(2), Env: []byte("{}")})
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	if run := merged(t, dir, unbegun); !slices.Equal(run.MissingShards(), []int{2}) {
		t.Errorf("not begun: missing %v", run.MissingShards())
	}
}

// TestMissing: what is missing makes a clean run inconclusive and leaves a failed
// one failed.
func TestMissing(t *testing.T) {
	for _, row := range []struct {
		parts   []part
		verdict record.Verdict
		reason  record.Reason
		missing []int
	}{
		{[]part{{index: 1, of: 4}, {index: 3, of: 4}}, record.Inconclusive, record.MissingShard, []int{2, 4}},
		{[]part{{index: 4, of: 4}}, record.Inconclusive, record.MissingShard, []int{1, 2, 3}},
		{[]part{{index: 1, of: 4, failed: true}}, record.Failed, record.Lost, []int{2, 3, 4}},
		{[]part{{index: 1, of: 2}, {index: 2, of: 2, less: 1}}, record.Inconclusive, record.Samples, nil},
		{[]part{{index: 1, of: 1}}, record.Certified, "", nil},
	} {
		dir := t.TempDir()
		for _, p := range row.parts {
			p.blob(t, dir)
		}
		run := merged(t, dir)
		if run.Verdict != row.verdict || run.Reason != row.reason || !slices.Equal(run.MissingShards(), row.missing) {
			t.Errorf("%+v: got %v (%s), missing %v", row.parts, run.Verdict, run.Reason, run.MissingShards())
		}
	}
}

// TestMismatch: shards that are not of one run are refused, and nothing is written.
func TestMismatch(t *testing.T) {
	for name, other := range map[string]part{
		"plans":            {index: 2, of: 2, seed: 1},
		"numbers":          {index: 3, of: 3},
		"runners":          {index: 2, of: 2, runner: "x"},
		"commits":          {index: 2, of: 2, commit: "x"},
		"both are shard":   {index: 1, of: 2},
		"running again":    {index: 1, of: 2, failed: true},
		"rep 1 is in both": {index: 2, of: 2, keyOf: 1},
	} {
		dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
		part{index: 1, of: 2}.blob(t, filepath.Join(dir, "a"))
		other.blob(t, filepath.Join(dir, "b"))
		_, err := Merge(out, []string{dir})
		mismatch := (*MismatchError)(nil)
		if !errors.As(err, &mismatch) || name != "numbers" && !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: something was written: %v", name, err)
		}
	}
}

func TestNone(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	d, err := rundir.Create(whole, rundir.Origin{Run: "run", Plan: []byte("{}"), Env: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("no blob"), 0o666); err != nil {
		t.Fatal(err)
	}
	huge := filepath.Join(t.TempDir(), "huge") // of holes
	if err := errors.Join(os.WriteFile(huge, nil, 0o666), os.Truncate(huge, blob.MaxBytes+1)); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		paths []string
		want  string
	}{
		"too large":   {[]string{huge}, "more than the 268435456"},
		"nothing":     {nil, "no shard"},
		"empty":       {[]string{t.TempDir()}, "no shard"},
		"not there":   {[]string{filepath.Join(whole, "none")}, "none"},
		"a whole run": {[]string{whole}, "no shard"},
		"no blob":     {[]string{file}, "not a blob"},
	} {
		if _, err := Merge(filepath.Join(t.TempDir(), "out"), row.paths); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestCheck: a merged run is refused when a shard was taken away or altered, or
// when its evidence is not theirs.
func TestCheck(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"taken away": func(dir string) error { return os.Remove(glob(dir, "*-2of2.tar.gz")) },
		"altered":    func(dir string) error { return flip(glob(dir, "*-1of2.tar.gz")) },
		"other evidence": func(dir string) error { // a record less, which the file itself does not show
			name := filepath.Join(dir, rundir.ResultsFile)
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			data = data[:bytes.LastIndexByte(data[:len(data)-1], '\n')+1]
			return os.WriteFile(name, data, 0o666)
		},
	} {
		dir := t.TempDir()
		part{index: 1, of: 2}.blob(t, dir)
		part{index: 2, of: 2}.blob(t, dir)
		run := merged(t, dir)
		if err := change(run.Dir); err != nil {
			t.Fatal(err)
		}
		if run, err := reports.Load(run.Dir); err != nil {
			t.Fatal(err)
		} else if err := Check(run); !errors.Is(err, ErrShards) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	part := part{index: 1, of: 2}.make(t, filepath.Join(t.TempDir(), "part"))
	if run, err := reports.Load(part); err != nil {
		t.Fatal(err)
	} else if err := Check(run); err != nil {
		t.Errorf("a run that was not merged: %v", err)
	}
}

func glob(dir, pattern string) string {
	names, _ := filepath.Glob(filepath.Join(dir, pattern))
	return strings.Join(names, "")
}

func flip(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	data[len(data)/2] ^= 1
	return os.WriteFile(name, data, 0o666)
}
