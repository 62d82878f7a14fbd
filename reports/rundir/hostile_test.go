package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports/record"
)

// hostile makes a run directory of these lines behind a head, each of which is
// sealed well.
func hostile(t testing.TB, lines ...any) string {
	t.Helper()
	dir := t.TempDir()
	plan, env := []byte(`{"reps":3}`), []byte(`{}`)
	all := []any{head{Schema: headSchema, Run: "run-1"}, pin{pinSchema, PlanFile, digest(plan)}, pin{pinSchema, EnvFile, digest(env)}}
	if len(lines) > 0 {
		if raw, ok := lines[0].(json.RawMessage); ok && bytes.Contains(raw, []byte(headSchema)) {
			all, lines = append([]any{lines[0]}, all[1:]...), lines[1:]
		}
	}
	var results bytes.Buffer
	for _, v := range append(all, lines...) {
		line, err := record.Seal(v)
		if err != nil {
			t.Fatal(err)
		}
		results.Write(line)
	}
	for name, data := range map[string][]byte{PlanFile: plan, EnvFile: env, ResultsFile: results.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

// TestHostileLines: each line has a good checksum, and is refused.
func TestHostileLines(t *testing.T) {
	if c, err := Read(hostile(t, pin{pinSchema, "runner", "00"})); err != nil || c.Run != "run-1" || c.Pins["runner"] != "00" {
		t.Fatalf("without anything strange: %+v, %v", c, err)
	}
	for what, lines := range map[string][]any{
		"a head with a name twice": {raw(`{"schema":"certify/results/1","run":"a","run":"b"}`)},
		"a head with more":         {raw(`{"schema":"certify/results/1","run":"a","more":1}`)},
		"a head in another case":   {raw(`{"Schema":"certify/results/1","run":"a"}`)},
		"a head's shard twice":     {raw(`{"schema":"certify/results/1","run":"a","shard":{"index":1,"of":2,"index":2}}`)},
		"a run with a control":     {raw(`{"schema":"certify/results/1","run":"\u001b[2J"}`)},
		"a run that is no word":    {raw(`{"schema":"certify/results/1","run":"a b"}`)},
		"no run":                   {raw(`{"schema":"certify/results/1","run":""}`)},
		"a pin twice":              {pin{pinSchema, "runner", "00"}, pin{pinSchema, "runner", "01"}},
		"the plan's pin twice":     {pin{pinSchema, PlanFile, "00"}},
		"a pin's name twice":       {raw(`{"schema":"certify/pin/1","what":"runner","sha256":"00","sha256":"01"}`)},
		"a pin in another case":    {raw(`{"schema":"certify/pin/1","What":"runner","sha256":"00"}`)},
		"a pin with more":          {raw(`{"schema":"certify/pin/1","what":"runner","sha256":"00","x":1}`)},
		"a pin with a control":     {pin{pinSchema, "run\x1b[2Jner", "00"}},
		"a pin of two lines":       {pin{pinSchema, "runner", "00\nHOLDS"}},
		"a pin that is huge":       {pin{pinSchema, strings.Repeat("x", 1<<20), "00"}},
		"a pin turned around":      {pin{pinSchema, "\u202erenur", "00"}},
		"a pin of nothing":         {pin{pinSchema, "", "00"}},
		"another kind of line":     {raw(`{"schema":"certify/other/1","what":"x"}`)},
		"deep":                     {raw(`{"schema":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`)},
	} {
		if c, err := Read(hostile(t, lines...)); err == nil {
			t.Errorf("%s: taken: %+v", what, c)
		} else if strings.ContainsAny(err.Error(), "\x1b\n\u202e") || len(err.Error()) > 1000 {
			t.Errorf("%s: the error says it raw: %q", what, err)
		}
	}
}

func written(log string) record.Record {
	return record.Record{
		Schema: record.Schema, Run: "run-1", Seq: 1, Key: record.Key{Drill: "exactly-once"}, Rep: 1, Verdict: record.Certified,
		Log: log, Start: time.Unix(1, 0).UTC(),
	}
}

// TestHostileLogs: a record names a log, and no other file, in whatever way.
func TestHostileLogs(t *testing.T) {
	if _, err := Read(hostile(t, written("logs/a.log"))); err != nil {
		t.Fatal(err)
	}
	for _, log := range []string{
		"results.jsonl", "plan.json", "lock", "runner.bin", "logs", "logs/a/b", "logs/.x", "logs/a b", "logs/\u202ex", "LOGS/a", "other/a", "logs/a$b", "logs/a~b", "logs/" + strings.Repeat("x", 300),
	} {
		if _, err := Read(hostile(t, written(log))); !errors.Is(err, ErrNotLog) {
			t.Errorf("%q: %v", log, err)
		}
		d, err := Create(filepath.Join(t.TempDir(), "run"), Origin{Run: "run-1", Plan: []byte(`{}`), Env: []byte(`{}`)})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Append(written(log)); !errors.Is(err, ErrNotLog) {
			t.Errorf("%q: append: %v", log, err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReadLog: only files of their own are read.
func TestReadLog(t *testing.T) {
	dir := hostile(t)
	logs := filepath.Join(dir, LogsDir)
	secret := filepath.Join(t.TempDir(), "secret")
	for _, err := range []error{
		os.Mkdir(logs, 0o700), os.WriteFile(secret, []byte("secret"), 0o600), os.WriteFile(filepath.Join(logs, "good.log"), []byte("good"), 0o600),
		os.Mkdir(filepath.Join(logs, "dir.log"), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(secret, filepath.Join(logs, "link.log")); err != nil {
		t.Skip("no links here: ", err)
	}
	if data, err := ReadLog(dir, "logs/good.log"); err != nil || string(data) != "good" {
		t.Errorf("got %q, %v", data, err)
	}
	if _, err := ReadLog(dir, "logs/none.log"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
	for _, log := range []string{"logs/link.log", "logs/dir.log", "plan.json", "../secret", secret, "logs/../plan.json", ""} {
		if data, err := ReadLog(dir, log); !errors.Is(err, ErrNotLog) {
			t.Errorf("%q: got %q, %v", log, data, err)
		}
	}
}

// FuzzResults: what is read from lines that are sealed well can be sealed again to
// the same bytes, and says nothing that a terminal would obey.
func FuzzResults(f *testing.F) {
	f.Add([]byte(`{"schema":"certify/results/1","run":"run-1"}`), []byte(`{"schema":"certify/pin/1","what":"plan.json","sha256":"00"}`))
	f.Add([]byte(`{"schema":"certify/results/1","run":"run-1","shard":{"index":1,"of":2}}`), []byte(`{"schema":"certify/pin/1","what":"x","sha256":"00","what":"y"}`))
	f.Add([]byte(`{"schema":"certify/results/1","run":"a b"}`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var data []byte
		for _, object := range [][]byte{first, second} {
			line, err := record.Seal(json.RawMessage(object))
			if err != nil {
				return
			}
			data = append(data, line...)
		}
		c := Contents{Pins: map[string]string{}}
		if c.parse("results.jsonl", data) != nil || c.TornB > 0 {
			return
		}
		again := head{Schema: headSchema, Run: c.Run}
		if c.Shard != (record.Shard{}) {
			again.Shard = &c.Shard
		}
		all, err := record.Seal(again)
		if err != nil {
			t.Fatal(err)
		}
		for what, sum := range c.Pins {
			line, err := record.Seal(pin{pinSchema, what, sum})
			if err != nil || strings.ContainsAny(what+sum, "\x1b\n\r\x00") {
				t.Fatalf("pin %q: %q: %v", what, sum, err)
			}
			all = append(all, line...)
		}
		for _, r := range c.Records {
			line, err := record.Encode(r)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, line...)
		}
		if !bytes.Equal(all, data) {
			t.Errorf("%q was read as %q", data, all)
		}
	})
}
