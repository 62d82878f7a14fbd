package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/montanaflynn/stats"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak/campaign"
)

// summary is the result of a run: what --json prints, and the text's source.
type summary struct {
	Verdict  record.Verdict  `json:"verdict"`
	Reason   record.Reason   `json:"reason"` // empty when certified
	Exit     int             `json:"exit"`
	Dir      string          `json:"dir"`
	Done     int             `json:"done"`  // repetitions recorded
	Total    int             `json:"total"` // repetitions planned
	Tasks    uint64          `json:"tasks"` // in clean repetitions
	Race     bool            `json:"race"`
	Seed     uint64          `json:"seed,string"`
	Cells    []cellSummary   `json:"cells"`
	Failures []record.Record `json:"failures"` // and what was inconclusive
	// NotChecked is what a clean verdict does not speak of.
	NotChecked []string `json:"notChecked"`
}

// cellSummary is one key: the clean repetitions, and what they measured.
type cellSummary struct {
	Key     record.Key `json:"key"`
	Clean   int        `json:"clean"`
	Planned int        `json:"planned"`
	// What follows is null without a clean repetition.
	Bound    *float64 `json:"bound"`    // rate of failing repetitions, 95 %
	ElapsedS *spread  `json:"elapsedS"` // of the whole process
	PeakB    *spread  `json:"peakB"`
	// Values are the medians of what the repetitions counted.
	Values []record.Value `json:"values"`
}

type spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

func summarize(p campaign.Plan, records []record.Record, dir string) summary {
	s := summary{Dir: dir, Done: len(records), Total: p.Total(), Race: p.Race, Seed: p.Seed, Failures: []record.Record{}, NotChecked: notChecked(p)}
	s.Verdict, s.Reason = record.Judge(records, p.Total())
	s.Exit = s.Verdict.ExitCode()
	for _, r := range records {
		if r.Verdict != record.Certified {
			s.Failures = append(s.Failures, r)
		}
	}
	for _, cell := range p.Cells {
		c := summarizeCell(p.Key(cell), records)
		c.Planned = p.Reps
		s.Tasks += uint64(c.Clean) * uint64(cell.Tasks)
		s.Cells = append(s.Cells, c)
	}
	return s
}

func summarizeCell(key record.Key, records []record.Record) cellSummary {
	c := cellSummary{Key: key}
	var elapsed, peak []float64
	values := map[string][]float64{}
	var units []string
	for _, r := range records {
		if r.Verdict != record.Certified || r.Key.String() != key.String() {
			continue
		}
		c.Clean++
		elapsed = append(elapsed, time.Duration(r.ElapsedNs).Seconds())
		peak = append(peak, float64(r.PeakB))
		for _, v := range r.Values {
			if values[v.Unit] == nil {
				units = append(units, v.Unit)
			}
			values[v.Unit] = append(values[v.Unit], v.Value)
		}
	}
	if c.Clean > 0 {
		c.Bound = new(record.Bound(c.Clean))
		c.ElapsedS, c.PeakB = spreadOf(elapsed), spreadOf(peak)
	}
	for _, u := range units {
		c.Values = append(c.Values, record.Value{Unit: u, Value: spreadOf(values[u]).Median})
	}
	return c
}

// spreadOf is of at least one sample.
func spreadOf(samples []float64) *spread {
	median, _ := stats.Median(samples) // errs on no samples only
	return &spread{median, slices.Min(samples), slices.Max(samples)}
}

// notChecked says what even a clean run has not looked at.
func notChecked(p campaign.Plan) []string {
	not := []string{
		"known-bad subjects that must fail, so the power of the drill is not shown",
		"schedules under control", "linearizability of histories",
		"memory growth over repetitions", "other machines and platforms",
	}
	if !p.Race {
		not = append([]string{"data races: the race detector was off"}, not...)
	}
	return not
}

func (s summary) print(w io.Writer, mark func(record.Verdict) string) {
	fmt.Fprintln(w, mark(s.Verdict)+s.because())
	for _, c := range s.Cells {
		c.print(w)
	}
	if s.Verdict == record.Certified {
		fmt.Fprintf(w, "%s tasks in all: 0 lost, 0 duplicated%s\n", humanize.Comma(int64(s.Tasks)), s.races())
	}
	for _, r := range s.Failures {
		printFailure(w, r, s.Dir)
	}
	if s.Reason == record.Guard {
		fmt.Fprintln(w, "what the guard ended does not go on: give the machine some air, and begin a new run")
	}
	fmt.Fprintf(w, "not checked: %s\n", strings.Join(s.NotChecked, "; "))
	fmt.Fprintf(w, "evidence: %s (%d of %d repetitions, seed %d)\n", s.Dir, s.Done, s.Total, s.Seed)
	fmt.Fprintf(w, "report: %s\n", filepath.Join(s.Dir, reportFile))
}

func (s summary) because() string {
	switch {
	case s.Reason == record.Samples:
		return fmt.Sprintf(" (%s): %d of %d repetitions", s.Reason, s.Done, s.Total)
	case s.Reason != "":
		return fmt.Sprintf(" (%s)", s.Reason)
	}
	return ""
}

func (s summary) races() string {
	if s.Race {
		return ", 0 data races"
	}
	return ""
}

// quietUnits are what a line of text leaves out: what must be 0, and what the
// record is for.
var quietUnits = []string{
	"lost", "duplicated", "alien", "workers", "stolen", "injected", "task-ns", "drill-ns",
	"live-B", "left-B", "grown-B", "growth-B/task", "goroutines", "gc-pause-ns", "idle-cpu-ns",
}

func (c cellSummary) print(w io.Writer) {
	fmt.Fprintf(w, "  %s\n    %d of %d repetitions clean", c.Key, c.Clean, c.Planned)
	if c.Clean == 0 {
		fmt.Fprintln(w)
		return
	}
	fmt.Fprintf(w, ": %s\n", record.BoundText(c.Clean))
	fmt.Fprintf(w, "    time %.2f s (%.2f to %.2f), peak memory %s (%s to %s)\n",
		c.ElapsedS.Median, c.ElapsedS.Min, c.ElapsedS.Max,
		bytesText(c.PeakB.Median), bytesText(c.PeakB.Min), bytesText(c.PeakB.Max))
	var seen []string
	for _, v := range c.Values {
		if !slices.Contains(quietUnits, v.Unit) {
			seen = append(seen, fmt.Sprintf("%s %s", humanize.Comma(int64(v.Value)), v.Unit))
		}
	}
	if len(seen) > 0 {
		fmt.Fprintf(w, "    each did, in the median, %s\n", strings.Join(seen, ", "))
	}
}
