package document_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/document"
	"github.com/exactlyonce/certify/reports/record"
)

// schema is a part of docs/report.schema.json.
type schema struct {
	Ref        string             `json:"$ref"`
	Type       any                `json:"type"`
	About      string             `json:"description"`
	Closed     *bool              `json:"additionalProperties"`
	Required   []string           `json:"required"`
	Properties map[string]*schema `json:"properties"`
	Items      *schema            `json:"items"`
	AnyOf      []*schema          `json:"anyOf"`
	Defs       map[string]*schema `json:"$defs"`
}

func readSchema(t *testing.T) *schema {
	t.Helper()
	text, err := os.ReadFile("../../docs/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

// fields are the names in JSON of the fields of a struct, with their types.
func fields(of reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for i := range of.NumField() {
		f := of.Field(i)
		if f.Anonymous {
			for name, inner := range fields(f.Type) {
				all[name] = inner
			}
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		all[name] = f.Type
	}
	return all
}

// mismatches are where a schema and a type of Go do not say the same: a field that
// only one of them has, is open, is not required, is not explained, or can be null
// in one only.
func mismatches(root, s *schema, of reflect.Type, path string) (all []string) {
	add := func(what string) { all = append(all, path+": "+what) }
	if s.About == "" {
		add("no description")
	}
	nullable := false
	if of.Kind() == reflect.Pointer {
		of, nullable = of.Elem(), true
	}
	if len(s.AnyOf) == 2 && s.AnyOf[1].Type == "null" {
		return append(all, mismatches(root, &schema{Ref: s.AnyOf[0].Ref, About: s.About}, of, path)...)
	}
	if types, ok := s.Type.([]any); nullable != (ok && slices.Contains(types, any("null"))) && s.Ref == "" {
		add(fmt.Sprintf("may be null in Go: %v, type in the schema: %v", nullable, s.Type))
	}
	if s.Ref != "" {
		s = root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
	}
	switch {
	case of.Kind() == reflect.Slice:
		return append(all, mismatches(root, s.Items, of.Elem(), path+"[]")...)
	case of.Kind() != reflect.Struct || of == reflect.TypeFor[time.Time]():
		return all
	case s.Closed == nil || *s.Closed:
		add("is open")
	}
	have := fields(of)
	for name, inner := range s.Properties {
		if have[name] == nil {
			add("the schema alone has " + name)
			continue
		}
		all = append(all, mismatches(root, inner, have[name], path+"."+name)...)
	}
	for name := range have {
		if s.Properties[name] == nil {
			add("Go alone has " + name)
		}
		if !slices.Contains(s.Required, name) {
			add(name + " is not required")
		}
	}
	return all
}

// The schema and the types say the same, both ways.
func TestSchemaIsThatOfTheTypes(t *testing.T) {
	s := readSchema(t)
	for _, m := range mismatches(s, s, reflect.TypeFor[document.Document](), "report") {
		t.Error(m)
	}
}

// The check above can fail, each way.
func TestMismatchesAreFound(t *testing.T) {
	for name, spoil := range map[string]func(*schema){
		"a field more":   func(s *schema) { s.Defs["key"].Properties["more"] = &schema{About: "x"} },
		"a field less":   func(s *schema) { delete(s.Properties, "exit") },
		"open":           func(s *schema) { s.Defs["row"].Closed = nil },
		"not required":   func(s *schema) { s.Defs["slope"].Required = nil },
		"not explained":  func(s *schema) { s.Defs["trend"].Properties["tau"].About = "" },
		"not to be null": func(s *schema) { s.Properties["reason"].Type = "string" },
	} {
		s := readSchema(t)
		spoil(s)
		if len(mismatches(s, s, reflect.TypeFor[document.Document](), "report")) == 0 {
			t.Errorf("%s: not found", name)
		}
	}
}

// odd is a run with all that JSON cannot hold or readers round.
func odd() *reports.Run {
	k := record.Key{Drill: "exactly-once", Params: []record.Param{{Name: "tasks", Value: "10"}}}
	r := &reports.Run{ID: "run-1", Plan: reports.Plan{Keys: []record.Key{k}, Reps: 9, Seed: math.MaxUint64}, Verdict: record.Failed, Reason: record.Lost}
	g := reports.Group{Key: k, Planned: 9}
	for rep := range 8 {
		one := record.Record{Seq: rep + 1, Key: k, Rep: rep + 1, Seed: math.MaxUint64, Verdict: record.Certified, Start: time.Unix(int64(rep), 0), ElapsedNs: 1e9, PeakB: 1 << 60, Values: []record.Value{{Unit: "left-B", Value: 1e18}, {Unit: "steals", Value: 0}}}
		if rep == 7 {
			one.Verdict, one.Reason, one.Detail, one.Values = record.Failed, record.Lost, "<script>\x1b", nil
		} else {
			g.Clean++
		}
		g.Records = append(g.Records, one)
	}
	r.Records, r.Groups = g.Records, []reports.Group{g}
	return r
}

func written(t *testing.T, r *reports.Run, more ...reports.Section) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := document.Write(&b, r, more...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What is written reads back as it was, twice the same, and holds every number
// that JSON can hold.
func TestWrite(t *testing.T) {
	more := reports.Section{ID: "x", Title: "X", Blocks: []reports.Block{
		(*reports.Table)(nil), (*reports.Chart)(nil), reports.Code("go"),
		&reports.Chart{Kind: reports.Lines, Series: []reports.Series2D{{Y: []float64{math.NaN(), math.Inf(1), 1e18 + 1}, Line: &reports.FittedLine{Low: math.Inf(-1)}}}, Table: &reports.Table{
			Columns: []reports.Column{{Name: "a"}, {Name: "b", Numeric: true}}, Rows: []reports.Row{{Cells: []reports.Cell{{Text: "a", Value: 3}, {Text: "none"}}}}}},
	}}
	text := written(t, odd(), more)
	if !bytes.Equal(text, written(t, odd(), more)) {
		t.Error("two documents of one run differ")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var got document.Document
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(&got, document.Of(odd(), more)) {
		t.Error("reads back as something else")
	}
	if got.Exit != 1 || *got.Reason != "lost" || got.Plan.Seed != math.MaxUint64 || got.Counts.Clean != 7 || got.Counts.Missing != 1 || len(got.Failures) != 1 {
		t.Errorf("got %+v", got)
	}
	k := got.Keys[0]
	if k.Seconds.N != 7 || *k.Memory[1].Bytes.Median != 1e18 || k.Memory[1].Trend == nil || *k.Throughput.Most != 10 {
		t.Errorf("got %+v", k)
	}
	x := got.Sections[len(got.Sections)-1]
	if len(x.Blocks) != 2 || x.Blocks[1].Chart.Series[0].Y[0] != nil || x.Blocks[1].Chart.Series[0].Line.Low != nil || x.Blocks[1].Table.Rows[0].Values[0] != nil || x.Blocks[1].Table.Rows[0].Values[1] != nil {
		t.Errorf("got %s", text)
	}
	if !got.Finished.Equal(time.Unix(8, 0)) || !got.Started.Equal(time.Unix(0, 0)) {
		t.Errorf("from %v to %v", got.Started, got.Finished)
	}
}

// A run of nothing but failures tells of the first thousand.
func TestFailuresAreBounded(t *testing.T) {
	r := odd()
	r.Records = slices.Repeat(r.Records[7:], 1003)
	if d := document.Of(r); len(d.Failures) != 1000 || d.FailuresOmitted != 3 {
		t.Errorf("%d failures, %d more", len(d.Failures), d.FailuresOmitted)
	}
	if d := document.Of(&reports.Run{Verdict: record.Inconclusive, Reason: record.Samples}); d.Started != nil || d.Exit != 3 || d.Keys == nil {
		t.Errorf("got %+v", d)
	}
}
