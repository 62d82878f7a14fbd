package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports/record"
)

var (
	plan = []byte(`{"seed":"1"}`)
	env  = []byte(`{"goos":"linux"}`)
)

func create(t *testing.T) *Dir {
	t.Helper()
	d, err := Create(filepath.Join(t.TempDir(), "runs", "a"), Origin{Run: "run-1", Plan: plan, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// reopen closes d, lets change have its way with the files, and opens again.
func reopen(t *testing.T, d *Dir, change func()) (*Dir, error) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	change()
	again, err := Open(d.path)
	if err == nil {
		t.Cleanup(func() { again.Close() })
	}
	return again, err
}

func result(rep int) record.Record {
	return record.Record{
		Key:     record.Key{Drill: "exactly-once", Params: []record.Param{{Name: "injector", Value: "msqueue"}}},
		Rep:     rep,
		Seed:    uint64(rep),
		Verdict: record.Certified,
		Start:   time.Date(2026, 4, 1, 0, 0, rep, 0, time.UTC),
	}
}

func appendAll(t *testing.T, d *Dir, reps ...int) {
	t.Helper()
	for _, rep := range reps {
		if err := d.Append(result(rep)); err != nil {
			t.Fatal(err)
		}
	}
}

func checkReps(t *testing.T, c Contents, want ...int) {
	t.Helper()
	var got []int
	for i, r := range c.Records {
		got = append(got, r.Rep)
		if r.Seq != i+1 || r.Run != c.Run {
			t.Errorf("record %d: seq %d of run %s", i, r.Seq, r.Run)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got repetitions %v want %v", got, want)
	}
}

func TestResume(t *testing.T) {
	d := create(t)
	appendAll(t, d, 1, 2)
	if err := d.Pin("runner", "late"); err == nil {
		t.Error("pinned after results")
	}
	d, err := reopen(t, d, func() {})
	if err != nil {
		t.Fatal(err)
	}
	appendAll(t, d, 3)
	c, err := Read(d.path)
	if err != nil {
		t.Fatal(err)
	}
	checkReps(t, c, 1, 2, 3)
	if !reflect.DeepEqual(c, d.Contents()) {
		t.Errorf("read %+v\nholds %+v", c, d.Contents())
	}
	if c.Run != "run-1" || !bytes.Equal(c.Plan, plan) || !bytes.Equal(c.Env, env) || c.TornB != 0 {
		t.Errorf("got %+v", c)
	}
}

func TestContentsAreACopy(t *testing.T) {
	d := create(t)
	defer d.Close()
	appendAll(t, d, 1)
	c := d.Contents()
	c.Records[0].Rep = 9
	c.Pins[PlanFile] = "x"
	checkReps(t, d.Contents(), 1)
	if d.Contents().Pins[PlanFile] != digest(plan) {
		t.Error("pins are shared")
	}
}

func TestAppendRefuses(t *testing.T) {
	d := create(t)
	appendAll(t, d, 1)
	if err := d.Append(result(1)); err == nil || !strings.Contains(err.Error(), "already done") {
		t.Errorf("twice: got %v", err)
	}
	if err := d.Append(result(0)); err == nil {
		t.Error("no repetition: accepted")
	}
	appendAll(t, d, 2)
	checkReps(t, d.Contents(), 1, 2)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Append(result(3)); err == nil {
		t.Error("closed: accepted")
	}
}

func TestPin(t *testing.T) {
	d := create(t)
	check := func(what, sha, was string) {
		t.Helper()
		var changed *ChangedError
		err := d.Pin(what, sha)
		if was == sha {
			if err != nil {
				t.Errorf("%s: got %v", what, err)
			}
			return
		}
		if !errors.As(err, &changed) || changed.What != what || changed.Was != was || changed.Now != sha {
			t.Errorf("%s: got %v", what, err)
		}
	}
	check("runner", "aaa", "aaa")
	check("runner", "aaa", "aaa")
	check("runner", "bbb", "aaa")
	check("class", "ccc", "ccc")
	appendAll(t, d, 1)
	check("race runner", "ddd", "")
	d, err := reopen(t, d, func() {})
	if err != nil {
		t.Fatal(err)
	}
	check("runner", "aaa", "aaa")
	check("runner", "bbb", "aaa")
	check("class", "ccc", "ccc")
}

func TestChanged(t *testing.T) {
	for _, what := range []string{PlanFile, EnvFile} {
		d := create(t)
		_, err := reopen(t, d, func() {
			if err := os.WriteFile(d.Path(what), []byte(`{"seed":"2"}`), 0o666); err != nil {
				t.Fatal(err)
			}
		})
		var changed *ChangedError
		if !errors.As(err, &changed) || changed.What != what || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: got %v", what, err)
		}
		if _, err := Read(d.path); !errors.As(err, &changed) {
			t.Errorf("%s: Read got %v", what, err)
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	d := create(t)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	foreign := t.TempDir()
	file := filepath.Join(foreign, "notes.txt")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{d.path, foreign} {
		if _, err := Create(path, Origin{Run: "run-2", Plan: plan, Env: env}); !errors.Is(err, ErrExists) || !strings.Contains(err.Error(), "certify resume") {
			t.Errorf("%s: got %v", path, err)
		}
	}
	if _, err := os.Stat(filepath.Join(foreign, lockFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a lock was left in a foreign directory: %v", err)
	}
	for _, path := range []string{file, filepath.Join(file, "below"), "/proc/none", ""} {
		if _, err := Create(path, Origin{Run: "run-2", Plan: plan, Env: env}); err == nil || errors.Is(err, ErrExists) {
			t.Errorf("%q: got %v", path, err)
		}
	}
}

// TestCreateFails: what is left after an error does not block the next try.
func TestCreateFails(t *testing.T) {
	path := t.TempDir()
	whole := record.Shard{}
	for _, o := range []Origin{
		{"two words", whole, plan, env}, {"", whole, plan, env}, {"run", whole, []byte("{"), env}, {"run", whole, plan, nil},
		{"run", record.Shard{Index: 5, Of: 4}, plan, env}, {"run", record.Shard{Index: -1, Of: 4}, plan, env},
	} {
		if _, err := Create(path, o); err == nil {
			t.Errorf("%+v: accepted", o)
		}
	}
	d, err := Create(path, Origin{Run: "run", Plan: plan, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
}

func TestOpenRefuses(t *testing.T) {
	path := t.TempDir()
	for _, open := range []func(string) error{
		func(p string) error { _, err := Open(p); return err },
		func(p string) error { _, err := Read(p); return err },
	} {
		if err := open(path); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "not a run") {
			t.Errorf("empty directory: got %v", err)
		}
		if err := open(filepath.Join(path, "none")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("no directory: got %v", err)
		}
	}
	if entries, err := os.ReadDir(path); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	for _, name := range []string{PlanFile, EnvFile} {
		d := create(t)
		_, err := reopen(t, d, func() { os.Remove(d.Path(name)) })
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("no %s: got %v", name, err)
		}
	}
}

func TestWriteFile(t *testing.T) {
	d := create(t)
	for _, text := range []string{"first", "second"} {
		if err := d.WriteFile("bench.txt", []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(d.Path("bench.txt")); err != nil || string(got) != text {
			t.Errorf("got %q, %v", got, err)
		}
	}
	for _, name := range []string{"", ".", "..", "a/b", "/a", ".hidden", PlanFile, ResultsFile, lockFile, LogsDir} {
		if err := d.WriteFile(name, nil); err == nil {
			t.Errorf("%q: accepted", name)
		}
	}
	temp := d.Path(".bench.txt.1" + tempSuffix)
	d, err := reopen(t, d, func() { os.WriteFile(temp, nil, 0o666) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(temp); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a temporary file is left: %v", err)
	}
	if err := os.RemoveAll(d.path); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteFile("bench.txt", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: got %v", err)
	}
}

func TestLogPath(t *testing.T) {
	d := create(t)
	defer d.Close()
	for name, want := range map[string]string{
		"build":                       "logs/build.log",
		"drill/injector=a/rep=1":      "logs/drill,injector=a,rep=1.log",
		"../../etc":                   "logs/..,..,etc.log",
		"a\x00b ü:":                   "logs/a,b,,,.log",
		strings.Repeat("k/", 300):     "logs/" + strings.Repeat("k,", 95) + "k-",
		strings.Repeat("k/", 300)[1:]: "logs/" + strings.Repeat(",k", 95) + ",-",
	} {
		rel, abs := d.LogPath(name)
		if !strings.HasPrefix(rel, want) || !fs.ValidPath(rel) {
			t.Errorf("%.20q: got %s", name, rel)
		}
		if err := os.WriteFile(abs, nil, 0o666); err != nil {
			t.Errorf("%.20q: %v", name, err)
		}
	}
}

func TestHeadIsJSONLines(t *testing.T) {
	d := create(t)
	defer d.Close()
	appendAll(t, d, 1)
	data, err := os.ReadFile(d.Path(ResultsFile))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var v map[string]any
		if err := json.Unmarshal(line, &v); err != nil || v["schema"] == nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if n := bytes.Count(data, []byte("\n")); n != 4 {
		t.Errorf("%d lines: %s", n, fmt.Sprint(string(data)))
	}
}

// TestShardKept: a directory knows which part of the plan it is.
func TestShardKept(t *testing.T) {
	for _, shard := range []record.Shard{{}, {Index: 2, Of: 4}, {Of: 4}} {
		d, err := Create(filepath.Join(t.TempDir(), "run"), Origin{Run: "run", Shard: shard, Plan: plan, Env: env})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if c, err := Read(d.path); err != nil || c.Shard != shard || d.Contents().Shard != shard {
			t.Errorf("%v: read %v, %v", shard, c.Shard, err)
		}
		edit(t, d, func(data []byte) []byte {
			line, err := record.Seal(head{Schema: headSchema, Run: "run", Shard: &record.Shard{Index: 9, Of: 4}})
			if err != nil {
				t.Fatal(err)
			}
			return append(line, data[bytes.IndexByte(data, '\n')+1:]...)
		})()
		if _, err := Read(d.path); err == nil || !strings.Contains(err.Error(), ":1:") {
			t.Errorf("shard 9 of 4: %v", err)
		}
	}
}
