package compare

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"golang.org/x/perf/benchfmt"
)

func fixture(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	// As it was written, whatever git did to the ends of lines.
	return strings.ReplaceAll(string(b), "\r\n", "\n")
}

// shown is a set as text: each result with all its configuration.
func shown(s *Set) string {
	var b strings.Builder
	for _, r := range s.results {
		for _, c := range r.Config {
			if c.File {
				fmt.Fprintf(&b, "%s=%s ", c.Key, c.Value)
			}
		}
		fmt.Fprintf(&b, "%s %d", r.Name, r.Iters)
		for _, v := range r.Values {
			fmt.Fprintf(&b, " %.4g %s", v.Value, v.Unit)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func wide16(s string, order binary.AppendByteOrder) string {
	b := make([]byte, 0, 2*len(s)+2)
	for _, u := range append([]uint16{0xFEFF}, utf16.Encode([]rune(s))...) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

// However a file was kept, it holds the same.
func TestReadEncodings(t *testing.T) {
	plain := strings.ReplaceAll(fixture(t, "old.txt"), "Some CPU", "Some 漢字 \U0001F600 µCPU")
	set, err := Read("x", strings.NewReader(plain))
	if err != nil || len(set.results) != 80 {
		t.Fatalf("plain: %v", err)
	}
	want := shown(set)
	for name, text := range map[string]string{
		"crlf":             strings.ReplaceAll(plain, "\n", "\r\n"),
		"utf-8 mark":       "\uFEFF" + plain,
		"utf-16 le":        wide16(plain, binary.LittleEndian),
		"utf-16 be":        wide16(plain, binary.BigEndian),
		"utf-16 with crlf": wide16(strings.ReplaceAll(plain, "\n", "\r\n"), binary.LittleEndian),
		"no end":           strings.TrimRight(plain, "\n"),
	} {
		for how, r := range map[string]io.Reader{"": strings.NewReader(text), " by bytes": iotest.OneByteReader(strings.NewReader(text))} {
			set, err := Read("x", r)
			if err != nil {
				t.Errorf("%s%s: %v", name, how, err)
			} else if got := shown(set); got != want {
				t.Errorf("%s%s: got\n%s\nwant\n%s", name, how, got, want)
			}
		}
	}
}

// Half of a surrogate pair is no character, and takes none with it.
func TestReadLoneSurrogate(t *testing.T) {
	text := []byte(wide16("cpu: ?A\nBenchmarkX 1 1 u\n", binary.LittleEndian))
	at := bytes.IndexByte(text, '?')
	text[at], text[at+1] = 0x00, 0xD8
	set, err := Read("x", bytes.NewReader(text))
	if err != nil || shown(set) != "cpu=\uFFFDA X 1 1 u\n" {
		t.Errorf("%v %q", err, shown(set))
	}
}

// What benchmarks log is no configuration and no unit; what stands above the
// first name is.
func TestReadVerbose(t *testing.T) {
	set, err := Read("x", strings.NewReader(fixture(t, "verbose.txt")))
	if err != nil {
		t.Fatal(err)
	}
	const config = "note=of the whole run goos=linux goarch=amd64 pkg=example.com/q cpu=Some CPU @ 2.60GHz "
	want := config + "Chan-2 511039 9.043e-08 sec/op\n" + config + "Chan-2 188084 1.272e-07 sec/op\n" +
		config + "Logs-2 24530972 1.967e-09 sec/op\n" + config + "Logs-2 29235847 1.702e-09 sec/op\n"
	if got := shown(set); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	// Where nothing is verbose, the same line is configuration.
	set, err = Read("x", strings.NewReader("note: a\nBenchmarkX 1 1 ns/op\nnote: b\nBenchmarkX 1 1 ns/op\n"))
	if err != nil || !strings.Contains(shown(set), "note=b X 1") {
		t.Errorf("%v\n%s", err, shown(set))
	}
	// At the end of a package it counts again.
	set, err = Read("x", strings.NewReader("BenchmarkX\nnote: a\nBenchmarkX 1 1 ns/op\nPASS\nnote: c\nBenchmarkX 1 1 ns/op\n"))
	if err != nil || strings.Contains(shown(set), "note=a") || !strings.Contains(shown(set), "note=c X 1") {
		t.Errorf("%v\n%s", err, shown(set))
	}
	// A package without its end: the next one begins with goos or pkg.
	set, err = Read("x", strings.NewReader("pkg: a\nBenchmarkX\nBenchmarkX 1 1 ns/op\npkg: b\nnote: c\nBenchmarkX 1 1 ns/op\n"))
	if err != nil || !strings.Contains(shown(set), "pkg=b note=c X 1") {
		t.Errorf("%v\n%s", err, shown(set))
	}
}

// Events of two packages, interleaved, with results and lines split over them.
func TestReadEvents(t *testing.T) {
	stream := fixture(t, "stream.json")
	for name, text := range map[string]string{
		"events":         stream,
		"build output":   "# example.com/a\ngo: downloading x v1.0.0\n" + stream,
		"text after one": strings.Replace(stream, "\n", "\nwarning: something else\n", 1),
	} {
		set, err := Read("x", strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := "goos=linux pkg=example.com/a X-2 332181 1.754e-07 sec/op\n" +
			"goos=linux pkg=example.com/a X-2 319804 1.772e-07 sec/op\n" +
			"goos=linux pkg=example.com/b X-2 100 1.25e-08 sec/op\n"
		if got := shown(set); got != want {
			t.Errorf("%s: got\n%swant\n%s", name, got, want)
		}
	}
	if _, err := Read("x", strings.NewReader(strings.ReplaceAll(stream, "example.com/b", "example.com/a"))); err == nil {
		t.Error("the same lines of one package, glued, are read")
	}
}

// Each of these is refused, by its line.
func TestReadRefuses(t *testing.T) {
	const good = "BenchmarkGood-2 10 100 ns/op\n"
	for _, c := range []struct{ text, want string }{
		{"", "f: no benchmark result in 0 lines"},
		{"PASS\nok  \tx\t0.1s\n", "f: no benchmark result in 2 lines"},
		{"test cmov ... bench:  2835 cycles/iter (+/- 14)\n", "f: no benchmark result in 1 lines"},
		{"BenchmarkNameOnly\n", "f: no benchmark result"},
		{"Unit x better=lower\n", "f: no benchmark result"},
		{good + "BenchmarkNaN 10 NaN ns/op\n", "f:2: sec/op is NaN"},
		{good + "BenchmarkInf 10 1 ns/op +Inf speedup\n", "f:2: speedup is +Inf"},
		{good + "BenchmarkInf 10 1 ns/op -inf speedup\n", "f:2: speedup is -Inf"},
		{good + "BenchmarkHuge 10 1e308 MB/s\n", "f:2: B/s is +Inf"},
		{good + "BenchmarkHuge 10 1e301 x\n", "f:2: x is 1e+301"},
		{good + "BenchmarkRange 10 1e400 x\n", "f:2: parsing measurement"},
		{good + "BenchmarkOdd-2 10 100 ns/op 3\n", "f:2: missing units"},
		{good + "BenchmarkNoIter ns/op\n", "f:2: parsing iteration count"},
		{good + "BenchmarkNone 10\n", "f:2: missing measurements"},
		{good + "BenchmarkComma-2 10 1,5 ns/op\n", "f:2: parsing measurement"},
		{good + "BenchmarkZero-2 0 0 ns/op\n", "f:2: 0 iterations"},
		{good + "BenchmarkLess-2 -5 1 ns/op\n", "f:2: -5 iterations"},
		{good + "BenchmarkDup-2 10 5 ns/op 6 ns/op\n", "f:2: sec/op is measured twice"},
		{good + "BenchmarkDup-2 10 5 ns/op 5e-9 sec/op\n", "f:2: sec/op is measured twice"},
		{good + "BenchmarkRacy-4   \t==================\n", "f:2: parsing iteration count"},
		{good + "BenchmarkGlued-4   \tnote: started\n", "f:2: parsing iteration count"},
		{"Unit a better=lower\n" + good + "Unit a better=higher\n", "f:3: metadata better of unit a already set to lower"},
		{"Unit ns/op better\tassume=exact\n" + good, "f:1: expected key=value"},
		{good + "BenchmarkCut-2 10 100 ns/o", "f:2: unit ns/o: the last line has no end"},
		{good + "BenchmarkCut-2 10 100", "f:2: missing units: the last line has no end"},
		{good + "BenchmarkCut-2", "f:2: a result: the last line has no end"},
		{good + "Unit x better=low", "f:2: a description of a unit: the last line has no end"},
		{good + "a\x00b\n", "f:2: a NUL byte"},
		{wide16(good, binary.LittleEndian)[2:], "f:1: a NUL byte"},
		{wide16(good, binary.LittleEndian) + "x", "f:2: UTF-16 ends in the middle"},
		{`{"Action":"start"}` + "\n{\"Act\n", "f:2: not a whole event"},
		{`{"Action":"output","Output":"BenchmarkX 1 1 ns/op\n"}` + "\n" + `{"Time":"2026`, "f:2: not a whole event"},
		{`{"Action":"output","Output":"BenchmarkX-2 \t"}` + "\n", "f:1: missing iteration count: the last line has no end"},
		{good + "BenchmarkLong 1 " + strings.Repeat("1 x ", 10000) + "\n", "f:2: longer than 32768 bytes"},
		{keys(300) + good, "f:301: more than 256 lines of configuration"},
	} {
		_, err := Read("f", strings.NewReader(c.text))
		var in *InputError
		if !errors.As(err, &in) || !strings.HasPrefix(err.Error(), "compare: read "+c.want) {
			t.Errorf("%.60q: got %v, want %s", c.text, err, c.want)
		}
	}
}

func keys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: v\n", i)
	}
	return b.String()
}

// All that is wrong is told, up to ten; and an error of the reader is that.
func TestReadErrors(t *testing.T) {
	_, err := Read("f", strings.NewReader(strings.Repeat("BenchmarkX 1 NaN ns/op\n", 99)))
	if n := strings.Count(fmt.Sprint(err), "\n") + 1; n != 10 {
		t.Errorf("%d problems, want 10", n)
	}
	boom := errors.New("boom")
	_, err = Read("f", io.MultiReader(strings.NewReader("BenchmarkX 1 1 ns/op\n"), iotest.ErrReader(boom)))
	if !errors.Is(err, boom) {
		t.Errorf("got %v, want %v", err, boom)
	}
	if _, err = ReadFiles("testdata/none.txt", "testdata"); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "read testdata") {
		t.Errorf("got %v", err)
	}
}

// These look damaged, and are not.
func TestReadAccepts(t *testing.T) {
	for _, text := range []string{
		"BenchmarkExp-2 10 1e-3 ns/op 5.5E+3 B/op\n",
		"Benchmark-2 10 7 ns/op\n",
		"Benchmarkuber_zap_total 1 10138651 total-bytes\n",
		"Benchmarking with three workers\nBenchmark done\nBenchmarkX 1 1 ns/op\n",
		"Unit tests passed\nBenchmarkX 1 1 ns/op\n",
		"BenchmarkX 1 1 ns/op 3 odd\nBenchmarkX 1 1 ns/op 3 odd", // no end, but a unit that is known
		strings.Repeat("x", 1<<20) + "\nBenchmarkX 1 1 ns/op\n",
		"{\"not\": \"an event\"}\n{torn\nBenchmarkX 1 1 ns/op\n",
		"BenchmarkX 1 -1 ns/op\n",
	} {
		if set, err := Read("f", strings.NewReader(text)); err != nil || len(set.results) == 0 {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}

// endless yields a text for ever, so that only a limit ends it.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[e.at]
		e.at = (e.at + 1) % len(e.text)
	}
	return len(p), nil
}

// Endless inputs are refused, with memory near the limit: one line, results,
// log lines, kept configuration, events, packages.
func TestReadIsBounded(t *testing.T) {
	lim := limits{lineB: 4 << 10, inputB: 16 << 20, retainedB: 4 << 20}
	if testing.Short() {
		lim = limits{lineB: 4 << 10, inputB: 1 << 20, retainedB: 512 << 10}
	}
	for name, text := range map[string]string{
		"one line":      "x",
		"one result":    "Benchmark",
		"results":       "BenchmarkX 1 1 ns/op\n",
		"log":           "some line\n",
		"configuration": "key: value\n",
		"keys":          keys(250) + "BenchmarkX 1 1 ns/op\n",
		"events":        `{"Action":"output","Package":"p","Output":"BenchmarkX 1 1 ns/op\n"}` + "\n",
		"one event":     `{"Action":"output","Package":"p","Output":"xxxxxxxxxxxxx"}` + "\n",
	} {
		before := allocated()
		_, err := read("f", "f", &endless{text: text}, lim)
		var in *InputError
		if !errors.As(err, &in) {
			t.Errorf("%s: %v", name, err)
		}
		if n := allocated() - before; n > 20*uint64(lim.retainedB) && name != "events" && name != "one event" {
			t.Errorf("%s: %d MB allocated", name, n>>20)
		}
	}
	var packages bytes.Buffer
	for i := range 20000 {
		fmt.Fprintf(&packages, `{"Action":"output","Package":"p%d","Output":"x"}`+"\n", i)
	}
	if _, err := read("f", "f", &packages, lim); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("packages: %v", err)
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// Labels and paths become columns as they do in benchstat.
func TestReadFilesNames(t *testing.T) {
	const f = "testdata/old.txt"
	sets, err := ReadFiles(f, "a="+f, f, "b="+f)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range sets {
		names = append(names, s.name+"|"+s.results[0].GetConfig(".file"))
	}
	want := f + "#0|" + f + "#0 a|a " + f + "#1|" + f + "#1 b|b"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The reader hands out memory that it uses again; what is kept is not that.
func TestResultsAreCopies(t *testing.T) {
	set, err := Read("f", strings.NewReader("note: a\nBenchmarkX 1 1 u\nnote: b\nBenchmarkY 2 2 v\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := shown(set); got != "note=a X 1 1 u\nnote=b Y 2 2 v\n" {
		t.Errorf("got %s", got)
	}
	// The defect: keep what the reader hands out.
	r := benchfmt.NewReader(strings.NewReader("BenchmarkX 1 1 u\nBenchmarkY 2 2 v\n"), "f")
	var kept []*benchfmt.Result
	for r.Scan() {
		kept = append(kept, r.Result().(*benchfmt.Result))
	}
	if kept[0].Name.String() == "X" {
		t.Error("the reader does not use its memory again: this test shows nothing")
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"notes.txt", "verbose.txt", "stream.json"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("BenchmarkX 1 NaN ns/op\n"))
	f.Add([]byte(wide16("Unit a better=lower assume=exact\nBenchmarkX 1 1 a 0 ns/op\n", binary.LittleEndian)))
	f.Add([]byte("BenchmarkX-1 1 1e299 ns/op\nBenchmarkX-2 1 5e-324 ns/op 1 MB/s"))
	f.Add([]byte(`{"Action":"output","Output":"BenchmarkX 1 1 ns/op\n"}`))
	lim := limits{lineB: 1 << 10, inputB: 1 << 20, retainedB: 1 << 20}
	f.Fuzz(func(t *testing.T, text []byte) {
		set, err := read("f", "f", bytes.NewReader(text), lim)
		if err != nil {
			return
		}
		if len(set.results) == 0 {
			t.Fatal("no error and no result")
		}
		crlf := bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r"), nil), []byte("\n"), []byte("\r\n"))
		if plain, err := read("f", "f", bytes.NewReader(bytes.ReplaceAll(text, []byte("\r"), nil)), lim); err == nil {
			other, err := read("f", "f", bytes.NewReader(crlf), lim)
			if err == nil && shown(plain) != shown(other) {
				t.Errorf("LF\n%s\nCRLF\n%s", shown(plain), shown(other))
			}
		}
		r, err := Compare(Options{}, set, set)
		if err != nil {
			t.Fatal(err)
		}
		if r.WriteText(io.Discard) != nil || r.WriteCSV(io.Discard, io.Discard) != nil {
			t.Error("cannot be written")
		}
		if _, err := Gate(r, GateOptions{Floor: Noise(r)}); err != nil {
			t.Error(err)
		}
	})
}
