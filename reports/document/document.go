package document

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/montanaflynn/stats"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/record"
)

// Schema names the format.
const Schema = "certify/report/1"

// Document is a report. Its fields are described in docs/report.schema.json.
type Document struct {
	Schema   string     `json:"schema"`
	Run      string     `json:"run"`
	Shard    *Shard     `json:"shard"`
	Verdict  string     `json:"verdict"`
	Reason   *string    `json:"reason"`
	Exit     int        `json:"exit"`
	Started  *time.Time `json:"started"`
	Finished *time.Time `json:"finished"`
	Counts   Counts     `json:"counts"`
	Plan     Plan       `json:"plan"`
	Keys     []Key      `json:"keys"`
	Canaries []Canary   `json:"canaries"`
	Failures []Failure  `json:"failures"`
	// FailuresOmitted are those beyond the first failuresMost.
	FailuresOmitted int         `json:"failuresOmitted"`
	Warnings        []Warning   `json:"warnings"`
	Limits          []string    `json:"limits"`
	Environment     []NameValue `json:"environment"`
	Digests         []Digest    `json:"digests"`
	Sections        []Section   `json:"sections"`
}

// Shard is which part of a plan the run is, of how many; index 0 is all of them,
// merged, but for those that are missing.
type Shard struct {
	Index   int   `json:"index"`
	Of      int   `json:"of"`
	Missing []int `json:"missing"`
}

// Counts are numbers of repetitions, and the bytes of an unfinished line.
type Counts struct {
	Planned      int   `json:"planned"`
	Run          int   `json:"run"`
	Clean        int   `json:"clean"`
	Failed       int   `json:"failed"`
	Inconclusive int   `json:"inconclusive"`
	Missing      int   `json:"missing"`
	TornB        int64 `json:"tornB"`
}

// Plan is what was to be run.
type Plan struct {
	Seed        uint64 `json:"seed,string"`
	Race        bool   `json:"race"`
	First       int    `json:"first"`
	Repetitions int    `json:"repetitions"`
}

// Key is what was repeated, and what it measured.
type Key struct {
	Key        string      `json:"key"`
	Drill      string      `json:"drill"`
	Parameters []NameValue `json:"parameters"`
	Verdict    string      `json:"verdict"`
	Reason     *string     `json:"reason"`
	Planned    int         `json:"planned"`
	Run        int         `json:"run"`
	Clean      int         `json:"clean"`
	Bound      float64     `json:"bound"`
	Power      float64     `json:"power"`
	Criterion  *string     `json:"criterion"`
	Omitted    []string    `json:"lawsOmitted"`
	Floors     []Floor     `json:"floors"`
	Seconds    *Numbers    `json:"seconds"`
	Throughput *Numbers    `json:"throughput"`
	PeakB      *Numbers    `json:"peakB"`
	Memory     []Figure    `json:"memory"`
	Values     []Value     `json:"values"`
}

// Floor is a reports.Reach.
type Floor struct {
	Unit    string   `json:"unit"`
	Least   float64  `json:"least"`
	Seen    *float64 `json:"seen"` // null where the subject does not count it
	Reached bool     `json:"reached"`
}

// Canary is a known-bad subject that must be caught, or a control, without killers.
type Canary struct {
	Name    string   `json:"name"`
	Fault   string   `json:"fault"`
	Drill   string   `json:"drill"`
	Killers []string `json:"killers"`
	Planned int      `json:"planned"`
	Run     int      `json:"run"`
	Caught  int      `json:"caught"`
	Verdict string   `json:"verdict"`
}

func canaryOf(c reports.Canary) Canary {
	v, _ := c.Verdict()
	killers := []string{}
	for _, k := range c.Killers {
		killers = append(killers, string(k))
	}
	return Canary{c.Key.Canary(), c.Fault, c.Key.Drill, killers, c.Planned, len(c.Records), c.Caught, v.String()}
}

// Numbers sum up a series.
type Numbers struct {
	N      int      `json:"n"`
	Least  *float64 `json:"least"`
	Median *float64 `json:"median"`
	Most   *float64 `json:"most"`
}

// Value sums up what was measured in a unit.
type Value struct {
	Unit string `json:"unit"`
	Numbers
}

// Figure is memory over the repetitions.
type Figure struct {
	Unit   string  `json:"unit"`
	About  string  `json:"about"`
	Judged bool    `json:"judged"`
	Bytes  Numbers `json:"bytes"`
	Trend  *Trend  `json:"trend"`
}

// Trend is a line of Theil and Sen, with the test of Mann and Kendall.
type Trend struct {
	Slope  Slope    `json:"slope"`
	Task   Slope    `json:"perTask"`
	Offset *float64 `json:"offset"`
	Grown  *float64 `json:"grown"`
	Tau    *float64 `json:"tau"`
	Chance *float64 `json:"chance"`
	Grows  bool     `json:"grows"`
}

// Slope has its bounds at 95 %.
type Slope struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// Failure is a repetition that is not clean.
type Failure struct {
	Seq        int    `json:"seq"`
	Key        string `json:"key"`
	Repetition int    `json:"repetition"`
	Seed       uint64 `json:"seed,string"`
	Verdict    string `json:"verdict"`
	Reason     string `json:"reason"`
	Detail     string `json:"detail"`
	Log        string `json:"log"`
	Repeat     string `json:"repeat"`
}

// Warning is a reports.Warning.
type Warning struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// NameValue is a fact or a parameter.
type NameValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Digest is of what must not change under the results.
type Digest struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// failuresMost are told in full; all are in the run's results.
const failuresMost = 1000

// Of is the report of run, and the sections of more behind its own.
func Of(run *reports.Run, more ...reports.Section) *Document {
	d := &Document{
		Schema: Schema, Run: run.ID, Verdict: run.Verdict.String(), Reason: reason(run.Reason), Exit: run.Verdict.ExitCode(),
		Counts: counts(run), Plan: Plan{run.Plan.Seed, run.Plan.Race, run.Plan.First, run.Plan.Reps},
		Keys: []Key{}, Canaries: []Canary{}, Failures: []Failure{}, Warnings: []Warning{}, Limits: run.Limits(), Environment: []NameValue{}, Digests: []Digest{}, Sections: []Section{},
	}
	if run.Shard != (record.Shard{}) {
		d.Shard = &Shard{run.Shard.Index, run.Shard.Of, append([]int{}, run.MissingShards()...)}
	}
	d.Started, d.Finished = span(run.Records)
	for _, g := range run.Groups {
		d.Keys = append(d.Keys, keyOf(g))
	}
	for _, c := range run.Canaries {
		d.Canaries = append(d.Canaries, canaryOf(c))
	}
	for _, r := range run.Records {
		switch {
		case r.Verdict == record.Certified:
		case len(d.Failures) == failuresMost:
			d.FailuresOmitted++
		default:
			d.Failures = append(d.Failures, Failure{r.Seq, r.Key.String(), r.Rep, r.Seed, r.Verdict.String(), string(r.Reason), r.Detail, r.Log, r.Repeat})
		}
	}
	for _, w := range run.Warnings() {
		d.Warnings = append(d.Warnings, Warning{w.ID, w.Text})
	}
	for _, f := range run.Env {
		d.Environment = append(d.Environment, NameValue{f.Name, f.Value})
	}
	for _, name := range slices.Sorted(maps.Keys(run.Pins)) {
		d.Digests = append(d.Digests, Digest{name, run.Pins[name]})
	}
	for _, s := range append(run.Sections(), more...) {
		d.Sections = append(d.Sections, sectionOf(s))
	}
	return d
}

// Write writes the document of run. An error is w's.
func Write(w io.Writer, run *reports.Run, more ...reports.Section) error {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(Of(run, more...))
	if err == nil {
		_, err = io.WriteString(w, escaped(text.String()))
	}
	if err != nil {
		return fmt.Errorf("document: %s: %w", run.ID, err)
	}
	return nil
}

func counts(run *reports.Run) Counts {
	c := Counts{Planned: run.Plan.Total(), Run: len(run.Records), TornB: run.TornB}
	for _, r := range run.Records {
		switch r.Verdict {
		case record.Certified:
			c.Clean++
		case record.Failed:
			c.Failed++
		case record.Inconclusive:
			c.Inconclusive++
		}
	}
	c.Missing = max(0, c.Planned-c.Run)
	return c
}

// span is from the first start to the last end.
func span(records []record.Record) (from, to *time.Time) {
	for _, r := range records {
		start, end := r.Start.UTC(), r.Start.Add(time.Duration(r.ElapsedNs)).UTC()
		if from == nil || start.Before(*from) {
			from = &start
		}
		if to == nil || end.After(*to) {
			to = &end
		}
	}
	return from, to
}

func floorsOf(g reports.Group) []Floor {
	all := []Floor{}
	for _, r := range g.Reaches() {
		f := Floor{Unit: r.Unit, Least: r.Least, Reached: !r.Below()}
		if r.Counted {
			f.Seen = &r.Seen
		}
		all = append(all, f)
	}
	return all
}

func keyOf(g reports.Group) Key {
	verdict, why := g.Verdict()
	k := Key{
		Key: g.Key.String(), Drill: g.Key.Drill, Parameters: []NameValue{}, Verdict: verdict.String(), Reason: reason(why),
		Planned: g.Planned, Run: len(g.Records), Clean: g.Clean, Bound: record.Bound(g.Clean),
		Seconds: known(g.Elapsed()), Throughput: known(g.Throughput()), PeakB: known(g.Peak()),
		Power: record.Power(len(g.Records), record.Fault), Omitted: append([]string{}, g.Laws.Omitted()...), Floors: floorsOf(g),
		Memory: []Figure{}, Values: []Value{},
	}
	if g.Laws != nil {
		k.Criterion = &g.Laws.Criterion
	}
	for _, p := range g.Key.Params {
		k.Parameters = append(k.Parameters, NameValue{p.Name, p.Value})
	}
	for _, f := range g.Memory() {
		k.Memory = append(k.Memory, Figure{f.Unit, f.About, f.Judged, numbers(f.Values), trendOf(f)})
	}
	for _, unit := range g.Units() {
		k.Values = append(k.Values, Value{unit, numbers(g.Of(unit).Values)})
	}
	return k
}

func trendOf(f reports.Figure) *Trend {
	if !f.Fitted {
		return nil
	}
	g := f.Growth
	t := &Trend{
		Slope: Slope{number(g.Slope), number(g.Low), number(g.High)}, Offset: number(g.Offset),
		Grown: number(g.Grown), Tau: number(g.Tau), Chance: number(g.Rise), Grows: g.Grows,
	}
	if perTask := (Slope{number(f.PerTask), number(f.PerTaskLow), number(f.PerTaskHigh)}); f.PerTask != 0 || f.PerTaskLow != 0 || f.PerTaskHigh != 0 {
		t.Task = perTask
	}
	return t
}

func known(s reports.Series) *Numbers {
	if len(s.Values) == 0 {
		return nil
	}
	n := numbers(s.Values)
	return &n
}

// numbers sums up at least one value.
func numbers(v []float64) Numbers {
	median, _ := stats.Median(v) // errs on no values only
	return Numbers{len(v), number(slices.Min(v)), number(median), number(slices.Max(v))}
}

// number is null where v is none that JSON can hold.
func number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func reason(r record.Reason) *string {
	if r == "" {
		return nil
	}
	word := string(r)
	return &word
}
