package compare

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// benchstat is the real command, built by the go command from our go.mod.
var benchstat = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "tool", "-n", "benchstat").Output()
	return strings.TrimSpace(string(out)), err
})

// theirs runs benchstat. It exits with 0 on errors, so what counts is that it
// wrote something.
func theirs(t *testing.T, args ...string) (csv, warnings string) {
	t.Helper()
	path, err := benchstat()
	if err != nil {
		t.Fatalf("go tool -n benchstat: %v", err)
	}
	var out, warn bytes.Buffer
	c := exec.Command(path, append([]string{"-format", "csv"}, args...)...)
	c.Stdout, c.Stderr = &out, &warn
	if err := c.Run(); err != nil || out.Len() == 0 {
		t.Fatalf("benchstat %q: %v, %d bytes\n%s", args, err, out.Len(), warn.String())
	}
	return out.String(), warn.String()
}

func flags(o Options) (args []string) {
	for _, f := range []struct{ name, value string }{
		{"-table", o.Table}, {"-row", o.Row}, {"-col", o.Col}, {"-ignore", o.Ignore}, {"-filter", o.Filter},
	} {
		if f.value != "" {
			args = append(args, f.name, f.value)
		}
	}
	if o.IgnoreCPU {
		args = append(args, "-ignore", "cpu,/gomaxprocs")
	}
	for name, v := range map[string]float64{"-alpha": o.Alpha, "-confidence": o.Confidence} {
		if v != 0 {
			args = append(args, name, fmt.Sprint(v))
		}
	}
	return args
}

// equal compares ours with theirs, byte for byte, and returns the lines.
func equal(t *testing.T, o Options, files ...string) int {
	t.Helper()
	want, wantWarnings := theirs(t, append(flags(o), files...)...)
	var got, warnings bytes.Buffer
	if err := compared(t, o, files...).WriteCSV(&got, &warnings); err != nil {
		t.Fatal(err)
	}
	if got.String() != want || warnings.String() != wantWarnings {
		t.Errorf("benchstat %q\ngot\n%s%s\nwant\n%s%s", append(flags(o), files...), &got, &warnings, want, wantWarnings)
	}
	return strings.Count(want, "\n")
}

func compared(t *testing.T, o Options, files ...string) *Result {
	t.Helper()
	sets, err := ReadFiles(files...)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Compare(o, sets...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEqualToBenchstat(t *testing.T) {
	const old, now, notes = "testdata/old.txt", "testdata/new.txt", "testdata/notes.txt"
	lines := 0
	for _, c := range []struct {
		o     Options
		files []string
	}{
		{Options{}, []string{old}},
		{Options{}, []string{old, now}},
		{Options{}, []string{now, old}},
		{Options{}, []string{old, old}},
		{Options{}, []string{"a=" + old, "b=" + now, old}},
		{Options{}, []string{"a=" + old, "a=" + now}},
		{Options{}, []string{old, now, notes, old}},
		{Options{Col: "note"}, []string{notes}},
		{Options{Col: "note@(later before)"}, []string{notes}},
		{Options{Ignore: "note"}, []string{notes}},
		{Options{Row: "/size", Col: "/poly", Ignore: "note"}, []string{notes}},
		{Options{Row: ".name"}, []string{old, now}},
		{Options{Row: ".name,/cap", Col: "pkg"}, []string{old}},
		{Options{Table: "pkg", Col: ".file,goos"}, []string{old, now}},
		{Options{Filter: ".unit:(B/s OR sec/op)"}, []string{old, now}},
		{Options{Filter: ".name:Push"}, []string{old, now}},
		{Options{IgnoreCPU: true}, []string{old, now}},
		{Options{Alpha: 0.5}, []string{old, now}},
		{Options{Confidence: 0.8, Alpha: 1e-9}, []string{old, now}},
	} {
		lines += equal(t, c.o, c.files...)
	}
	t.Logf("%d lines are equal", lines)
}

// The test data of benchstat, and what other tools wrote: alone, by their
// notes, and against each other.
func TestEqualToBenchstatOnReference(t *testing.T) {
	dir := os.Getenv("CERTIFY_REFERENCE_DATA")
	if dir == "" {
		t.Skip("CERTIFY_REFERENCE_DATA does not name a directory of benchmark results")
	}
	files, lines, refused := readable(t, dir)
	for _, f := range files {
		for _, o := range []Options{{}, {Col: "note"}, {Ignore: "note"}, {Row: ".name"}} {
			lines += equal(t, o, f)
		}
		for _, other := range files {
			if filepath.Dir(other) == filepath.Dir(f) {
				lines += equal(t, Options{}, other, f)
			}
		}
	}
	crc := filepath.Join(dir, "x-perf", "benchstat_crc-new.txt")
	lines += equal(t, Options{Filter: "/align:0", Row: "/size", Col: "/poly"}, crc)
	t.Logf("%d files, %d lines are equal; refused or not read as benchstat does: %d", len(files), lines, refused)
	if len(files) < 10 {
		t.Errorf("only %d files can be compared", len(files))
	}
}

// readable returns the files that both read, and read alike: benchstat knows
// neither UTF-16 nor JSON, and takes what is logged for configuration.
func readable(t *testing.T, dir string) (files []string, lines, refused int) {
	all, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(all) == 0 {
		t.Fatalf("%s: %d files, %v", dir, len(all), err)
	}
	for _, f := range all {
		other := strings.Contains(f, "utf16") || strings.Contains(f, "verbose") || strings.HasSuffix(f, ".json")
		if _, err := ReadFiles(f); err != nil || other {
			refused++
			continue
		}
		files = append(files, f)
	}
	return files, 0, refused
}

// Generated files: unequal n, ties, zeros, missing rows, exact units that vary
// or not, negative values, configuration that splits, up to thirty columns.
func TestEqualToBenchstatOnGenerated(t *testing.T) {
	rounds := 60
	if testing.Short() {
		rounds = 8
	}
	lines, other := 0, 0
	for seed := range uint64(rounds) {
		dir := t.TempDir()
		random := rand.New(rand.NewPCG(seed, 1))
		columns := 1 + random.IntN(5)
		if seed%20 == 7 {
			columns = 30
		}
		var files []string
		for i := range columns {
			name := filepath.Join(dir, fmt.Sprintf("%d.txt", i))
			if err := os.WriteFile(name, []byte(generated(random)), 0o666); err != nil {
				t.Fatal(err)
			}
			files = append(files, name)
		}
		lines += equal(t, Options{}, files...)
		lines += equal(t, Options{Col: "note", Ignore: ".file"}, files...)
		other += roundedOtherwise(compared(t, Options{}, files...))
		if t.Failed() {
			t.Fatalf("seed %d; go test ./reports/compare -run TestEqualToBenchstatOnGenerated", seed)
		}
	}
	t.Logf("%d lines are equal; %d geomeans would not be by a plain mean of logs", lines, other)
	if other == 0 {
		t.Error("no geomean depends on how the mean is taken: the comparison would not notice")
	}
}

func generated(random *rand.Rand) string {
	var b strings.Builder
	b.WriteString("Unit lost assume=exact better=lower\ngoos: linux\n")
	for _, note := range []string{"one", "two"}[:1+random.IntN(2)] {
		fmt.Fprintf(&b, "note: %s\n", note)
		for row := range 1 + random.IntN(6) {
			if random.IntN(4) == 0 {
				continue
			}
			scale := math.Pow(10, float64(random.IntN(9)))
			n := []int{1, 2, 3, 4, 5, 6, 9, 10, 20, 24, 26, 51, 60}[random.IntN(13)]
			ties := random.IntN(2) == 0
			for range n {
				x := scale * (1 + 0.1*random.NormFloat64())
				if ties {
					x = math.Round(x/scale*10) * scale / 10
				}
				fmt.Fprintf(&b, "BenchmarkRow/row=%d-4 %d %v ns/op %d allocs/op %d lost %v MB/s %.3f drift\n",
					row, 1+random.IntN(1000), x, random.IntN(2), random.IntN(40)/39, x*0.0001, random.NormFloat64())
			}
		}
	}
	b.WriteString("BenchmarkAlways 1 5 ns/op\n") // so that no file is empty
	return b.String()
}

// roundedOtherwise counts the geomeans that differ when the mean of logs is
// their sum divided by their number.
func roundedOtherwise(r *Result) (n int) {
	for _, t := range r.Tables {
		for i, g := range t.geomeans {
			sum, rows := 0.0, 0.0
			for _, row := range t.Rows {
				if c := row.Cells[i]; c != nil {
					sum, rows = sum+math.Log(c.Center), rows+1
				}
			}
			if g.isMean && math.Exp(sum/rows) != g.center {
				n++
			}
		}
	}
	return n
}
