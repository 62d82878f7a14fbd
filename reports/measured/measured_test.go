package measured_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/compare"
	"github.com/exactlyonce/certify/reports/measured"
)

const head = "goos: linux\ncommit: %s\nUnit p50-ns better=lower\nUnit p99-ns better=lower\nUnit max-ns better=lower\n"

// bench is a file of six samples: queues over producers and consumers, pools of
// pairs, and latencies. Everything of msqueue takes factor times what mutex takes.
func bench(commit string, factor float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, head, commit)
	for i := range 6 {
		for _, q := range []struct {
			name string
			by   float64
		}{{"msqueue", factor}, {"mutex", 1}} { // the baseline is not the first in the file
			for _, p := range []float64{1, 2, 4} {
				fmt.Fprintf(&b, "BenchmarkPair/queue=%s/p=%v/c=1-2 100 %v ns/op 16 B/op\n", q.name, p, q.by*(100+10*p+float64(i)))
			}
			fmt.Fprintf(&b, "BenchmarkPair/queue=%s/p=4/c=4-2 100 %v ns/op 16 B/op\n", q.name, q.by*(200+float64(i)))
			fmt.Fprintf(&b, "BenchmarkSubmit/pool=certify/injector=%s/deque=mutex/workers=2-2 100 %v ns/op\n", q.name, q.by*(300+float64(i)))
			fmt.Fprintf(&b, "BenchmarkLatency/queue=%s/every=20us-2 100 50 ns/op %v p50-ns %v p99-ns %v max-ns\n", q.name, q.by*1000, q.by*9000, q.by*50000)
		}
	}
	return b.String()
}

func set(t testing.TB, name, text string) []*compare.Set {
	t.Helper()
	s, err := compare.Read(name, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return []*compare.Set{s}
}

func sections(t testing.TB, in measured.Input) map[string][]reports.Block {
	t.Helper()
	all, err := measured.Sections(in)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string][]reports.Block{}
	for _, s := range all {
		by[s.ID] = s.Blocks
		for _, b := range s.Blocks {
			checkCells(t, s.ID, b)
		}
	}
	return by
}

// checkCells: a row has a cell a column, and a chart its table.
func checkCells(t testing.TB, id string, b reports.Block) {
	t.Helper()
	if c, ok := b.(*reports.Chart); ok {
		b = c.Table
	}
	table, ok := b.(*reports.Table)
	if !ok {
		return
	}
	if len(table.Rows) == 0 {
		t.Errorf("%s: %s: no rows", id, table.Caption)
	}
	for _, r := range table.Rows {
		if len(r.Cells) != len(table.Columns) {
			t.Errorf("%s: %s: row %+v of %d columns", id, table.Caption, r, len(table.Columns))
		}
	}
}

func titles(blocks []reports.Block) (all []string) {
	for _, b := range blocks {
		switch b := b.(type) {
		case *reports.Chart:
			all = append(all, b.Title)
		case *reports.Table:
			all = append(all, b.Caption)
		}
	}
	return all
}

// A table a family; lines along each key in whose number cases differ, one of
// them where two keys rise together.
func TestTablesAndScaling(t *testing.T) {
	by := sections(t, measured.Input{Benchmarks: set(t, "now", bench("a", 2))})
	if got := titles(by["bench"]); len(got) != 3 || !strings.HasPrefix(got[0], "Pair: medians") {
		t.Errorf("tables %q", got)
	}
	want := []string{"By p: Pair, c=1", "By c: Pair, p=4", "By p=c: Pair"}
	if got := titles(by["bench-scaling"]); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Fatalf("got %q, want %q", got, want)
	}
	c := by["bench-scaling"][0].(*reports.Chart)
	if len(c.Series) != 2 || fmt.Sprint(c.Series[1].X) != "[1 2 4]" || c.Series[1].Name != "queue=mutex" {
		t.Fatalf("got %+v", c.Series)
	}
	if got, want := c.Series[1].Y[0], 1e9/112.5; math.Abs(got/want-1) > 1e-9 {
		t.Errorf("rate %v, want %v", got, want)
	}
}

// Percentiles stand at their number of nines, the greatest beyond them.
func TestLatency(t *testing.T) {
	blocks := sections(t, measured.Input{Benchmarks: set(t, "now", bench("a", 2))})["bench-latency"]
	if len(blocks) != 1 {
		t.Fatalf("%d charts", len(blocks))
	}
	c := blocks[0].(*reports.Chart)
	if !c.Y.Log || len(c.Series) != 2 || len(c.X.Ticks) != 3 || c.X.Ticks[2] != (reports.Tick{At: 3, Text: "max"}) {
		t.Fatalf("got %+v", c)
	}
	if s := c.Series[0]; s.Y[1] != 2*9000e-9 || math.Abs(s.X[1]-2) > 1e-9 {
		t.Errorf("p99 at %v is %v", s.X[1], s.Y[1])
	}
}

// mutex is the base wherever it stands in the file; queues and pairs are compared
// apart, and what differs by a factor is shown.
func TestAgainstMutex(t *testing.T) {
	blocks := sections(t, measured.Input{Benchmarks: set(t, "now", bench("a", 2))})["bench-mutex"]
	got := titles(blocks)
	if len(got) < 3 || !strings.HasPrefix(got[0], "sec/op, against mutex:") || !strings.HasPrefix(got[len(got)-1], "sec/op, against mutex/mutex") {
		t.Fatalf("got %q", got)
	}
	for _, row := range blocks[1].(*reports.Table).Rows {
		if strings.HasPrefix(row.Cells[0].Text, "Pair") && (row.Cells[6].Text != "6" || row.Cells[7].Text != "worse" || row.Cells[3].Value != 1) {
			t.Errorf("got %+v", row)
		}
	}
	without := strings.ReplaceAll(bench("a", 2), "mutex", "other")
	if _, there := sections(t, measured.Input{Benchmarks: set(t, "now", without)})["bench-mutex"]; there {
		t.Error("compared without a baseline")
	}
}

const repetitions = "BenchmarkSoak/drill=exactly-once/workers=2 1 %d ns/op\n"

// An earlier run of another commit is compared all the same, repetitions too;
// nothing in common is said.
func TestAgainstBefore(t *testing.T) {
	soak := func(ns int) string { return strings.Repeat(fmt.Sprintf(repetitions, ns), 6) }
	in := measured.Input{
		Benchmarks: set(t, "now", bench("b", 2)), Repetitions: set(t, "now", "goos: linux\ncommit: b\n"+soak(100)),
		Before: set(t, "before", bench("a", 3)+soak(200)),
	}
	by := sections(t, in)
	words := map[string]string{}
	for _, row := range by["bench-before"][1].(*reports.Table).Rows {
		words[row.Cells[0].Text] = row.Cells[7].Text
	}
	if words["Pair/queue=msqueue/p=1/c=1-2"] != "better" || !strings.HasPrefix(words["Pair/queue=mutex/p=1/c=1-2"], "no difference") || words["exactly-once/workers=2"] != "better" {
		t.Errorf("got %q", words)
	}
	if got := titles(by["bench"]); len(got) != 3 {
		t.Errorf("repetitions are among the benchmarks: %q", got)
	}
	only := sections(t, measured.Input{Repetitions: set(t, "now", soak(1)), Before: set(t, "before", bench("a", 1))})
	if text := fmt.Sprint(only["bench-before"]); !strings.Contains(text, "Nothing could be compared") {
		t.Errorf("got %s", text)
	}
	if len(only) != 1 || len(sections(t, measured.Input{})) != 0 {
		t.Errorf("sections of nothing: %v", only)
	}
}

// Zeros, which a logarithm cannot show, and a file with one sample make sections
// like any other; sets that contradict each other are an error.
func TestOddFiles(t *testing.T) {
	for name, text := range map[string]string{
		"zeros":       "BenchmarkLatency/queue=mutex 1 0 ns/op 0 p50-ns 0 p99-ns\nBenchmarkLatency/queue=chan 1 0 ns/op 5 p50-ns 5 p99-ns\n",
		"one":         "BenchmarkX 1 1 ns/op\n",
		"no time":     "BenchmarkX/p=1 1 1 things\nBenchmarkX/p=2 1 1 things\n",
		"great":       "BenchmarkX/queue=mutex/p=1 1 1e18 ns/op\nBenchmarkX/queue=a/p=2 1 1000000000000000001 ns/op\n",
		"procs":       "BenchmarkX 1 4 ns/op\nBenchmarkX-2 1 3 ns/op\nBenchmarkX-4 1 2 ns/op\n",
		"no name":     "BenchmarkX/a/b=\"quoted)/queue=mutex 1 4 ns/op\nBenchmarkX/a/queue=o\"p 1 4 ns/op\n",
		"two configs": "cpu: a\nBenchmarkX 1 1 ns/op\ncpu: b\nBenchmarkX 1 2 ns/op\n",
	} {
		by := sections(t, measured.Input{Benchmarks: set(t, "now", text), Before: set(t, "before", text)})
		if len(by["bench"]) < 2 {
			t.Errorf("%s: %v", name, by)
		}
		if got := titles(by["bench-scaling"]); (name == "procs") != (len(got) == 1) && name != "great" {
			t.Errorf("%s: lines %q", name, got)
		}
	}
	_, err := measured.Sections(measured.Input{Benchmarks: append(set(t, "now", "Unit x better=lower\nBenchmarkX 1 1 x\n"), set(t, "now", "Unit x better=higher\nBenchmarkX 1 1 x\n")...)})
	if err == nil || !strings.HasPrefix(err.Error(), "measured: ") {
		t.Errorf("got %v", err)
	}
	if _, err := measured.Sections(measured.Input{Benchmarks: set(t, "now", fmt.Sprintf(repetitions, 1))}); err == nil {
		t.Error("a file of repetitions only was taken for benchmarks")
	}
}

// A summary has the rows that show a difference, and says how many do not.
func TestShort(t *testing.T) {
	all, err := measured.Sections(measured.Input{Benchmarks: set(t, "now", bench("a", 2)), Before: set(t, "before", bench("b", 3))})
	if err != nil {
		t.Fatal(err)
	}
	short := measured.Short(all)
	if len(short) != len(all)-1 || all[0].ID != "bench" || short[0].ID == "bench" {
		t.Errorf("%d of %d sections", len(short), len(all))
	}
	last := short[len(short)-1].Blocks
	table, ok := last[1].(*reports.Table)
	if !ok || !strings.HasSuffix(table.Caption, "5 of 12 rows show a difference") || len(table.Rows) != 5 {
		t.Errorf("got %+v", last[1])
	}
	for _, r := range table.Rows {
		if !strings.Contains(r.Cells[0].Text, "msqueue") {
			t.Errorf("row %+v", r)
		}
	}
	if text, ok := last[2].(reports.Text); !ok || !strings.HasSuffix(string(text), "0 of 8 rows show a difference.") {
		t.Errorf("got %+v", last[2])
	}
	if n := len(all[len(all)-1].Blocks[1].(*reports.Table).Rows); n != 12 {
		t.Errorf("the report lost rows: %d", n)
	}
}
