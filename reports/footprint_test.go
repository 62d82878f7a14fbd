package reports_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/record"
)

// leaking is a run of two keys, of which b leaves by bytes more in each
// repetition.
func leaking(t testing.TB, by float64, reps int) *reports.Run {
	t.Helper()
	var all []record.Record
	for _, name := range []string{"a", "b"} {
		for rep := 1; rep <= reps; rep++ {
			all = append(all, clean(key(name), rep, func(r *record.Record) {
				left := float64(1000 * (rep % 3))
				if name == "b" {
					left += by * float64(rep)
				}
				r.Values = []record.Value{{Unit: "left-B", Value: left}, {Unit: "growth-B/task", Value: 0.25}}
			}))
		}
	}
	return load(t, makeRun(t, plan(reps, "a", "b"), env, all...))
}

// What is left behind more and more fails the run, and every report says so: the
// key, the figure, the slope with its bounds and why that is a law.
func TestGrowthIsToldEverywhere(t *testing.T) {
	r := leaking(t, 1<<20, 40)
	var md, xml bytes.Buffer
	if err := r.Markdown(&md); err != nil {
		t.Fatal(err)
	}
	if err := r.JUnit(&xml); err != nil {
		t.Fatal(err)
	}
	s := sections(t, r.Dir)
	first := fmt.Sprint(s["failures"].Blocks[0])
	for _, want := range []string{"FAILED (memory): a figure of memory grows", "left-B of exactly-once/deque=b: 1.0 MiB a repetition (at 95 %: ", "cannot leak into each other"} {
		if !strings.Contains(first, want) {
			t.Errorf("%q does not say %q", first, want)
		}
	}
	if got := s["failures"].Blocks[1].(*reports.Table).Rows; len(got) != 1 || got[0].ID != "growth-2-left-B" {
		t.Errorf("rows %+v", got)
	}
	if !strings.HasPrefix(md.String(), "## FAILED (memory)\n") || !strings.Contains(md.String(), "left-B of exactly-once/deque=b") {
		t.Errorf("Markdown: %.300s", md.String())
	}
	if text := xml.String(); !strings.Contains(text, `failures="1"`) || !strings.Contains(text, "left-B grows: slope") {
		t.Errorf("JUnit: %s", text)
	}
}

// Each figure has a chart with a panel a key, and each key a row a figure: what
// grows and is not judged, what does not, and what has too few repetitions.
func TestMemorySection(t *testing.T) {
	words := func(r *reports.Run) map[string]string {
		said := map[string]string{}
		blocks := sections(t, r.Dir)["memory"].Blocks
		for _, row := range blocks[len(blocks)-1].(*reports.Table).Rows {
			said[row.ID] = row.Cells[len(row.Cells)-1].Text
		}
		return said
	}
	for name, row := range map[string]struct {
		run  *reports.Run
		want map[string]string
	}{
		"grows":     {leaking(t, 1<<20, 40), map[string]string{"memory-1-left-B": "does not grow", "memory-2-left-B": "grows: FAILED", "memory-1-peak-B": "does not grow", "memory-2-within": "was judged in each: median, least, most"}},
		"too small": {leaking(t, 10, 40), map[string]string{"memory-2-left-B": "does not grow"}},
		"too few":   {leaking(t, 1<<20, 5), map[string]string{"memory-2-left-B": "has too few repetitions"}},
	} {
		said := words(row.run)
		for id, want := range row.want {
			if said[id] != want {
				t.Errorf("%s: %s: %q, want %q", name, id, said[id], want)
			}
		}
	}
	blocks := sections(t, leaking(t, 1<<20, 40).Dir)["memory"].Blocks
	if len(blocks) != 4 {
		t.Fatalf("%d blocks: want a text, charts of peak-B and left-B, and a table", len(blocks))
	}
	chart := blocks[2].(*reports.Chart)
	if chart.Kind != reports.Panels || len(chart.Series) != 2 || chart.Series[1].Line == nil || chart.Series[1].Line.Slope < 1<<19 {
		t.Errorf("got %+v", chart)
	}
	if len(chart.Table.Rows) != 40 || len(chart.Table.Columns) != 3 || chart.Table.Columns[2].Name != "deque=b" {
		t.Errorf("%d rows, columns %+v", len(chart.Table.Rows), chart.Table.Columns)
	}
}
