package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/campaign"
)

var update = flag.Bool("update", false, "write the golden files")

func examplePlan() campaign.Plan {
	return campaign.Plan{
		Schema: campaign.PlanSchema, First: 1, Reps: 3, Seed: 42, Race: true, Stall: time.Minute,
		Cells: []campaign.Cell{{
			Drill: soak.ExactlyOnce, Workers: 2, Tasks: 1_000_000, Batch: 4096,
			Subject: soak.SubjectName{Kind: soak.WorkStealingName, Injector: "msqueue", Deque: "chaselev"},
		}},
	}
}

func clean(p campaign.Plan, rep int) record.Record {
	return record.Record{
		Key: p.Key(p.Cells[0]), Rep: rep, Seed: uint64(rep), Verdict: record.Certified,
		ElapsedNs: int64(rep) * 1e9, PeakB: int64(rep) << 24,
		Values: []record.Value{{Unit: "lost", Value: 0}, {Unit: "steals", Value: float64(1000 * rep)}, {Unit: "parks", Value: 7}},
	}
}

func bad(p campaign.Plan, rep int, reason record.Reason, detail string) record.Record {
	r := clean(p, rep)
	r.Verdict, r.Reason, r.Detail, r.Values = reason.Verdict(), reason, detail, nil
	r.Log, r.Repeat = "logs/rep=2.log", "certify soak --rep 2"
	return r
}

func canaryNamed(name string) campaign.Canary {
	all := campaign.Canaries(2)
	return all[slices.IndexFunc(all, func(c campaign.Canary) bool { return c.Subject.Name == name })]
}

// summaryOf is of a run with the plan and the records, called name.
func summaryOf(t *testing.T, name string, p campaign.Plan, shard record.Shard, records ...record.Record) summary {
	t.Helper()
	plan, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run")
	d, err := rundir.Create(path, rundir.Origin{Run: "run", Shard: shard, Plan: plan, Env: []byte("{}")})
	for _, r := range records {
		if err == nil {
			err = d.Append(r)
		}
	}
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	run, err := reports.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = p.Part(shard); err != nil {
		t.Fatal(err)
	}
	s := summarize(run, groupsOf(run, p))
	s.Dir = name
	return s
}

// TestSummary holds the text of results against golden files.
func TestSummary(t *testing.T) {
	p := examplePlan()
	plain := p
	plain.Race = false
	many := p
	many.Reps = 8
	var growing []record.Record
	for rep := 1; rep <= many.Reps; rep++ {
		r := clean(many, rep)
		r.Values = append(r.Values, record.Value{Unit: "left-B", Value: float64(rep) * 1e6})
		growing = append(growing, r)
	}
	known := p
	known.CanaryReps = 1
	for _, name := range []string{"crew", "lost-wake", "double-poll"} { // a control, and two that must be caught
		known.Canaries = append(known.Canaries, canaryNamed(name))
	}
	caught := func(i int, reason record.Reason) record.Record {
		return record.Record{Key: known.Key(known.Canaries[i].Cell), Rep: 1, Verdict: reason.Verdict(), Reason: reason}
	}
	two := p
	two.Cells = append(two.Cells, p.Cells[0])
	two.Cells[1].Workers = 3
	whole, part, merged := record.Shard{}, record.Shard{Index: 1, Of: 2}, record.Shard{Of: 2}
	for name, s := range map[string]summary{
		"certified": summaryOf(t, "run", p, whole, clean(p, 1), clean(p, 2), clean(p, 3)),
		"plain":     summaryOf(t, "run", plain, whole, clean(plain, 1), clean(plain, 2), clean(plain, 3)),
		"lost":      summaryOf(t, "testdata/run", p, whole, clean(p, 1), bad(p, 2, record.Lost, "lost: 2 of 1000000\nlost: first 7")),
		"nothing":   summaryOf(t, "run", p, whole, bad(p, 1, record.Crash, "killed by signal 9 (killed)")),
		"guard":     summaryOf(t, "run", p, whole, clean(p, 1), bad(p, 2, record.Guard, "guard: the host has 1 B left")),
		"samples":   summaryOf(t, "run", p, whole, clean(p, 1)),
		"canaries":  summaryOf(t, "run", known, whole, caught(0, ""), caught(1, record.Stall), caught(2, record.Duplicated), clean(p, 1), clean(p, 2), clean(p, 3)),
		"canary":    summaryOf(t, "run", known, whole, caught(0, record.Crash), caught(1, "")),
		"memory":    summaryOf(t, "run", many, whole, growing...),
		"shard":     summaryOf(t, "run", two, part, clean(p, 1), clean(p, 2), clean(p, 3)),
		"shard-bad": summaryOf(t, "run", two, part, clean(p, 1), bad(p, 2, record.Lost, "lost: 2 of 1000000")),
		"missing":   summaryOf(t, "run", two, merged, clean(p, 1), clean(p, 2), clean(p, 3)),
	} {
		var got bytes.Buffer
		s.print(&got, record.Verdict.String)
		golden := filepath.Join("testdata", "summary", name+".txt")
		if *update {
			if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, &got, want)
		}
		if got, err := json.Marshal(s); err != nil || !json.Valid(got) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestQuote: a path is one word in the command that is printed.
func TestQuote(t *testing.T) {
	for path, want := range map[string]string{
		"certify-runs/20060102-150405": "certify-runs/20060102-150405",
		`C:\runs\a`:                    `C:\runs\a`,
		"with space":                   "'with space'",
		"it's":                         `'it'\''s'`,
		"$HOME":                        "'$HOME'",
		"größe":                        "größe",
	} {
		if got := quote(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
