package bench

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

// lines writes cases as results, under the units, in the benchmark format.
func lines(t *testing.T, cases []Case) string {
	t.Helper()
	var b bytes.Buffer
	for _, u := range Units() {
		b.WriteString(u.String() + "\n")
	}
	w := benchfmt.NewWriter(&b)
	for _, c := range cases {
		values := []benchfmt.Value{{Value: 1, Unit: "sec/op", OrigValue: 1e9, OrigUnit: unitTime}}
		for _, u := range Units() {
			values = append(values, benchfmt.Value{Value: 2, Unit: u.Name})
		}
		if err := w.Write(&benchfmt.Result{Name: benchfmt.Name(c.Name + "-2"), Iters: 1, Values: values}); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// What is written about a case can be read back: its name with every key, and
// each unit with its direction.
func TestNamesAndUnitsAreReadBack(t *testing.T) {
	cases, err := Select(Cases(), "")
	if err != nil {
		t.Fatal(err)
	}
	r := benchfmt.NewReader(strings.NewReader(lines(t, cases)), "bench.txt")
	for i := 0; r.Scan(); {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			if got, want := string(rec.Name), cases[i].Name+"-2"; got != want {
				t.Errorf("read back %q, want %q", got, want)
			}
			base, parts := rec.Name.Parts()
			if string(base) != cases[i].Family() || string(parts[len(parts)-1]) != "-2" {
				t.Errorf("%s: base %q, parts %q", rec.Name, base, parts)
			}
			if len(rec.Values) != len(Units())+1 {
				t.Errorf("%s: %d values", rec.Name, len(rec.Values))
			}
			i++
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	better := map[string]int{"lower": -1, "higher": +1}
	known := benchfmt.UnitMetadataMap(r.Units())
	for _, u := range Units() {
		if got := known.GetBetter(u.Name); got != better[u.Better] || got == 0 {
			t.Errorf("%s: direction %d, want %s", u, got, u.Better)
		}
	}
}

// -bench . runs every family, and each benchmark has one.
func TestEveryFamilyIsABenchmark(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "bench_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	benchmarks := map[string]bool{}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			if family, ok := strings.CutPrefix(fn.Name.Name, "Benchmark"); ok {
				benchmarks[family] = true
			}
		}
	}
	families := map[string]bool{}
	for _, c := range Cases() {
		if families[c.Family()] = true; !benchmarks[c.Family()] {
			t.Errorf("there is no benchmark of %s", c.Name)
		}
	}
	for family := range benchmarks {
		if !families[family] {
			t.Errorf("Benchmark%s has no case", family)
		}
	}
}

func TestSelect(t *testing.T) {
	named := func(names ...string) (cases []Case) {
		for _, n := range names {
			cases = append(cases, Case{Name: n})
		}
		return cases
	}
	good := named("Pair/queue=a/p=1/c=1", "Pair/queue=b/p=1/c=1", "Own/queue=a")
	for pattern, want := range map[string]int{"": 3, "^Pair/": 2, "queue=a": 2, "Own": 1} {
		if got, err := Select(good, pattern); err != nil || len(got) != want {
			t.Errorf("%q selects %d cases, %v, want %d", pattern, len(got), err, want)
		}
	}
	if _, err := Select(good, "queue=c"); !errors.Is(err, ErrNoCase) {
		t.Errorf("error %v", err)
	}
	if _, err := Select(good, "("); err == nil || errors.Is(err, ErrNoCase) {
		t.Errorf("error %v", err)
	}
	for _, name := range []string{"", "pair/queue=a", "Pair queue", "Pair/queue", "Pair/queue=a b", "Pair/queue=a-2", "Pair/every=100µs", "Pair/a=b\n"} {
		if _, err := Select(named(name), ""); err == nil {
			t.Errorf("name %q is let through", name)
		}
	}
	if _, err := Select(named("Own/queue=a", "Own/queue=a"), ""); err == nil {
		t.Error("two cases of one name are let through")
	}
}
