package reports_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
)

func key(name string) record.Key {
	return record.Key{Drill: "exactly-once", Params: []record.Param{{Name: "deque", Value: name}}}
}

// clean is a certified record; change makes it another one.
func clean(k record.Key, rep int, change func(*record.Record)) record.Record {
	r := record.Record{
		Key: k, Rep: rep, Seed: uint64(rep), Verdict: record.Certified, Start: time.Unix(int64(rep), 0).UTC(),
		ElapsedNs: int64(rep) * 1e8, PeakB: 1 << 20, Values: []record.Value{{Unit: "steals", Value: float64(10 * rep)}},
	}
	if change != nil {
		change(&r)
	}
	return r
}

func failed(reason record.Reason) func(*record.Record) {
	return func(r *record.Record) {
		r.Verdict, r.Reason, r.Detail, r.Repeat, r.Values = reason.Verdict(), reason, "seen: "+string(reason)+"\nmore", "certify soak", nil
	}
}

// makeRun writes a run of the records and returns its directory.
func makeRun(t testing.TB, plan reports.Plan, env string, records ...record.Record) string {
	t.Helper()
	planJSON, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	d, err := rundir.Create(dir, rundir.Origin{Run: "run-1", Plan: planJSON, Env: []byte(env)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, r := range records {
		if err := d.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const env = `{"goos":"linux","cpus":2,"settings":{"GOGC":"50"}}`

func plan(reps int, names ...string) reports.Plan {
	p := reports.Plan{First: 1, Reps: reps, Seed: 7, Race: true}
	for _, n := range names {
		p.Keys = append(p.Keys, key(n))
	}
	return p
}

func TestLoad(t *testing.T) {
	a, b := key("a"), key("b")
	dir := makeRun(t, plan(2, "a", "b", "c"), env, clean(a, 2, nil), clean(a, 1, nil), clean(b, 1, failed(record.Lost)))
	r, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.ID != "run-1" || r.Verdict != record.Failed || r.Reason != record.Lost || r.Plan.Total() != 6 || len(r.Groups) != 3 {
		t.Errorf("got %+v", r)
	}
	if want := []reports.Fact{{"goos", "linux"}, {"cpus", "2"}, {"settings.GOGC", "50"}}; !reflect.DeepEqual(r.Env, want) {
		t.Errorf("facts %v, want %v", r.Env, want)
	}
	g := r.Groups[0]
	if g.Clean != 2 || !reflect.DeepEqual(g.Elapsed().Values, []float64{0.1, 0.2}) || !reflect.DeepEqual(g.Of("steals").Values, []float64{10, 20}) {
		t.Errorf("got %+v, by repetition", g)
	}
	if g := r.Groups[1]; g.Clean != 0 || len(g.Units()) != 0 || len(g.Peak().Values) != 0 {
		t.Errorf("a failed repetition was measured: %+v", g)
	}
}

func TestLoadRefuses(t *testing.T) {
	for name, dir := range map[string]string{
		"not a run":         t.TempDir(),
		"plan without keys": makeRun(t, reports.Plan{Reps: 1}, env),
		"a key not planned": makeRun(t, plan(1, "a"), env, clean(key("b"), 1, nil)),
		"a list in env":     makeRun(t, plan(1, "a"), `{"x":[1]}`),
		"a text for env":    makeRun(t, plan(1, "a"), `"x"`),
		"a name twice":      makeRun(t, plan(1, "a"), `{"x":1,"x":2}`),
	} {
		if r, err := reports.Load(dir); err == nil || !strings.HasPrefix(err.Error(), "reports: load") {
			t.Errorf("%s: got %+v, %v", name, r, err)
		}
	}
}

// sections maps the ids to the sections.
func sections(t *testing.T, dir string) map[string]reports.Section {
	t.Helper()
	r, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]reports.Section{}
	for _, s := range r.Sections() {
		all[s.ID] = s
	}
	return all
}

// What failed is grouped by meaning: failures before what is inconclusive, the
// most frequent first.
func TestFailuresAreGrouped(t *testing.T) {
	a := key("a")
	all := []record.Record{clean(a, 1, failed(record.Guard)), clean(a, 2, failed(record.Race))}
	for rep := 3; rep < 150; rep++ {
		all = append(all, clean(a, rep, failed(record.Lost)))
	}
	s := sections(t, makeRun(t, plan(200, "a"), env, all...))["failures"]
	var heads []string
	for _, b := range s.Blocks {
		if text, ok := b.(reports.Text); ok {
			heads = append(heads, strings.SplitN(string(text), ":", 2)[0])
		}
	}
	if want := "[FAILED (lost) FAILED (race) INCONCLUSIVE (guard)]"; fmt.Sprint(heads) != want {
		t.Errorf("got %v, want %s", heads, want)
	}
	table := s.Blocks[3].(*reports.Table)
	if len(table.Rows) != 100 || !strings.Contains(table.Caption, "47 more") || table.Rows[0].Cells[3].Text != "seen: lost" {
		t.Errorf("%d rows, %q, %+v", len(table.Rows), table.Caption, table.Rows[0])
	}
}

// Degenerate runs have their sections too, and every row a cell a column.
func TestDegenerateRuns(t *testing.T) {
	a := key("a")
	huge := func(r *record.Record) { r.Values = []record.Value{{Unit: "steals", Value: 1e18}} }
	for name, dir := range map[string]string{
		"empty":          makeRun(t, plan(3, "a"), env),
		"one repetition": makeRun(t, plan(1, "a"), env, clean(a, 1, nil)),
		"only a failure": makeRun(t, plan(1, "a"), env, clean(a, 1, failed(record.Crash))),
		"no peak known":  makeRun(t, plan(1, "a"), env, clean(a, 1, func(r *record.Record) { r.PeakB = 0 })),
		"all equal":      makeRun(t, plan(3, "a"), env, clean(a, 1, huge), clean(a, 2, huge), clean(a, 3, huge)),
		"close at 1e18":  makeRun(t, plan(2, "a"), env, clean(a, 1, huge), clean(a, 2, func(r *record.Record) { r.Values = []record.Value{{Unit: "steals", Value: 1e18 + 200}} })),
	} {
		all := sections(t, dir)
		if len(all["keys"].Blocks) == 0 || len(all["limits"].Blocks) == 0 || len(all["method"].Blocks) == 0 {
			t.Errorf("%s: sections %v", name, all)
		}
		for _, s := range all {
			for _, b := range s.Blocks {
				if c, ok := b.(*reports.Chart); ok {
					b = c.Table
				}
				table, ok := b.(*reports.Table)
				for _, row := range tableRows(table, ok) {
					if len(row.Cells) != len(table.Columns) {
						t.Errorf("%s: %s: row %+v has not %d cells", name, table.Caption, row, len(table.Columns))
					}
				}
			}
		}
	}
}

func tableRows(t *reports.Table, ok bool) []reports.Row {
	if !ok {
		return nil
	}
	return t.Rows
}
