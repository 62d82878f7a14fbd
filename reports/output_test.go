package reports_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/record"
)

func load(t testing.TB, dir string) *reports.Run {
	t.Helper()
	r, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// mixed is a run with a clean key, a failed one, and one that was not run.
func mixed(t testing.TB) *reports.Run {
	a, b := key("a"), key("b")
	nasty := func(r *record.Record) {
		failed(record.Lost)(r)
		r.Detail = "lost: <script>alert(1)</script> ]]> & | `code` \x01\x1b[31m"
	}
	return load(t, makeRun(t, plan(2, "a", "b", "c"), env, clean(a, 1, nil), clean(a, 2, nil), clean(b, 1, nasty), clean(b, 2, nil)))
}

// The XML parses, has a case a key with its parameters, tells failures from
// errors, and holds what XML can hold.
func TestJUnit(t *testing.T) {
	var out bytes.Buffer
	if err := mixed(t).JUnit(&out); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Cases    []struct {
			Name       string `xml:"name,attr"`
			Properties []struct {
				Name  string `xml:"name,attr"`
				Value string `xml:"value,attr"`
			} `xml:"properties>property"`
			Failure *struct {
				Type string `xml:"type,attr"`
				Text string `xml:",chardata"`
			} `xml:"failure"`
			Error *struct {
				Type string `xml:"type,attr"`
			} `xml:"error"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, out.Bytes())
	}
	if got.Tests != 3 || got.Failures != 1 || got.Errors != 1 || len(got.Cases) != 3 {
		t.Fatalf("got %+v", got)
	}
	good, bad, missing := got.Cases[0], got.Cases[1], got.Cases[2]
	if good.Failure != nil || good.Error != nil || good.Properties[0].Name != "deque" || good.Properties[0].Value != "a" {
		t.Errorf("good: %+v", good)
	}
	if bad.Failure == nil || bad.Failure.Type != "lost" || !strings.Contains(bad.Failure.Text, "<script>") || strings.ContainsAny(bad.Failure.Text, "\x01\x1b") {
		t.Errorf("bad: %+v", bad.Failure)
	}
	if missing.Error == nil || missing.Error.Type != "samples" {
		t.Errorf("missing: %+v", missing.Error)
	}
}

// Nothing of a record becomes markup, the verdict comes first, and a report that
// is too long loses whole sections and says so.
func TestMarkdown(t *testing.T) {
	var out bytes.Buffer
	if err := mixed(t).Markdown(&out); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if !strings.HasPrefix(text, "## FAILED (lost)\n\n3 of 6 repetitions clean, 4 run, of 3 keys.\n") {
		t.Errorf("begins with %.120q", text)
	}
	outside := text
	for _, fence := range []string{"````", "```"} { // what is in code is shown as it is
		parts := strings.Split(outside, "\n"+fence+"\n")
		for i := 1; i < len(parts); i += 2 {
			parts[i] = ""
		}
		outside = strings.Join(parts, "")
	}
	if strings.Contains(outside, "<script>") {
		t.Errorf("markup of a record: %s", outside)
	}
	if strings.Count(text, "<details>") != strings.Count(text, "</details>") {
		t.Error("unbalanced details")
	}

	out.Reset()
	if err := broad(650, 12).Markdown(&out); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 900_000 || !strings.Contains(out.String(), "sections did not fit") || !strings.HasPrefix(out.String(), "## CERTIFIED\n") {
		t.Errorf("%d bytes: %.60q", out.Len(), out.String())
	}
}

// broad is a run of many keys with long names, all clean.
func broad(keys, reps int) *reports.Run {
	r := &reports.Run{ID: "run-1", Verdict: record.Certified, Plan: reports.Plan{Reps: reps}}
	for i := range keys {
		g := reports.Group{Key: key(fmt.Sprintf("%s-%d.", strings.Repeat("k", 300), i)), Planned: reps, Clean: reps}
		for rep := 1; rep <= reps; rep++ {
			g.Records = append(g.Records, clean(g.Key, rep, nil))
		}
		r.Plan.Keys, r.Groups, r.Records = append(r.Plan.Keys, g.Key), append(r.Groups, g), append(r.Records, g.Records...)
	}
	return r
}
