package campaign

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
	"github.com/exactlyonce/certify/soak"
	"github.com/exactlyonce/certify/soak/child"
)

// The test binary plays the runner when roleEnv is set.
const roleEnv = "CAMPAIGN_TEST_ROLE"

var roles = map[string]func(soak.Job){
	"clean":   clean,
	"lost":    func(j soak.Job) { report(j, `{"Verdict":"FAILED","Reason":"lost","Detail":"lost: 1"}`); os.Exit(1) },
	"torn":    func(j soak.Job) { report(j, `{"Verdict":"CERTI`) },
	"silent":  func(soak.Job) {},
	"two":     func(soak.Job) { os.Exit(2) },
	"four":    func(soak.Job) { fmt.Println("not our words"); os.Exit(4) },
	"refuses": func(soak.Job) { fmt.Println("soak: make nothing: no"); os.Exit(4) },
	"hangs":   func(soak.Job) { select {} },
	"prints": func(soak.Job) {
		for {
			_, _ = os.Stdout.Write(bytes.Repeat([]byte("the subject prints\n"), 1<<15))
		}
	},
	"printed": func(j soak.Job) {
		_, _ = os.Stdout.Write(bytes.Repeat([]byte("x"), maxLogB+1))
		clean(j)
	},
}

func clean(j soak.Job) { report(j, `{"Verdict":"CERTIFIED","Values":[{"unit":"lost","value":0}]}`) }

func report(j soak.Job, result string) {
	if err := os.WriteFile(j.Result, []byte(result), 0o644); err != nil {
		panic(err)
	}
}

func TestMain(m *testing.M) {
	name := os.Getenv(roleEnv)
	if name == "" {
		os.Exit(m.Run())
	}
	if strings.HasPrefix(name, "explorer") && strings.HasPrefix(os.Args[1], "-") {
		playExplorer(name)
	}
	child.WatchParent()
	var job soak.Job
	if err := json.Unmarshal([]byte(os.Args[1]), &job); err != nil {
		panic(err)
	}
	roles[name](job)
	os.Exit(0)
}

// observer writes down what it is told.
type observer struct {
	began, ended []string
	atBegin      func(n int)
}

func (o *observer) Begin(n, total int, key record.Key, rep int) {
	o.began = append(o.began, fmt.Sprintf("%d/%d %s rep %d", n, total, key.Params[1], rep))
	if o.atBegin != nil {
		o.atBegin(n)
	}
}

func (o *observer) End(n, total int, r record.Record) {
	o.ended = append(o.ended, fmt.Sprintf("%d/%d %s rep %d", n, total, r.Key.Params[1], r.Rep))
}

// setUp makes a campaign whose repetitions all play one role.
func setUp(t *testing.T, role string, p Plan) (*Campaign, *observer) {
	t.Helper()
	t.Setenv(roleEnv, role)
	data, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := rundir.Create(filepath.Join(t.TempDir(), "run"), rundir.Origin{Run: "test", Plan: data, Env: []byte("{}\n")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	o := &observer{}
	return &Campaign{Plan: p, Dir: dir, Runner: os.Args[0], Observer: o}, o
}

func reasons(records []record.Record) (all []record.Reason) {
	for _, r := range records {
		all = append(all, r.Reason)
	}
	return all
}

// TestOrder: repetition by repetition over all cells, so that a campaign that
// ends early has seen each.
func TestOrder(t *testing.T) {
	p := plan(2, goroutines(2, 9), goroutines(3, 9))
	p.First = 5
	c, o := setUp(t, "clean", p)
	records, err := c.Run(t.Context())
	want := []string{"1/4 {workers 2} rep 5", "2/4 {workers 3} rep 5", "3/4 {workers 2} rep 6", "4/4 {workers 3} rep 6"}
	if err != nil || !slices.Equal(o.began, want) || !slices.Equal(o.ended, want) || len(records) != 4 {
		t.Fatalf("began %q, ended %q, want %q, %v", o.began, o.ended, want, err)
	}
	for _, r := range records {
		if r.Verdict != record.Certified || r.Log != "" || r.Seed != seed(p.Seed, r.Key, r.Rep) || len(r.Values) != 1 {
			t.Errorf("got %+v", r)
		}
	}
	if logs, _ := os.ReadDir(c.Dir.Path("logs")); len(logs) > 0 {
		t.Errorf("clean and silent repetitions left logs: %v", logs)
	}
}

// TestCanariesFirst: they come before everything else, and what comes after them
// does only if each was caught and each control survived.
func TestCanariesFirst(t *testing.T) {
	canary := func(name string, killers ...record.Reason) Canary {
		return Canary{Cell: canaryCell(name, soak.ExactlyOnce, 9, 2), Killers: killers, Fault: "is bad"}
	}
	for _, row := range []struct {
		name, role string
		canaries   []Canary
		keepGoing  bool
		records    int
	}{
		{"control survives", "clean", []Canary{canary("good")}, false, 4},
		{"control dies", "lost", []Canary{canary("good")}, false, 2},
		{"not caught", "clean", []Canary{canary("bad", record.Lost)}, false, 2},
		{"not caught, but going on", "clean", []Canary{canary("bad", record.Lost)}, true, 4},
		{"by another law", "lost", []Canary{canary("bad", record.Stall)}, false, 2},
		// Caught, and the subject fails in its first repetition, as all do in this role.
		{"caught", "lost", []Canary{canary("bad", record.Lost)}, false, 3},
	} {
		p := plan(2, goroutines(2, 9))
		p.Canaries, p.CanaryReps, p.KeepGoing = row.canaries, 2, row.keepGoing
		c, _ := setUp(t, row.role, p)
		records, err := c.Run(t.Context())
		if err != nil || len(records) != row.records {
			t.Errorf("%s: %d records, want %d, %v", row.name, len(records), row.records, err)
		}
		for i, r := range records {
			if (r.Key.Canary() != "") != (i < 2) {
				t.Errorf("%s: record %d is of %s", row.name, i+1, r.Key)
			}
		}
		if !p.Finished(records) {
			t.Errorf("%s: not finished with %d records", row.name, len(records))
		}
	}
}

// TestCanariesAreInThePlan: with their keys, for readers that know no plans, and
// dealt out to shards.
func TestCanariesAreInThePlan(t *testing.T) {
	p := sharded()
	p.Canaries, p.CanaryReps = Canaries(2), 1
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	data, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodePlan(data)
	if err != nil || !slices.EqualFunc(back.Canaries, p.Canaries, func(a, b Canary) bool { return a.Cell == b.Cell && slices.Equal(a.Killers, b.Killers) }) {
		t.Errorf("read back %+v, %v", back.Canaries, err)
	}
	seen := 0
	for i := 1; i <= 4; i++ {
		part, err := p.Part(record.Shard{Index: i, Of: 4})
		if err != nil {
			t.Fatal(err)
		}
		seen += len(part.Canaries)
	}
	if seen != len(p.Canaries) || strings.Count(string(data), "\"canary\"") < seen {
		t.Errorf("%d of %d canaries in the parts; %s", seen, len(p.Canaries), data[:200])
	}
}

// TestRoles: what a repetition can do, and what it comes to.
func TestRoles(t *testing.T) {
	for role, want := range map[string]record.Reason{
		"clean": "", "lost": record.Lost, "torn": record.Crash, "silent": record.Crash, "two": record.Crash,
		"four": record.Crash, "printed": record.Contract, "prints": record.Contract,
	} {
		c, _ := setUp(t, role, plan(2, goroutines(2, 9)))
		records, err := c.Run(t.Context())
		if err != nil || len(records) == 0 || records[0].Reason != want {
			t.Errorf("%s: got %v, %v, want %q", role, reasons(records), err, want)
			continue
		}
		if want == "" {
			continue
		}
		if len(records) != 1 {
			t.Errorf("%s: %d repetitions, a failure ends it", role, len(records))
		}
		info, err := os.Stat(c.Dir.Path(records[0].Log))
		if err != nil || info.Size() > maxLogB {
			t.Errorf("%s: log %q: %v, %v", role, records[0].Log, info, err)
		}
	}
}

func TestKeepGoing(t *testing.T) {
	p := plan(3, goroutines(2, 9))
	p.KeepGoing = true
	c, _ := setUp(t, "lost", p)
	records, err := c.Run(t.Context())
	if err != nil || len(records) != 3 {
		t.Errorf("got %v, %v", reasons(records), err)
	}
}

// TestNotBegun: the runner's own words are no verdict on the subject.
func TestNotBegun(t *testing.T) {
	c, _ := setUp(t, "refuses", plan(2, goroutines(2, 9)))
	records, err := c.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "soak: make nothing: no") || len(records) != 0 {
		t.Errorf("got %v, %v", records, err)
	}
	c.Runner = filepath.Join(t.TempDir(), "nothing")
	if records, err := c.Run(t.Context()); !errors.Is(err, os.ErrNotExist) || len(records) != 0 {
		t.Errorf("without a runner: got %v, %v", records, err)
	}
}

// TestStaleResult: what a killed repetition left is not the next one's.
func TestStaleResult(t *testing.T) {
	c, _ := setUp(t, "silent", plan(1, goroutines(2, 9)))
	stale := []string{resultFile, "." + resultFile + ".123"}
	for _, name := range stale {
		report(soak.Job{Result: c.Dir.Path(name)}, `{"Verdict":"CERTIFIED"}`)
	}
	records, err := c.Run(t.Context())
	if err != nil || len(records) != 1 || records[0].Reason != record.Crash {
		t.Errorf("got %v, %v", reasons(records), err)
	}
	for _, name := range stale {
		if _, err := os.Stat(c.Dir.Path(name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}

// TestInterrupted: a repetition that was interrupted leaves no trace, and is
// the next one of a campaign that goes on.
func TestInterrupted(t *testing.T) {
	for _, role := range []string{"hangs", "clean"} {
		c, o := setUp(t, "clean", plan(3, goroutines(2, 9)))
		ctx, cancel := context.WithCancel(t.Context())
		o.atBegin = func(n int) {
			if n != 2 {
				return
			}
			t.Setenv(roleEnv, role)
			if role == "clean" {
				cancel() // before it starts
			} else {
				go func() { // while it runs
					for _, err := os.Stat(c.log(2)); err != nil; _, err = os.Stat(c.log(2)) {
					}
					cancel()
				}()
			}
		}
		records, err := c.Run(ctx)
		if !errors.Is(err, ErrInterrupted) || len(records) != 1 {
			t.Errorf("%s: got %v, %v", role, records, err)
		}
		if _, err := os.Stat(c.log(2)); err == nil {
			t.Errorf("%s: its log is left", role)
		}
		cancel()
		o.atBegin, o.began = nil, nil
		t.Setenv(roleEnv, "clean")
		records, err = c.Run(t.Context())
		if want := []string{"2/3 {workers 2} rep 2", "3/3 {workers 2} rep 3"}; err != nil || len(records) != 3 || !slices.Equal(o.began, want) {
			t.Errorf("%s: went on with %q, %d records, %v", role, o.began, len(records), err)
		}
		o.began = nil
		if records, err = c.Run(t.Context()); err != nil || len(records) != 3 || o.began != nil {
			t.Errorf("%s: finished, and began %q, %v", role, o.began, err)
		}
	}
}

// log is the path of a repetition's log.
func (c *Campaign) log(rep int) string {
	_, path := c.Dir.LogPath(fmt.Sprintf("%s/rep=%d", c.Plan.Key(c.Plan.Cells[0]), rep))
	return path
}
