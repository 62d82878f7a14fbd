package html_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/document"
	"github.com/exactlyonce/certify/reports/html"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
)

// forge writes the run directory of a stranger who knows the checksums, with a record
// of one failure if its words are such as a record may have.
func forge(t testing.TB, dir string, plan, env []byte, detail, repeat string) {
	t.Helper()
	var results []byte
	add := func(v any) {
		line, err := record.Seal(v)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, line...)
	}
	type pin struct {
		Schema string `json:"schema"`
		What   string `json:"what"`
		SHA256 string `json:"sha256"`
	}
	add(struct {
		Schema string `json:"schema"`
		Run    string `json:"run"`
	}{"certify/results/1", "run-1"})
	add(pin{"certify/pin/1", rundir.PlanFile, fmt.Sprintf("%x", sha256.Sum256(plan))})
	add(pin{"certify/pin/1", rundir.EnvFile, fmt.Sprintf("%x", sha256.Sum256(env))})
	r := record.Record{
		Run: "run-1", Seq: 1, Key: record.Key{Drill: "a"}, Rep: 1, Verdict: record.Failed, Reason: record.Lost,
		Detail: detail, Repeat: repeat, Start: time.Unix(1, 0),
	}
	if line, err := record.Encode(r); err == nil {
		results = append(results, line...)
	}
	for name, data := range map[string][]byte{rundir.PlanFile: plan, rundir.EnvFile: env, rundir.ResultsFile: results} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// steers returns a letter that a terminal or the text around it obeys.
func steers(s string) string {
	i := strings.IndexFunc(s, func(c rune) bool {
		return c != '\n' && c != '\t' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || c == '\u2028')
	})
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("%q", s[i:min(len(s), i+20)])
}

// FuzzReport: of whatever plan, environment and words, there is an error or there
// are a page, Markdown and JUnit in which nothing acts, and a document that parses.
func FuzzReport(f *testing.F) {
	const plan = `{"keys":["a"],"first":1,"reps":1,"seed":"1"}`
	f.Add([]byte(plan), []byte(`{"cpu":"x"}`), "lost", "certify soak")
	f.Add([]byte(`{"keys":["a",null],"keyReps":[1,-1],"reps":1,"seed":"1"}`), []byte(`{}`), "", "")
	f.Add([]byte(`{"keys":["a"],"reps":1,"seed":"1","skipped":[{"subject":"\u001b[2J","drill":"<b>","why":"\u202e"}]}`), []byte(`{"\u001b":"<script>"}`), "\x1b[2J", "<x>")
	f.Add([]byte(`{"keys":["a"],"reps":1,"seed":"1","keyLaws":[{"criterion":"\u001b","rules":[{"name":"</table>","law":"x","omitted":"|"}]}],"floors":[[{"unit":"\u0007","least":1}]]}`), []byte(`{"a":{"b":1},"a.b":2}`), "```\n</pre>", "`")
	f.Add([]byte(`{"keys":["a"],"reps":1,"seed":"1","canaries":[{"fault":"\u009b2J","killers":["lost"]}],"canaryKeys":["a/canary=x"],"canaryReps":1}`), []byte(`{}`), "x", "y")
	f.Fuzz(func(t *testing.T, plan, env []byte, detail, repeat string) {
		dir := t.TempDir()
		forge(t, dir, plan, env, detail, repeat)
		run, err := reports.Load(dir)
		if err != nil {
			return
		}
		var page, doc, markdown, junit bytes.Buffer
		for what, err := range map[string]error{
			"page": html.Write(&page, run), "document": document.Write(&doc, run), "Markdown": run.Markdown(&markdown), "JUnit": run.JUnit(&junit),
		} {
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
		}
		for what, text := range map[string]string{"page": page.String(), "Markdown": markdown.String(), "JUnit": junit.String(), "document": doc.String()} {
			if c := steers(text); c != "" || !utf8.ValidString(text) {
				t.Errorf("%s: %s", what, c)
			}
		}
		if strings.Count(page.String(), "<script") != 1 || strings.Contains(page.String(), "<iframe") {
			t.Error("the page has a script of others")
		}
		if !json.Valid(doc.Bytes()) {
			t.Error("the document is no JSON")
		}
		for d := xml.NewDecoder(&junit); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}
