package document_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"image/png"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/chart"
	"github.com/exactlyonce/certify/reports/document"
	"github.com/exactlyonce/certify/reports/html"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
)

// load writes a run of one key and reads it.
func load(t *testing.T, planned, done int, change func(*record.Record)) *reports.Run {
	t.Helper()
	k := record.Key{Drill: "exactly-once", Params: []record.Param{{Name: "injector", Value: "mutex"}, {Name: "deque", Value: "mutex"}, {Name: "workers", Value: "2"}, {Name: "tasks", Value: "1000"}}}
	plan, err := json.Marshal(reports.Plan{Keys: []record.Key{k}, First: 1, Reps: planned})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	d, err := rundir.Create(dir, rundir.Origin{Run: "run-1", Plan: plan, Env: []byte(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for rep := 1; rep <= done; rep++ {
		r := record.Record{Key: k, Rep: rep, Verdict: record.Certified, Start: time.Unix(int64(rep), 0), ElapsedNs: 1e9, PeakB: 1 << 20, Values: []record.Value{{Unit: "left-B", Value: 0}, {Unit: "task-ns", Value: 5}}}
		change(&r)
		if err := d.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	r, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func failing(detail string) func(*record.Record) {
	return func(r *record.Record) {
		r.Verdict, r.Reason, r.Detail, r.Values = record.Failed, record.Crash, detail, nil
	}
}

// formats are all of a report, each with what must hold of it.
var formats = map[string]struct {
	write func(io.Writer, *reports.Run) error
	whole func(text []byte) bool
}{
	"html":     {func(w io.Writer, r *reports.Run) error { return html.Write(w, r) }, func(b []byte) bool { return bytes.HasSuffix(b, []byte("</html>\n")) && len(b) < 2_000_000 }},
	"json":     {func(w io.Writer, r *reports.Run) error { return document.Write(w, r) }, json.Valid},
	"markdown": {func(w io.Writer, r *reports.Run) error { return r.Markdown(w) }, func(b []byte) bool { return bytes.HasPrefix(b, []byte("## ")) && len(b) < 900_000 }},
	"junit":    {func(w io.Writer, r *reports.Run) error { return r.JUnit(w) }, func(b []byte) bool { return xml.Unmarshal(b, new(struct{})) == nil }},
	"png":      {pictures, func([]byte) bool { return true }},
}

// pictures writes each chart of a run, and reads it back.
func pictures(w io.Writer, r *reports.Run) error {
	for _, s := range r.Sections() {
		for _, b := range s.Blocks {
			c, ok := b.(*reports.Chart)
			if !ok {
				continue
			}
			var picture bytes.Buffer
			if err := chart.PNG(io.MultiWriter(w, &picture), c); err != nil {
				return err
			}
			if _, err := png.DecodeConfig(&picture); err != nil {
				return err
			}
		}
	}
	return nil
}

// Whatever the run, each format has a whole report, and the same when it is made
// again.
func TestDegenerateRunsInEachFormat(t *testing.T) {
	same := func(*record.Record) {}
	values := func(of func(rep int) float64) func(*record.Record) {
		return func(r *record.Record) {
			v := of(r.Rep)
			r.ElapsedNs, r.PeakB, r.Values = int64(v), int64(v), []record.Value{{Unit: "left-B", Value: v}, {Unit: "live-B", Value: -v}, {Unit: "task-ns", Value: v}}
		}
	}
	for name, r := range map[string]*reports.Run{
		"empty":           load(t, 3, 0, same),
		"one repetition":  load(t, 1, 1, same),
		"all equal":       load(t, 12, 12, same),
		"all zero":        load(t, 12, 12, values(func(int) float64 { return 0 })),
		"1e18 and 1e18+1": load(t, 12, 12, values(func(rep int) float64 { return 1e18 + float64(rep%2) })),
		"one failure":     load(t, 1, 1, failing("exit 2")),
		"a long log":      load(t, 2, 2, failing(strings.Repeat("x", 1_000_000))),
		"long lines":      load(t, 2, 2, failing(strings.Repeat("a `|` <b>\n", 100_000))),
	} {
		for format, f := range formats {
			if testing.Short() && format == "png" {
				continue // some seconds under the race detector, and chart has its own tests
			}
			var first, second bytes.Buffer
			if err := f.write(&first, r); err != nil {
				t.Errorf("%s, %s: %v", name, format, err)
			}
			if err := f.write(&second, r); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Errorf("%s, %s: made again it is not the same, %v", name, format, err)
			}
			if !f.whole(first.Bytes()) {
				t.Errorf("%s, %s: not whole: %.300s", name, format, first.Bytes())
			}
		}
	}
}
