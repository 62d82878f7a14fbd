package record

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

var benchConfigLines = []ConfigLine{{"goos", "linux"}, {"cpu", "Some CPU @ 2.60GHz"}, {"certify", "v1.0.0"}}

// three are a pass, a failure with measures and a crash without any.
func three() []Record {
	pass, fail, crash := sample(), sample(), sample()
	pass.Verdict, pass.Reason, pass.Values = Certified, "", []Value{{"lost", 0}, {"park-ns", 0}, {"tasks/s", 1e6}}
	fail.Values = []Value{{"lost", 1}, {"park-ns", 1500}, {"tasks/s", 1234567.5}}
	crash.Reason, crash.Values = Crash, nil
	crash.ElapsedNs, crash.CPUNs, crash.PeakB = 0, 0, 0
	return []Record{pass, fail, crash}
}

func written(t *testing.T, cfg []ConfigLine, recs []Record) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteBench(&b, cfg, recs); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriteBenchGolden(t *testing.T) {
	name := sample().Key.BenchmarkName()
	want := `Unit cpu-sec better=lower
Unit failed assume=exact
Unit failed better=lower
Unit inconclusive assume=exact
Unit inconclusive better=lower
Unit lost assume=exact
Unit lost better=lower
Unit park-sec better=lower
Unit peak-B better=lower
Unit sec/op better=lower
Unit tasks/s better=higher
goos: linux
cpu: Some CPU @ 2.60GHz
certify: v1.0.0

` + name + ` 1 0 failed 0 inconclusive 1.23456789e+09 ns/op 2.3456789010000003 cpu-sec 5.24288e+07 peak-B 0 lost 0 park-sec 1e+06 tasks/s
` + name + ` 1 1 failed 0 inconclusive 1.23456789e+09 ns/op 2.3456789010000003 cpu-sec 5.24288e+07 peak-B 1 lost 1.5e-06 park-sec 1.2345675e+06 tasks/s
` + name + ` 1 1 failed 0 inconclusive
`
	if got := written(t, benchConfigLines, three()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWriteBenchReadBack(t *testing.T) {
	text := written(t, benchConfigLines, three())
	reader := benchfmt.NewReader(strings.NewReader(text), "bench.txt")
	var got []*benchfmt.Result
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Errorf("syntax: %v", rec)
		case *benchfmt.Result:
			got = append(got, rec.Clone())
		}
	}
	if reader.Err() != nil || len(got) != 3 {
		t.Fatalf("got %d results, %v", len(got), reader.Err())
	}
	for i, want := range three() {
		if name := "Benchmark" + string(got[i].Name); name != want.Key.BenchmarkName() {
			t.Errorf("name %s", name)
		}
		for _, c := range benchConfigLines {
			if value := got[i].GetConfig(c.Key); value != c.Value {
				t.Errorf("%s: got %q want %q", c.Key, value, c.Value)
			}
		}
		checkValues(t, got[i], want)
	}
	units := benchfmt.UnitMetadataMap(reader.Units())
	for unit, want := range map[string]int{"lost": -1, "failed": -1, "tasks/s": +1, "cpu-sec": -1, "peak-B": -1, "steals": 0} {
		if better := units.GetBetter(unit); better != want {
			t.Errorf("%s: better %d want %d", unit, better, want)
		}
	}
}

func checkValues(t *testing.T, got *benchfmt.Result, want Record) {
	t.Helper()
	failed := 0.0
	if want.Verdict == Failed {
		failed = 1
	}
	expect := map[string]float64{"failed": failed, "inconclusive": 0}
	if want.ElapsedNs > 0 {
		expect["sec/op"] = float64(want.ElapsedNs) * 1e-9
		expect["cpu-sec"] = float64(want.CPUNs) * 1e-9
		expect["peak-B"] = float64(want.PeakB)
	}
	for _, v := range want.Values {
		if v.Unit == "park-ns" {
			v = Value{"park-sec", v.Value * 1e-9}
		}
		expect[v.Unit] = v.Value
	}
	if len(got.Values) != len(expect) {
		t.Errorf("got %d values want %d: %v", len(got.Values), len(expect), got.Values)
	}
	for _, v := range got.Values {
		if v.Value != expect[v.Unit] {
			t.Errorf("%s: got %v want %v", v.Unit, v.Value, expect[v.Unit])
		}
	}
}

func TestWriteBenchRefuses(t *testing.T) {
	for _, c := range []ConfigLine{
		{"", "x"}, {"GOOS", "x"}, {"a b", "x"}, {"9a", "x"}, {"a:", "x"}, {"goos", ""}, {"goos", "a\nb"}, {"goos", " a"},
	} {
		if err := WriteBench(&bytes.Buffer{}, []ConfigLine{c}, nil); err == nil {
			t.Errorf("%q: accepted", c)
		}
	}
	twice := []ConfigLine{{"goos", "linux"}, {"goos", "darwin"}}
	if err := WriteBench(&bytes.Buffer{}, twice, nil); err == nil {
		t.Error("a key given twice: accepted")
	}
	bad := three()
	bad[1].Key.Drill = "two words"
	if err := WriteBench(&bytes.Buffer{}, nil, bad); err == nil {
		t.Error("a name with a space: accepted")
	}
	for room := range 2 { // the units do not fit, the results do not fit
		full := &fullWriter{room: room * 11}
		if err := WriteBench(full, nil, three()); !errors.Is(err, errFull) {
			t.Errorf("room for %d writes: got %v", full.room, err)
		}
	}
}

var errFull = errors.New("full")

type fullWriter struct{ room int }

func (w *fullWriter) Write(p []byte) (int, error) {
	if w.room--; w.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}
