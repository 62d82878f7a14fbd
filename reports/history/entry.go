package history

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/compare"
	"github.com/exactlyonce/certify/reports/record"
)

// Schema names the encoding of an entry.
const Schema = "certify/history/1"

// Entry is what one run measured.
type Entry struct {
	Schema string    `json:"schema"`
	Run    string    `json:"run"`
	Class  string    `json:"class"` // of the machine; runs of two are not compared
	Commit string    `json:"commit"`
	Go     string    `json:"go"`
	Time   time.Time `json:"time"` // of the first repetition
	Series []Series  `json:"series"`
}

// Series is one thing that was measured several times.
type Series struct {
	Name   string    `json:"name"` // of the benchmark, or the key of the repetitions
	Unit   string    `json:"unit"`
	Better int       `json:"better"` // +1: more is better; -1: less is
	Values []float64 `json:"values"` // in the order in which they were measured
}

// units of a run's repetitions that are kept: the rest are counts, which change
// with the schedule.
var units = []string{"task-sec", "sec/op", "peak-B"}

// Of is the entry of a run: of its clean repetitions.
func Of(r *reports.Run) (Entry, error) {
	e := Entry{Schema: Schema, Run: r.ID, Class: Class(r), Commit: r.Fact("commit"), Go: r.Fact("go")}
	var clean []record.Record
	for _, rec := range r.Records {
		if rec.Verdict == record.Certified {
			clean = append(clean, rec)
		}
	}
	if len(r.Records) > 0 {
		e.Time = r.Records[0].Start
	}
	var text bytes.Buffer
	if err := record.WriteBench(&text, nil, clean); err != nil {
		return e, fmt.Errorf("history: run %s: %w", r.ID, err)
	}
	return e, e.add("the run", &text, func(unit string) bool { return slices.Contains(units, unit) })
}

// Class is the class of the machine of a run.
func Class(r *reports.Run) string {
	return fmt.Sprintf("%s/%s %s, %s CPUs", r.Fact("goos"), r.Fact("goarch"), r.Fact("cpu"), r.Fact("cpus"))
}

// AddBench adds the results of a file of benchmarks, of whose units the direction
// is known. What compare refuses is an error.
func (e *Entry) AddBench(name string, data []byte) error {
	if _, err := compare.Read(name, bytes.NewReader(data)); err != nil {
		return err
	}
	return e.add(name, bytes.NewReader(data), func(string) bool { return true })
}

func (e *Entry) add(name string, text io.Reader, want func(unit string) bool) error {
	r := benchfmt.NewReader(text, name)
	for r.Scan() {
		result, ok := r.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		for _, v := range result.Values {
			better := r.Units().GetBetter(v.Unit)
			if better == 0 || !want(v.Unit) {
				continue
			}
			s := e.series(result.Name.String(), v.Unit, better)
			s.Values = append(s.Values, rounded(v.Value))
		}
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("history: %s: %w", name, err)
	}
	return nil
}

// series finds or makes one.
func (e *Entry) series(name, unit string, better int) *Series {
	for i := range e.Series {
		if s := &e.Series[i]; s.Name == name && s.Unit == unit {
			return s
		}
	}
	e.Series = append(e.Series, Series{Name: name, Unit: unit, Better: better})
	return &e.Series[len(e.Series)-1]
}

// rounded keeps six digits: a line is read by git, too.
func rounded(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		return v
	}
	return short
}

// bench is the entry in the Go benchmark format.
func (e Entry) bench() string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, s := range e.Series {
		if !seen[s.Unit] {
			seen[s.Unit] = true
			better := map[int]string{1: "higher", -1: "lower"}[s.Better]
			fmt.Fprintf(&b, "Unit %s better=%s\n", s.Unit, better)
		}
	}
	for _, s := range e.Series {
		for _, v := range s.Values {
			fmt.Fprintf(&b, "Benchmark%s 1 %v %s\n", s.Name, v, s.Unit)
		}
	}
	return b.String()
}
