package compare

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/reports/record"
	"golang.org/x/perf/benchmath"
)

var update = flag.Bool("update", false, "write the golden files; read the diff")

// arms compares texts, named old, new and then by number.
func arms(t *testing.T, o Options, texts ...string) *Result {
	t.Helper()
	r, err := Compare(o, reads(t, texts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func reads(t *testing.T, texts ...string) (sets []*Set) {
	t.Helper()
	for i, text := range texts {
		name := []string{"old", "new", "third"}[i]
		set, err := Read(name, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, set)
	}
	return sets
}

// results are lines of one benchmark.
func results(name, unit string, values ...float64) string {
	var b strings.Builder
	for _, v := range values {
		fmt.Fprintf(&b, "Benchmark%s 1 %v %s\n", name, v, unit)
	}
	return b.String()
}

// around is n values that spread by 1 % a step, so that none is there twice.
func around(center float64, n int) (values []float64) {
	for i := range n {
		values = append(values, center*(1+0.01*float64(i-n/2)))
	}
	return values
}

// only returns the one cell that is compared.
func only(t *testing.T, r *Result) (*Table, *Cell) {
	t.Helper()
	if len(r.Tables) != 1 || len(r.Tables[0].Rows) != 1 || len(r.Tables[0].Cols) != 2 {
		t.Fatalf("want one row of two columns: %+v", r.Tables)
	}
	return r.Tables[0], r.Tables[0].Rows[0].Cells[1]
}

func TestVerdicts(t *testing.T) {
	repeat := func(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }
	for _, c := range []struct {
		name, unit string
		old, now   []float64
		want       Verdict
		delta      string
	}{
		{"slower", "ns/op", around(100, 10), around(150, 10), Worse, "+50.00%"},
		{"faster", "ns/op", around(100, 10), around(50, 10), Better, "-50.00%"},
		{"more a second", "MB/s", around(100, 10), around(150, 10), Better, "+50.00%"},
		{"less a second", "MB/s", around(100, 10), around(50, 10), Worse, "-50.00%"},
		{"more memory", "B/op", repeat(16, 10), repeat(24, 10), Worse, "+50.00%"},
		{"nobody knows", "steals", around(100, 10), around(150, 10), Differs, "+50.00%"},
		{"less than nothing", "steals", around(-100, 10), around(-50, 10), Differs, "+50.00%"},
		{"the same", "ns/op", around(100, 10), around(100, 10), Same, "0.00%"},
		{"all equal", "B/op", repeat(16, 10), repeat(16, 10), Same, "0.00%"},
		{"four", "ns/op", around(100, 4), around(150, 4), Worse, "+50.00%"},
		{"three", "ns/op", around(100, 3), around(150, 3), TooFew, "+50.00%"},
		{"five that overlap", "ns/op", around(100, 5), around(101, 5), TooFew, "+1.00%"},
		{"one", "ns/op", around(100, 1), around(150, 1), TooFew, "+50.00%"},
		{"two against many", "ns/op", around(100, 2), around(100, 8), TooFew, "0.00%"},
		{"exact", "lost", []float64{0}, []float64{1}, Worse, "from 0"},
		{"exact, the same", "lost", []float64{0}, []float64{0}, Same, "0.00%"},
		{"one of twenty", "lost", repeat(0, 20), append(repeat(0, 19), 1), Worse, "from 0"},
	} {
		head := "Unit lost assume=exact better=lower\n"
		_, cell := only(t, arms(t, Options{}, head+results("X", c.unit, c.old...), head+results("X", c.unit, c.now...)))
		if cell.Verdict != c.want || formatChange(cell.Delta) != c.delta {
			t.Errorf("%s: got %s, %s, want %s, %s (p=%v)", c.name, cell.Verdict, formatChange(cell.Delta), c.want, c.delta, cell.P)
		}
	}
}

// How many samples are too few depends on what is asked.
func TestTooFewForAlpha(t *testing.T) {
	text := results("X", "ns/op", around(100, 6)...)
	for alpha, want := range map[float64]Verdict{0.05: Same, 0.001: TooFew} {
		if _, c := only(t, arms(t, Options{Alpha: alpha}, text, text)); c.Verdict != want {
			t.Errorf("alpha %v: got %s, want %s", alpha, c.Verdict, want)
		}
	}
}

// Within holds what the intervals leave open, and nothing without them.
func TestWithin(t *testing.T) {
	_, c := only(t, arms(t, Options{}, results("X", "u", around(100, 10)...), results("X", "u", around(101, 10)...)))
	base := c.base
	want := [2]float64{c.Lo/base.Hi - 1, c.Hi/base.Lo - 1}
	if c.Within != want || c.Within[0] >= c.Delta || c.Delta >= c.Within[1] {
		t.Errorf("within %v, want %v; delta %v", c.Within, want, c.Delta)
	}
	for name, values := range map[string][]float64{"too few": around(100, 5), "zeros": slices.Repeat([]float64{0}, 10)} {
		if _, c := only(t, arms(t, Options{}, results("X", "u", values...), results("X", "u", values...))); c.Within != [2]float64{} {
			t.Errorf("%s: within %v", name, c.Within)
		}
	}
}

// The least p that samples can show is the test's own, and where the test may
// approximate it is not less.
func TestSmallestP(t *testing.T) {
	apart := func(n, m int, ties bool) float64 {
		old, now := make([]float64, n), make([]float64, m)
		for i := range old {
			old[i] = float64(i)
		}
		for i := range now {
			now[i] = float64(1000 + i)
		}
		if ties && m > 1 {
			now[1] = now[0]
		}
		th := benchmath.DefaultThresholds
		return benchmath.AssumeNothing.Compare(benchmath.NewSample(old, &th), benchmath.NewSample(now, &th)).P
	}
	for n := 1; n <= 60; n += 1 + n/12 {
		for m := 1; m <= 60; m += 1 + m/12 {
			got := (&Cell{N: m, base: &Cell{N: n}}).smallestP()
			for _, ties := range []bool{false, true} {
				p := apart(n, m, ties)
				if max(n, m) <= exactN && math.Abs(got-p) > 1e-9*p || got < p*(1-1e-9) {
					t.Errorf("n=%d+%d ties=%v: %v, the test has %v", n, m, ties, got, p)
				}
			}
		}
	}
}

// The order of samples is kept: whoever sorts them loses what drifts.
func TestOrderIsKept(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3, 9}
	text := results("X", "u", values...)
	sets := reads(t, text, text)
	r, err := Compare(Options{}, sets...)
	if err != nil {
		t.Fatal(err)
	}
	_, c := only(t, r)
	if !slices.Equal(c.values, values) || shown(sets[0]) != shown(reads(t, text)[0]) {
		t.Errorf("got %v, want %v", c.values, values)
	}
	// The defect: no copy.
	th := benchmath.DefaultThresholds
	benchmath.NewSample(c.values, &th)
	if slices.Equal(c.values, values) {
		t.Error("NewSample does not sort what it is given: this test shows nothing")
	}
}

// What is not compared is said, with the reason and the way out.
func TestNotCompared(t *testing.T) {
	ten := results("X-8", "ns/op", around(100, 10)...)
	two := results("X-2", "ns/op", around(100, 10)...)
	one := results("X", "ns/op", around(100, 10)...)
	for _, c := range []struct {
		name, old, now, note string
		cured                bool // by IgnoreCPU
	}{
		{"cpu", "cpu: A\n" + ten, "cpu: B\n" + ten, `cpu differs: ["A"] in old, ["B"] in new: what differs is not compared; ignore the CPU`, true},
		{"cpu unknown", ten, "cpu: B\n" + ten, `cpu differs: [""] in old, ["B"] in new`, true},
		{"-N", ten, two, "new against old: rows that differ in the -N of their names (GOMAXPROCS) only, and are not compared: 1;", true},
		{"no -1", ten, one, "new against old: rows that differ in the -N of their names (GOMAXPROCS) only, and are not compared: 1;", true},
		{"note", "note: A\n" + ten, "note: B\n" + ten, `note differs: ["A"] in old, ["B"] in new: what differs is not compared`, false},
		{"scaled", ten, strings.ReplaceAll(ten, "ns/op", "us/op"), "new against old: rows compared: 0; only in old: 1; only in new: 1", false},
		{"zero", ten, results("X-8", "ns/op", 0), "values of 0 ns/op stand apart from sec/op", false},
	} {
		var text bytes.Buffer
		r := arms(t, Options{}, c.old, c.now)
		if err := r.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), c.note) || !strings.Contains(text.String(), "new against old: rows compared: 0; only in old: 1; only in new: 1\n") {
			t.Errorf("%s: no word of it in\n%s", c.name, &text)
		}
		if !strings.Contains(c.note, "GOMAXPROCS") && strings.Contains(text.String(), "GOMAXPROCS") {
			t.Errorf("%s: names do not differ\n%s", c.name, &text)
		}
		if d, _ := Gate(r, GateOptions{}); d.Outcome != Insufficient {
			t.Errorf("%s: nothing compared: %s", c.name, d)
		}
		notes := strings.Join(arms(t, Options{IgnoreCPU: true}, c.old, c.now).Notes, "\n")
		if cured := strings.Contains(notes, "rows compared: 1;"); cured != c.cured || cured && strings.Contains(notes, "ignore the CPU") {
			t.Errorf("%s: with the CPU ignored: %s", c.name, notes)
		}
	}
}

// A table that the base has no part in is compared as benchstat does, and by
// nobody else.
func TestTableWithoutBase(t *testing.T) {
	a, b := "note: a\n"+results("X", "ns/op", around(100, 10)...), "note: b\n"+results("X", "ns/op", around(100, 10)...)
	slow := "note: b\n" + results("X", "ns/op", around(300, 10)...)
	r := arms(t, Options{}, a, b, slow)
	if c := r.Tables[1].Rows[0].Cells[1]; c.Verdict != Worse {
		t.Errorf("benchstat compares the columns of each table: %+v", c)
	}
	if d, _ := Gate(r, GateOptions{}); d.Outcome != Insufficient || d.Rows != 0 || len(d.Insufficient) != 2 {
		t.Errorf("neither of both is compared with old: %s", d)
	}
}

// A filter takes values away from what it sees, and not from the set.
func TestFilterLeavesTheSet(t *testing.T) {
	sets := reads(t, "BenchmarkX 1 1 ns/op 2 B/op\n")
	for _, c := range []struct {
		filter string
		tables int
	}{{".unit:B/op", 1}, {"*", 2}} {
		if r, err := Compare(Options{Filter: c.filter}, sets...); err != nil || len(r.Tables) != c.tables {
			t.Errorf("%s: %v, want %d tables", c.filter, err, c.tables)
		}
	}
}

// What a soak writes is read: one lost task in twenty repetitions is a
// regression, and its zeros are no table of their own.
func TestSoakRecords(t *testing.T) {
	soaked := func(lost float64) string {
		var recs []record.Record
		for rep := 1; rep <= 20; rep++ {
			r := record.Record{
				Key: record.Key{Drill: "exactly-once"}, Rep: rep, Verdict: record.Certified, ElapsedNs: int64(1e9 + rep),
				Values: []record.Value{{Unit: "lost", Value: 0}, {Unit: "park-ns", Value: 0}},
			}
			if rep == 13 {
				r.Values[0].Value = lost
			}
			recs = append(recs, r)
		}
		var b strings.Builder
		if err := record.WriteBench(&b, []record.ConfigLine{{Key: "goos", Value: "linux"}}, recs); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for lost, want := range map[float64]Outcome{0: Pass, 1: Regression} {
		r := arms(t, Options{}, soaked(0), soaked(lost))
		d, err := Gate(r, GateOptions{Threshold: 0.05, Floor: Noise(r)})
		if err != nil || d.Outcome != want || strings.Contains(strings.Join(r.Notes, " "), "stand apart") {
			t.Errorf("%v lost: %v %s %q", lost, err, d, r.Notes)
		}
	}
}

func TestOptionsRefused(t *testing.T) {
	sets := reads(t, results("X", "ns/op", 1))
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Alpha: 1.5}, "compare: alpha 1.5"},
		{Options{Alpha: -1}, "compare: alpha -1"},
		{Options{Confidence: math.NaN()}, "compare: confidence NaN"},
		{Options{Table: "("}, "compare: table:"},
		{Options{Row: "x@what"}, "compare: row:"},
		{Options{Col: ".unit"}, "compare: col:"},
		{Options{Ignore: "("}, "compare: ignore:"},
		{Options{Filter: "("}, "compare: filter:"},
		{Options{Filter: "/p:>4"}, `compare: filter "/p:>4": no result matches`},
	} {
		if _, err := Compare(c.o, sets...); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %s", c.o, err, c.want)
		}
	}
	if _, err := Compare(Options{}); err == nil {
		t.Error("nothing is compared without an error")
	}
}

// Two files that contradict each other about a unit are not compared by the
// order in which they were named.
func TestUnitConflict(t *testing.T) {
	sets := reads(t, "Unit a better=higher\n"+results("X", "a", 1), "note: x\nUnit a better=lower\n"+results("X", "a", 2))
	const want = "compare: unit a: better=lower at new:2, but better=higher at old:1"
	if _, err := Compare(Options{}, sets...); fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A name does not move the cursor of whoever reads the table.
func TestTextIsPrintable(t *testing.T) {
	var text bytes.Buffer
	if err := arms(t, Options{}, "note: \x1b[2J\nBenchmarkX/\x1b[31mred 1 1 u\x07\n").WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(text.String(), "\x1b\x07") || !strings.Contains(text.String(), "red") {
		t.Errorf("got %q", &text)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteErrors(t *testing.T) {
	r := arms(t, Options{}, results("X", "u", 1))
	for name, err := range map[string]error{"text": r.WriteText(full{}), "csv": r.WriteCSV(full{}, full{})} {
		if err == nil || !strings.HasPrefix(err.Error(), "compare: write: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTextGolden(t *testing.T) {
	var got bytes.Buffer
	for _, c := range []struct {
		o     Options
		files []string
	}{
		{Options{}, []string{"old=testdata/old.txt", "new=testdata/new.txt"}},
		{Options{Col: "note"}, []string{"testdata/notes.txt"}},
		{Options{Filter: ".name:Pair"}, []string{"alone=testdata/old.txt"}},
	} {
		r := compared(t, c.o, c.files...)
		d, err := Gate(r, GateOptions{Threshold: 0.05, Floor: Noise(r)})
		if err != nil || r.WriteText(&got) != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "\n%v\n", d)
	}
	const name = "testdata/text.golden"
	if *update {
		if err := os.WriteFile(name, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want := fixture(t, "text.golden"); got.String() != want {
		t.Errorf("go test ./reports/compare -run Golden -update\ngot\n%s\nwant\n%s", &got, want)
	}
}
