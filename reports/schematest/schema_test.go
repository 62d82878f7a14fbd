// Package schematest holds report.json against its published schema with a
// validator of others.
//
//	cd reports/schematest && go test ./...
//
// It is a module of its own, so that nobody else needs that validator.
package schematest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/compare"
	"github.com/exactlyonce/certify/reports/document"
	"github.com/exactlyonce/certify/reports/measured"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	file, err := os.Open("../../docs/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	id := text.(map[string]any)["$id"].(string)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(id, text); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(id) // against the schema of schemas too
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func key(deque string, workers int) record.Key {
	return record.Key{Drill: "exactly-once", Params: []record.Param{
		{Name: "injector", Value: "mutex"}, {Name: "deque", Value: deque}, {Name: "workers", Value: fmt.Sprint(workers)}, {Name: "tasks", Value: "1000"},
	}}
}

func clean(k record.Key, rep int) record.Record {
	return record.Record{
		Key: k, Rep: rep, Seed: 1<<63 + uint64(rep), Verdict: record.Certified, Start: time.Unix(int64(rep), 0).UTC(), ElapsedNs: 1e9 + int64(rep)*1e6, PeakB: 1 << 24,
		Values: []record.Value{{Unit: "left-B", Value: float64(1000 * (rep % 3))}, {Unit: "task-ns", Value: 100 + float64(rep%5)}, {Unit: "growth-B/task", Value: 0.5}},
	}
}

// load writes a run of reps repetitions of each key, changed by change, and reads
// it.
func load(t *testing.T, reps, done int, change func(*record.Record), keys ...record.Key) *reports.Run {
	t.Helper()
	plan, err := json.Marshal(reports.Plan{Keys: keys, First: 1, Reps: reps, Seed: math.MaxUint64, Race: true})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	d, err := rundir.Create(dir, rundir.Origin{Run: "run-1", Plan: plan, Env: []byte(`{"goos":"linux","cpus":2,"settings":{"GOGC":"50"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for rep := 1; rep <= done; rep++ {
		for _, k := range keys {
			r := clean(k, rep)
			change(&r)
			if err := d.Append(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	r, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// runs are those whose reports are validated: each kind of verdict, and what is
// degenerate.
func runs(t *testing.T) map[string]*reports.Run {
	same := func(*record.Record) {}
	pair := []record.Key{key("mutex", 1), key("mutex", 2), key("chaselev", 1), key("chaselev", 2)}
	merged, part := load(t, 2, 1, same, pair...), load(t, 2, 1, same, pair...)
	merged.Shard, part.Shard = record.Shard{Of: 3}, record.Shard{Index: 2, Of: 3}
	return map[string]*reports.Run{
		"merged": merged, "part": part, "canaries": canaries(t, pair[0]),
		"clean":          load(t, 12, 12, same, pair...),
		"empty":          load(t, 12, 0, same, pair...),
		"one repetition": load(t, 1, 1, same, pair[0]),
		"grows":          load(t, 40, 40, func(r *record.Record) { r.Values[0].Value += float64(r.Rep) * (1 << 20) }, pair[0]),
		"all equal": load(t, 9, 9, func(r *record.Record) {
			r.ElapsedNs, r.PeakB, r.Values[0].Value, r.Values[1].Value = 1e9, 1<<60, 1e18, 1
		}, pair[0]),
		"failed": load(t, 9, 7, func(r *record.Record) {
			if r.Rep%3 == 0 {
				r.Verdict, r.Reason, r.Detail, r.Repeat, r.Values = record.Failed, record.Lost, "task 7 never ran\n<script>", "certify soak", nil
			}
		}, pair...),
		"guard": load(t, 2, 1, func(r *record.Record) { r.Verdict, r.Reason, r.Values = record.Inconclusive, record.Guard, nil }, pair[0]),
	}
}

// canaries has a known-bad subject that was caught, one that was not, and a control.
func canaries(t *testing.T, k record.Key) *reports.Run {
	r := load(t, 1, 1, func(*record.Record) {}, k)
	name := func(name string) reports.Group {
		return reports.Group{Key: record.Key{Drill: "panic", Params: []record.Param{{Name: record.CanaryParam, Value: name}}}, Planned: 1, Records: r.Records}
	}
	bad := reports.PlannedCanary{Killers: []record.Reason{record.Stall}, Fault: "is bad"}
	r.Canaries = []reports.Canary{{Group: name("caught"), PlannedCanary: bad, Caught: 1}, {Group: name("lives"), PlannedCanary: bad}, {Group: name("good")}}
	return r
}

const benchmarks = "BenchmarkPair/queue=%[1]s/p=1-2 1 %[2]d ns/op 100 p50-ns 200 p99-ns\nBenchmarkPair/queue=%[1]s/p=2-2 1 %[2]d ns/op 100 p50-ns 0 p99-ns\n"

func more(t *testing.T) []reports.Section {
	t.Helper()
	text := strings.Repeat(fmt.Sprintf(benchmarks, "mutex", 100)+fmt.Sprintf(benchmarks, "msqueue", 50), 6)
	now, err := compare.Read("now", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	before, err := compare.Read("before", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	all, err := measured.Sections(measured.Input{Benchmarks: []*compare.Set{now}, Before: []*compare.Set{before}})
	if err != nil || len(all) != 5 {
		t.Fatalf("%d sections, %v", len(all), err)
	}
	return all
}

func written(t *testing.T, r *reports.Run, more ...reports.Section) any {
	t.Helper()
	var b bytes.Buffer
	if err := document.Write(&b, r, more...); err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Whatever the run, its document is valid.
func TestReportsAreValid(t *testing.T) {
	s := compiled(t)
	for name, r := range runs(t) {
		for _, sections := range [][]reports.Section{nil, more(t)} {
			if err := s.Validate(written(t, r, sections...)); err != nil {
				t.Errorf("%s, %d sections more: %v", name, len(sections), err)
			}
		}
	}
}

// spoilt calls f with v spoilt in each place once: a field less, a field more, and
// a value of another type.
func spoilt(v any, path string, f func(path string)) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			was := v[name]
			delete(v, name)
			f(path + "." + name + " is missing")
			v[name] = mistyped(was)
			f(path + "." + name + " is of another type")
			v[name] = was
			spoilt(was, path+"."+name, f)
		}
		v["unknown"] = "x"
		f(path + " has an unknown field")
		delete(v, "unknown")
	case []any:
		for i := range min(len(v), 3) { // the others are like these
			was := v[i]
			v[i] = mistyped(was)
			f(fmt.Sprintf("%s[%d] is of another type", path, i))
			v[i] = was
			spoilt(was, fmt.Sprintf("%s[%d]", path, i), f)
		}
	}
}

// mistyped is what no field of that value may be: an object for a text and the
// like, and a text for an object.
func mistyped(v any) any {
	if _, is := v.(map[string]any); is {
		return "x"
	}
	return map[string]any{}
}

// The schema refuses every document in which a field is missing, unknown or of
// another type, wherever that is.
func TestSpoiltReportsAreRefused(t *testing.T) {
	s, n := compiled(t), 0
	all := runs(t)
	for _, name := range []string{"failed", "grows"} {
		v := written(t, all[name], more(t)...)
		// A few sections and keys have all there is.
		spoilt(v, name, func(path string) {
			if n++; s.Validate(v) == nil {
				t.Errorf("%s: taken for valid", path)
			}
		})
		if err := s.Validate(v); err != nil {
			t.Fatalf("not put right again: %v", err)
		}
	}
	if n < 500 {
		t.Errorf("only %d documents were spoilt", n)
	}
	t.Logf("%d documents were spoilt, and refused", n)
}

// Values that a schema of types alone would let pass.
func TestWrongValuesAreRefused(t *testing.T) {
	s := compiled(t)
	for path, bad := range map[string]any{
		"verdict": "PROBABLY FINE", "schema": "certify/report/2", "exit": json.Number("2"), "started": "yesterday",
		"counts.run": json.Number("-1"), "plan.seed": "0x10", "plan.repetitions": json.Number("1.5"), "reason": "",
	} {
		v := written(t, runs(t)["failed"]).(map[string]any)
		at, names := v, strings.Split(path, ".")
		for _, name := range names[:len(names)-1] {
			at = at[name].(map[string]any)
		}
		at[names[len(names)-1]] = bad
		if s.Validate(v) == nil {
			t.Errorf("%s: %v was taken for valid", path, bad)
		}
	}
}
