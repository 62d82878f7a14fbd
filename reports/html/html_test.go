package html_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	stdhtml "html"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/html"
	"github.com/exactlyonce/certify/reports/record"
)

var update = flag.Bool("update", false, "rewrite the golden files; read the difference")

var (
	styleText   = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	scriptText  = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	packedText  = regexp.MustCompile(`base64,([^"]*)"`)
	idText      = regexp.MustCompile(` id="([^"]*)"`)
	refText     = regexp.MustCompile(` (?:href="#|for="|aria-labelledby=")([^"]*)"`)
	handlerText = regexp.MustCompile(`(?i)<[^>]*\s(on[a-z]+|style)=`)
	headText    = regexp.MustCompile(`<h([1-6])>`)
	quotedText  = regexp.MustCompile(`"[^"]*"`)
	policyText  = regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`)
)

// TestGolden is without the parts of a page that are files of their own, and its
// data, whose compression is Go's affair.
func TestGolden(t *testing.T) {
	for name, run := range map[string]*reports.Run{"mixed": mixed(t), "empty": makeRun(t, plan(3, "chaselev"), env)} {
		page := written(t, run)
		page = styleText.ReplaceAllString(page, "<style>...</style>")
		page = scriptText.ReplaceAllString(page, "<script>...</script>")
		page = packedText.ReplaceAllString(page, `base64,..."`)
		page = policyText.ReplaceAllString(page, `Content-Security-Policy" content="..."`)
		file := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if page != strings.ReplaceAll(string(want), "\r\n", "\n") {
			t.Errorf("%s is not what is written; go test -run TestGolden -update, and read the difference", file)
		}
	}
}

// complaints are what is wrong with a page, whatever it shows: markup that is not
// ours, controls, ids that are double or lead nowhere, headings out of order, a
// chart without its table, a policy that is not that of its parts.
func complaints(page string) (all []string) {
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for what, n := range map[string]int{"<script": 1, "<style": 1, "<iframe": 0, "<img": 0, "<object": 0, "<base": 0, "<link": 0, "<form": 0, "javascript:": 0, "http://": 0, "https://": 0} {
		outside := strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, "")
		if got := strings.Count(strings.ToLower(outside), what); got != n {
			add("%d times %s, want %d", got, what, n)
		}
	}
	tags := quotedText.ReplaceAllString(scriptText.ReplaceAllString(styleText.ReplaceAllString(page, ""), ""), `""`)
	if handlerText.MatchString(tags) {
		add("a handler or a style in an element")
	}
	if at := strings.IndexFunc(page, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' || r >= 0x7F && r < 0xA0 || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
	}); at >= 0 {
		add("a control: %q", page[max(0, at-20):at+5])
	}
	ids := map[string]bool{}
	for _, m := range idText.FindAllStringSubmatch(page, -1) {
		if ids[m[1]] || m[1] == "" {
			add("id %q: twice or empty", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range refText.FindAllStringSubmatch(page, -1) {
		for _, id := range strings.Fields(m[1]) {
			if !ids[id] {
				add("no id %q", id)
			}
		}
	}
	level := "0"
	for _, m := range headText.FindAllStringSubmatch(page, -1) {
		if m[1] > level && m[1][0]-level[0] > 1 {
			add("h%s after h%s", m[1], level)
		}
		level = m[1]
	}
	if figures, details := strings.Count(page, "<figure>"), strings.Count(page, "</table></div>\n</details>"); figures != details {
		add("%d charts with %d tables", figures, details)
	}
	return append(all, policyComplaints(page)...)
}

func policyComplaints(page string) (all []string) {
	policy := policyText.FindStringSubmatch(page)
	if policy == nil {
		return []string{"no policy"}
	}
	allowed := stdhtml.UnescapeString(policy[1])
	if !strings.HasPrefix(allowed, "default-src 'none'; ") || strings.Contains(allowed, "unsafe") {
		all = append(all, "policy "+allowed)
	}
	for what, re := range map[string]*regexp.Regexp{"style-src": styleText, "script-src": scriptText} {
		part := re.FindStringSubmatch(page)
		if part == nil {
			all = append(all, "no "+what)
			continue
		}
		sum := sha256.Sum256([]byte(part[1]))
		if want := what + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(allowed, want) {
			all = append(all, "policy without "+want)
		}
	}
	return all
}

// A check that cannot fail is none: each planted fault is found.
func TestComplaintsFindWhatIsPlanted(t *testing.T) {
	page := written(t, mixed(t))
	if c := complaints(page); len(c) != 0 {
		t.Fatalf("a good page: %q", c)
	}
	for name, bad := range map[string]string{
		"script":   strings.Replace(page, "</main>", "<script>alert(1)</script></main>", 1),
		"handler":  strings.Replace(page, "<h2>", `<h2 onclick="x">`, 1),
		"style":    strings.Replace(page, "<h2>", `<h2 style="x">`, 1),
		"escape":   strings.Replace(page, "lost", "\x1b[31mlost", 1),
		"bidi":     strings.Replace(page, "lost", "\u202elost", 1),
		"id":       strings.Replace(page, `id="top"`, `id="main"`, 1),
		"link":     strings.Replace(page, `href="#key-1"`, `href="#key-99"`, 1),
		"heading":  strings.Replace(page, "<h2>", "<h4>", 1),
		"no table": strings.Replace(page, "</details>", "", 1),
		"policy":   strings.Replace(page, "'use strict'", "'use  strict'", 1),
		"network":  strings.Replace(page, "</main>", `<a href="https://example.com">x</a></main>`, 1),
	} {
		if len(complaints(bad)) == 0 {
			t.Errorf("%s: not found", name)
		}
	}
}

// What a stranger wrote is shown, and does nothing.
func TestStrangersAreHarmless(t *testing.T) {
	dir := mixed(t).Dir
	for _, evil := range []string{
		"<script>alert(1)</script>", "</script><script>alert(1)</script>", "<!--<script>", "]]><svg onload=alert(1)>", `" onmouseover="alert(1)`,
		"'><img src=x onerror=alert(1)>", "{{.}} {{template \"x\"}}", "</title></svg></style><iframe>", "\x1b[2J\x1b]0;title\x07", "\u202eexe.txt\u2066",
		"\x00\x01\x7f\u0085\u2028", "\xff\xfe broken", "&lt;b&gt;", "javascript:alert(1)", "</pre></table></details></main>", "zero\u200bwidth\ufeff",
	} {
		r, err := reports.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		r.ID, r.Env[0].Value, r.Env[0].Name, r.Pins = evil, evil, evil, map[string]string{evil: evil}
		for i := range r.Records {
			r.Records[i].Detail = evil
		}
		chart := &reports.Chart{Title: evil, About: evil, Kind: reports.Lines, X: reports.Axis{Label: evil, Unit: evil}, Y: reports.Axis{Label: evil, Unit: evil},
			Series: []reports.Series2D{{Name: evil, Y: []float64{1, 2}}, {Name: evil, Y: []float64{2, 1}}},
			Table:  &reports.Table{Caption: evil, Columns: []reports.Column{{Name: evil}, {Name: evil, Numeric: true}}, Rows: []reports.Row{{ID: evil, Cells: []reports.Cell{{Text: evil}, {Text: evil}}}}}}
		var out bytes.Buffer
		err = html.Write(&out, r, reports.Section{ID: evil, Title: evil, Blocks: []reports.Block{reports.Text(evil), reports.Code(evil), chart}}, reports.Section{ID: "keys", Title: "again"}, reports.Section{ID: "table-1-caption"}, reports.Section{ID: "chart-1-title"})
		if err != nil {
			t.Fatal(err)
		}
		// The words may say what they like once they are text.
		page := strings.ReplaceAll(out.String(), "javascript:alert(1)", "")
		if c := complaints(page); len(c) != 0 {
			t.Errorf("%q: %q", evil, c)
		}
	}
}

// Whatever the run, there is a whole page that says its verdict.
func TestDegenerateRuns(t *testing.T) {
	a := key("chaselev")
	value := func(v float64) func(*record.Record) {
		return func(r *record.Record) {
			r.Values, r.PeakB, r.ElapsedNs = []record.Value{{Unit: "steals", Value: v}}, int64(v), int64(v)
		}
	}
	for name, r := range map[string]*reports.Run{
		"empty":              makeRun(t, plan(3, "chaselev"), env),
		"one repetition":     makeRun(t, plan(1, "chaselev"), env, clean(a, 1, nil)),
		"one failure":        makeRun(t, plan(1, "chaselev"), env, clean(a, 1, failed(record.Crash, "exit 2"))),
		"nothing said of it": makeRun(t, plan(1, "chaselev"), env, clean(a, 1, func(r *record.Record) { failed(record.Crash, "")(r); r.Repeat, r.Log = "", "" })),
		"all equal":          makeRun(t, plan(3, "chaselev"), env, clean(a, 1, value(5)), clean(a, 2, value(5)), clean(a, 3, value(5))),
		"all zero":           makeRun(t, plan(2, "chaselev"), env, clean(a, 1, value(0)), clean(a, 2, value(0))),
		"huge":               makeRun(t, plan(2, "chaselev"), env, clean(a, 1, value(1e18)), clean(a, 2, value(1e18+1))),
		"no facts":           makeRun(t, plan(1, "chaselev"), `{}`, clean(a, 1, nil)),
	} {
		page := written(t, r)
		if c := complaints(page); len(c) != 0 || !strings.Contains(page, r.Verdict.String()+"</b>") {
			t.Errorf("%s: %q", name, c)
		}
	}
}

// Sections of others: charts without points and tables without rows, on axes that
// cannot hold them, nothing at all, and more than a page holds.
func TestMoreSections(t *testing.T) {
	long := strings.Repeat("x", 1_000_000)
	big := &reports.Table{Caption: "big", Columns: []reports.Column{{Name: "n", Numeric: true}}}
	for i := range 5000 {
		big.Rows = append(big.Rows, reports.Row{Cells: []reports.Cell{{Text: fmt.Sprint(i), Value: float64(i)}}})
	}
	log := &reports.Chart{Title: "zeros", Y: reports.Axis{Log: true}, Series: []reports.Series2D{{Y: []float64{0, -1}}}, Table: &reports.Table{Caption: "none"}}
	odd := &reports.Table{Columns: []reports.Column{{Name: "v", Numeric: true}}, Rows: []reports.Row{{Cells: []reports.Cell{{Text: "?", Value: math.NaN()}, {Text: "too many"}}}, {}}}
	var none *reports.Chart
	blocks := []reports.Block{reports.Text(long), reports.Code(long), &reports.Table{Caption: long, Columns: []reports.Column{{Name: long}}, Rows: []reports.Row{{ID: long, Cells: []reports.Cell{{Text: long}}}}}, &reports.Chart{Title: long, About: long, Table: &reports.Table{Caption: long}}, big, log, odd, none, (*reports.Table)(nil), reports.Text(""), reports.Code("")}
	for range 45 {
		blocks = append(blocks, &reports.Chart{Title: "one of many", Series: []reports.Series2D{{Y: []float64{1}}}, Table: &reports.Table{Caption: "its"}})
	}
	page := written(t, mixed(t), reports.Section{ID: "more", Title: "More", Blocks: blocks})
	if c := complaints(page); len(c) != 0 {
		t.Errorf("%q", c)
	}
	for _, want := range []string{`<section id="more">`, "without 3,000 more rows", "above zero on a logarithmic axis", "983616 bytes cut", "at most 40 charts", `data-v="NaN"`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	if len(page) > 2_000_000 {
		t.Errorf("%d bytes", len(page))
	}
}

// What is downloaded is what was recorded.
func TestRawData(t *testing.T) {
	r := mixed(t)
	var files []string
	for _, m := range packedText.FindAllStringSubmatch(written(t, r), -1) {
		packed, err := base64.StdEncoding.DecodeString(stdhtml.UnescapeString(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(content))
	}
	if len(files) != 2 {
		t.Fatalf("%d files", len(files))
	}
	kept, err := os.ReadFile(filepath.Join(r.Dir, "results.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(files[0], "\n"); n != len(r.Records) || !strings.HasSuffix(string(kept), files[0]) {
		t.Errorf("%d lines, which are not those of results.jsonl", n)
	}
	if !strings.Contains(files[1], "\ngoos: linux\n") || strings.Count(files[1], "\nBenchmarkSoak/") != len(r.Records) {
		t.Errorf("got %.300s", files[1])
	}
}

func TestSameBytes(t *testing.T) {
	r := mixed(t)
	if first, second := written(t, r), written(t, r); first != second {
		t.Error("two pages of one run differ")
	}
}

// TestBudget holds what a page may cost, but for time: see BenchmarkWrite.
func TestBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("1200 records are synced to the disk")
	}
	r, more := full(t), benchmarks(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	page := written(t, r, more...)
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc // at least what was live at any time
	if len(page) > 2_000_000 || allocated > 200<<20 {
		t.Errorf("%d bytes, made with %d bytes: want at most 2 MB with 200 MiB", len(page), allocated)
	}
	if c := complaints(page); len(c) != 0 {
		t.Errorf("%q", c)
	}
	for _, id := range []string{"throughput", "scaling", "baseline", "memory", "bench", "bench-scaling", "bench-latency", "bench-mutex", "bench-before"} {
		if !strings.Contains(page, `<section id="`+id+`">`) {
			t.Errorf("no section %s", id)
		}
	}
	if n := strings.Count(page, "<svg xmlns"); n < 10 || strings.Contains(page, "Not drawn: a report") {
		t.Errorf("%d charts, or too many", n)
	}
	t.Logf("%d bytes, made with %d MiB in %v", len(page), allocated>>20, took)
}

func BenchmarkWrite(b *testing.B) {
	r, more := full(b), benchmarks(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := html.Write(io.Discard, r, more...); err != nil {
			b.Fatal(err)
		}
	}
}

func TestErrors(t *testing.T) {
	r := mixed(t)
	broken := errors.New("disk full")
	if err := html.Write(failing{broken}, r); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "html: run-1: ") {
		t.Errorf("got %v", err)
	}
	r.Records[0].Rep = 0
	if err := html.Write(io.Discard, r); err == nil {
		t.Error("a record that is not valid was written")
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
