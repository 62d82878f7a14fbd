package reports

import (
	"bytes"
	"encoding/xml"
	"testing"

	"github.com/exactlyonce/certify/reports/record"
)

// TestJUnitCanaries: they are a suite of their own. Caught is passed, whatever its
// records are; what was not, and a control that was, are errors and no failures.
func TestJUnitCanaries(t *testing.T) {
	canary := func(name string, caught int, killers ...record.Reason) Canary {
		c := Canary{Group: Group{Key: record.Key{Drill: "panic", Params: []record.Param{{Name: record.CanaryParam, Value: name}}}, Planned: 1}, Caught: caught}
		c.Killers = killers
		c.add(record.Record{Rep: 1, Verdict: record.Failed, Reason: record.Lost})
		return c
	}
	r := &Run{Canaries: []Canary{canary("caught", 1, record.Lost), canary("missed", 0, record.Stall), canary("control", 1)}}
	var out bytes.Buffer
	if err := r.JUnit(&out); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Suites   []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Error *struct {
					Message string `xml:"message,attr"`
				} `xml:"error"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 3 || got.Failures != 0 || got.Errors != 2 || len(got.Suites) != 2 || len(got.Suites[1].Cases) != 3 {
		t.Fatalf("%s", out.Bytes())
	}
	for i, want := range []string{"", "NOT CAUGHT", "TAKEN FOR BAD"} {
		e := got.Suites[1].Cases[i].Error
		if (e == nil) != (want == "") || e != nil && e.Message != want {
			t.Errorf("case %d: %+v, want %q", i, e, want)
		}
	}
}
