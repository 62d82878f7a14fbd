package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/exactlyonce/certify/hardening/recorded"
)

// standInBench has a stand-in for certify, whose repetitions take milliseconds.
func standInBench(t *testing.T, fault string, seed uint64) *bench {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	return &bench{
		options: options{kills: 8, seed: seed}, random: rand.New(rand.NewPCG(seed, 1)), stdout: io.Discard,
		certify: path, root: work, work: work, env: []string{standInEnv + "=" + fault, "GORACE=atexit_sleep_ms=0"},
		plan: []string{"soak", "--reps", "20"}, within: 120 * time.Millisecond, patience: time.Minute, dying: 10 * time.Second,
		signals: []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT},
	}
}

// A campaign of kills passes a certify that is right and finds each that is not.
func TestKillsStandIns(t *testing.T) {
	seed := uint64(time.Now().UnixNano()) | 1
	for fault, says := range map[string]string{
		"none":         "",
		"doubles":      "is recorded twice",
		"skips":        "and it is said to be done",
		"forgets":      "lost or changed",
		"accuses":      "0 were killed alone",
		"leaves":       "processes are left",
		"says nothing": `nothing says "interrupted"`,
		"miscodes":     `exit code 1 with the verdict "CERTIFIED"`,
		"hangs":        "it does not end",
	} {
		t.Run(fault, func(t *testing.T) {
			if testing.Short() && fault != "none" && fault != "doubles" && fault != "skips" {
				t.Skip("kills it for some seconds, which three others show already")
			}
			t.Parallel()
			b := standInBench(t, fault, seed)
			switch fault {
			case "leaves":
				b.kills, b.dying = 3, 50*time.Millisecond
			case "hangs":
				b.kills, b.patience = 1, 3*time.Second
			case "says nothing":
				b.signals = b.signals[1:]
			}
			var o outcome
			kills(b, &o)
			notes := strings.Join(o.Notes, "\n")
			if o.ok() != (says == "") || !strings.Contains(notes, says) || o.Tried == 0 {
				t.Errorf("seed %d: %d tried, %d survived, want a note of %q:\n%.2000s", seed, o.Tried, o.Survived, says, notes)
			}
		})
	}
}

// What is wrong with rows is found without a process, too.
func TestLedger(t *testing.T) {
	key := []string{"a", "b"}
	plan := planned{Keys: key, First: 2, Reps: 2, CanaryKeys: []string{"c"}, CanaryReps: 1}
	all := []row{{Seq: 1, Key: "c", Rep: 1}, {Seq: 2, Key: "a", Rep: 2}, {Seq: 3, Key: "b", Rep: 2}, {Seq: 4, Key: "a", Rep: 3}, {Seq: 5, Key: "b", Rep: 3}}
	change := func(i int, r row) []row {
		rows := append([]row(nil), all...)
		rows[i] = r
		return rows
	}
	for name, c := range map[string]struct {
		rows []row
		says string
	}{
		"right":    {all, ""},
		"missing":  {all[:4], "4 of 5"},
		"twice":    {change(4, row{Seq: 5, Key: "b", Rep: 2}), "recorded twice"},
		"gap":      {change(4, row{Seq: 6, Key: "b", Rep: 3}), "has the number 6"},
		"too many": {append(change(0, all[0]), row{Seq: 6, Key: "a", Rep: 4}), "not in the plan"},
		"unknown":  {change(4, row{Seq: 5, Key: "d", Rep: 3}), "not in the plan"},
	} {
		got := strings.Join(ledger{plan: plan, rows: c.rows}.problems(true), "; ")
		if (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: %q, want %q", name, got, c.says)
		}
	}
	if bad := (ledger{plan: plan, rows: all[:4]}).problems(false); len(bad) > 0 {
		t.Errorf("a run that is not done: %q", bad)
	}
}

// A reader that counts what is torn, or opens what has no origin, is found.
func TestReads(t *testing.T) {
	const origin = "{}\n{}\n{}\n"
	const rows = origin + recordSchema + "\n" + recordSchema
	right := func(dir string) (int, int64, error) {
		name := filepath.Join(dir, "results.jsonl")
		data, err := os.ReadFile(name)
		whole := data[:bytes.LastIndexByte(data, '\n')+1]
		if bytes.Count(whole, []byte("\n")) < 3 {
			return 0, 0, errors.New("no origin")
		}
		err = errors.Join(err, os.WriteFile(name, whole, 0o644))
		return strings.Count(string(whole), recordSchema), int64(len(data) - len(whole)), err
	}
	for name, read := range map[string]reader{
		"right":   right,
		"counts":  func(dir string) (int, int64, error) { n, torn, err := right(dir); return n + 1, torn, err },
		"opens":   func(dir string) (int, int64, error) { n, torn, _ := right(dir); return n, torn, nil },
		"refuses": func(string) (int, int64, error) { return 0, 0, errors.New("damaged") },
		"keeps": func(dir string) (int, int64, error) {
			data, err := os.ReadFile(filepath.Join(dir, "results.jsonl"))
			n, torn, readErr := right(dir)
			return n, torn, errors.Join(err, readErr, os.WriteFile(filepath.Join(dir, "results.jsonl"), data, 0o644))
		},
	} {
		dir, bad := t.TempDir(), 0
		for cut := range len(rows) {
			bad += len(reads(dir, []byte(rows[:cut]), read))
		}
		if (bad == 0) != (name == "right") {
			t.Errorf("%s: %d problems", name, bad)
		}
	}
}

// The whole campaign, tiny, on the real command.
func TestSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("builds certify and its runner, and kills them for some seconds")
	}
	var out bytes.Buffer
	o := options{kills: 3, seed: 7}
	b, err := newBench(context.Background(), o, &out)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	b.samples, b.ends, b.step, b.within, b.plan[len(b.plan)-1] = 1, 1, 41, 300*time.Millisecond, "3"
	for _, f := range faults() {
		if f.name != "kills" && f.name != "truncate" {
			continue
		}
		b.random = rand.New(rand.NewPCG(o.seed, 1))
		result := outcome{Name: f.name}
		f.run(b, &result)
		if !result.ok() || result.Tried < 3 {
			t.Errorf("%s", result.line())
		}
	}
}

// The command line, and the record.
func TestRecord(t *testing.T) {
	for _, args := range [][]string{{"-only", "nothing"}, {"-kills", "0"}, {"more"}, {"-what"}} {
		if code := run(args, io.Discard, io.Discard); code != 2 {
			t.Errorf("%q: exit code %d, want 2", args, code)
		}
	}
	r := &report{Head: recorded.Now(t.Context()), Seed: 7}
	o := outcome{Name: "a"}
	o.trial("fine", nil)
	r.Faults = append(r.Faults, o)
	if !r.survived() {
		t.Error("not survived without a problem")
	}
	o.trial("not fine", nil)
	o.lost("not fine", []string{"a row is lost"})
	r.Faults[0] = o
	if o.Tried != 2 || o.Survived != 1 || r.survived() {
		t.Errorf("got %+v, want one of two survived", o)
	}
	path := filepath.Join(t.TempDir(), "record", "faults.json")
	if err := recorded.Write(path, r); err != nil {
		t.Fatal(err)
	}
	var back map[string]any
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &back)
	}
	if err != nil || back["machine"] == "" || back["go"] == "" || back["commit"] == "" || back["seed"] != "7" || back["date"] == "" {
		t.Errorf("the record is %s, %v", data, err)
	}
	var table bytes.Buffer
	r.table(&table)
	if !strings.Contains(table.String(), "NOT ALL WERE SURVIVED") {
		t.Errorf("the table is\n%s", &table)
	}
}
