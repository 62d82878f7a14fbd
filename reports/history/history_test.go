package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
)

// entry is a run of a commit whose figure has some noise around the level, in each
// of several names.
func entry(rng *rand.Rand, at int, level float64, names ...string) Entry {
	e := Entry{
		Schema: Schema, Run: fmt.Sprintf("run-%d", at), Class: "linux/amd64 a CPU, 2 CPUs",
		Commit: fmt.Sprintf("%040x", at+1), Go: "go1.26", Time: time.Unix(int64(at)*86400, 0).UTC(),
	}
	for _, name := range names {
		s := Series{Name: name, Unit: "sec/op", Better: -1}
		for range 20 {
			s.Values = append(s.Values, level*(1+0.02*rng.NormFloat64()))
		}
		e.Series = append(e.Series, s)
	}
	return e
}

func seeded() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// TestChanges: a step is found where it is, once, and so is a drift of which no
// step is large; noise is not.
func TestChanges(t *testing.T) {
	for name, row := range map[string]struct {
		levels []float64
		want   string // at, against, direction
	}{
		"noise":             {[]float64{1, 1, 1, 1, 1, 1}, ""},
		"a step up":         {[]float64{1, 1, 1, 1.3, 1.3, 1.3}, "3<0 worse "},
		"a step down":       {[]float64{1, 1, 0.7, 0.7, 0.7}, "2<0 better "},
		"up and down again": {[]float64{1, 1.3, 1.3, 1, 1}, "1<0 worse 3<1 better "},
		"a drift":           {[]float64{1, 1.04, 1.08, 1.12, 1.16, 1.2, 1.24}, "3<0 worse 6<3 worse "},
		"below what counts": {[]float64{1, 1.05, 1.05, 1.05}, ""},
		"one":               {[]float64{1}, ""},
		"none":              {nil, ""},
	} {
		rng := seeded()
		var entries []Entry
		for at, level := range row.levels {
			entries = append(entries, entry(rng, at, level, "A"))
		}
		changes, err := Changes(entries)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, c := range changes {
			got += fmt.Sprintf("%d<%d %s ", c.At, c.Base, map[bool]string{true: "better", false: "worse"}[c.Better])
		}
		if got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

// TestQuiet: of 40 histories of 10 commits with 5 figures in which nothing changed,
// hardly one shows a change.
func TestQuiet(t *testing.T) {
	rng := seeded()
	alarms := 0
	for range 40 {
		var entries []Entry
		for at := range 10 {
			entries = append(entries, entry(rng, at, 1, "A", "B", "C", "D", "E"))
		}
		changes, err := Changes(entries)
		if err != nil {
			t.Fatal(err)
		}
		alarms += len(changes)
	}
	if alarms > 2 {
		t.Errorf("%d changes where there are none", alarms)
	}
}

// TestChangesNew: a figure that is new begins its own history, one that goes away is
// no change, and one that cannot be judged is none.
func TestChangesNew(t *testing.T) {
	rng := seeded()
	few := entry(rng, 4, 9, "A", "B")
	few.Series[0].Values = few.Series[0].Values[:1]
	changes, err := Changes([]Entry{entry(rng, 0, 1, "A"), entry(rng, 1, 1, "A", "B"), entry(rng, 2, 1, "A"), entry(rng, 3, 2, "A", "B"), few})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		got = append(got, fmt.Sprintf("%s %d<%d", c.Name, c.At, c.Base))
	}
	if want := "A 3<0, B 3<1, B 4<3"; strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
}

func TestThereAndBack(t *testing.T) {
	rng := seeded()
	file := filepath.Join(t.TempDir(), "history.jsonl")
	if got, err := Read(file); err != nil || got != nil {
		t.Errorf("not there: %v, %v", got, err)
	}
	var entries []Entry
	for _, at := range []int{2, 0, 1} { // by time in the end
		entries = Add(entries, entry(rng, at, 1, "A"))
	}
	again := entry(rng, 1, 5, "A") // of the same run: in its place
	entries = Add(entries, again)
	if len(entries) != 3 || !reflect.DeepEqual(entries[1], again) || entries[2].Run != "run-2" {
		t.Errorf("added: %+v", entries)
	}
	if err := Write(file, entries); err != nil {
		t.Fatal(err)
	}
	got, err := Read(file)
	if err != nil || !reflect.DeepEqual(got, entries) {
		t.Errorf("read %+v, %v, want %+v", got, err, entries)
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
		t.Errorf("left %v", left)
	}
	if err := Write(filepath.Join(file, "below"), entries); err == nil {
		t.Error("written below a file")
	}
}

// TestDamaged: a line that is not as it was written is refused by its number.
func TestDamaged(t *testing.T) {
	good := func() Entry { return entry(seeded(), 0, 1, "A") }
	seal := func(e Entry) []byte {
		line, err := record.Seal(e)
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	with := func(change func(*Entry)) []byte { e := good(); change(&e); return seal(e) }
	for name, line := range map[string][]byte{
		"torn":      seal(good())[:100],
		"altered":   bytes.Replace(seal(good()), []byte("go1.26"), []byte("go1.27"), 1),
		"blank":     []byte("\n"),
		"schema":    with(func(e *Entry) { e.Schema = "certify/history/2" }),
		"run":       with(func(e *Entry) { e.Run = "two words" }),
		"name":      with(func(e *Entry) { e.Series[0].Name = "two words" }),
		"no name":   with(func(e *Entry) { e.Series[0].Name = "" }),
		"unit":      with(func(e *Entry) { e.Series[0].Unit = "a b" }),
		"direction": with(func(e *Entry) { e.Series[0].Better = 0 }),
		"values":    with(func(e *Entry) { e.Series[0].Values = nil }),
	} {
		file := filepath.Join(t.TempDir(), "history.jsonl")
		if err := os.WriteFile(file, append(seal(good()), line...), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(file); err == nil || !strings.Contains(err.Error(), ":2:") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := Read(t.TempDir()); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory: %v", err)
	}
}

// TestOf: a run's entry has the figures of its clean repetitions, by key.
func TestOf(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	key := record.Key{Drill: "exactly-once", Params: []record.Param{{Name: "deque", Value: "chaselev"}}}
	plan, _ := json.Marshal(reports.Plan{Keys: []record.Key{key}, First: 1, Reps: 3})
	d, err := rundir.Create(dir, rundir.Origin{Run: "run", Plan: plan, Env: []byte(`{"goos":"linux","goarch":"amd64","cpu":"C","cpus":2,"go":"go1.26","commit":"c0ffee"}`)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for rep := 1; rep <= 3; rep++ {
		r := record.Record{Key: key, Rep: rep, Verdict: record.Certified, Start: time.Unix(int64(rep), 0), ElapsedNs: int64(rep) * 1e9, PeakB: 5e6,
			Values: []record.Value{{Unit: "steals", Value: 3}, {Unit: "task-ns", Value: 1234.5678}}}
		if rep == 3 {
			r.Verdict, r.Reason = record.Failed, record.Lost
		}
		if err := d.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	run, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Of(run)
	if err != nil {
		t.Fatal(err)
	}
	if e.Class != "linux/amd64 C, 2 CPUs" || e.Commit != "c0ffee" || e.Go != "go1.26" || !e.Time.Equal(time.Unix(1, 0)) || e.validate() != nil {
		t.Errorf("got %+v", e)
	}
	got := map[string][]float64{}
	for _, s := range e.Series {
		if !strings.HasPrefix(s.Name, "ExactlyOnce") && !strings.HasPrefix(s.Name, key.String()) && !strings.Contains(s.Name, "chaselev") || s.Better != -1 {
			t.Errorf("series %+v", s)
		}
		got[s.Unit] = s.Values
	}
	if want := map[string][]float64{"sec/op": {1, 2}, "peak-B": {5e6, 5e6}, "task-sec": {1.23457e-06, 1.23457e-06}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAddBench(t *testing.T) {
	var e Entry
	if err := e.AddBench("b.txt", []byte("Unit p99-ns better=lower\nBenchmarkPair/queue=chaselev-2 10 5 ns/op 7 p99-ns 3 unknown\n")); err != nil {
		t.Fatal(err)
	}
	if len(e.Series) != 2 || e.Series[0].Name != "Pair/queue=chaselev-2" || e.Series[0].Unit != "sec/op" {
		t.Errorf("got %+v", e.Series)
	}
	if err := e.AddBench("bad.txt", []byte("BenchmarkX 1 NaN ns/op\n")); err == nil || !strings.Contains(err.Error(), "bad.txt") {
		t.Errorf("got %v", err)
	}
}

// TestSections: the part of a report has the changes of its class, and a chart and
// its table a unit.
func TestSections(t *testing.T) {
	rng := seeded()
	var entries []Entry
	for at := range 25 {
		entries = append(entries, entry(rng, at, 1+0.5*float64(at/20), "A", "B", "C", "D", "E", "F", "G", "H", "I"))
	}
	other := entry(rng, 30, 9, "A")
	other.Class = "another"
	sections, err := Sections(append(entries, other), entries[0].Class)
	if err != nil {
		t.Fatal(err)
	}
	blocks := sections[0].Blocks
	if text := string(blocks[0].(reports.Text)); !strings.Contains(text, "25 runs") || !strings.Contains(text, "1 of other machines") {
		t.Errorf("text %q", text)
	}
	if table := blocks[1].(*reports.Table); len(table.Rows) != 9 || !strings.Contains(table.Rows[0].Cells[3].Text, "+5") {
		t.Errorf("changes %+v", table.Rows)
	}
	chart := blocks[2].(*reports.Chart)
	if len(chart.Series) != chartSeries || len(chart.Table.Rows) != 25*9 || len(chart.X.Ticks) > 14 || chart.Series[0].Y[0] != 1 {
		t.Errorf("chart of %d series, %d rows, %d ticks", len(chart.Series), len(chart.Table.Rows), len(chart.X.Ticks))
	}
	quiet, err := Sections(nil, "none")
	if err != nil || len(quiet[0].Blocks) != 2 {
		t.Errorf("without a run: %+v, %v", quiet, err)
	}
}
