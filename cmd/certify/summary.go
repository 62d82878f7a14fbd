package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/montanaflynn/stats"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak/campaign"
)

// summary is the result of a run: what --json prints, and the text's source.
type summary struct {
	Verdict  record.Verdict  `json:"verdict"`
	Reason   record.Reason   `json:"reason"` // empty when certified
	Exit     int             `json:"exit"`
	Dir      string          `json:"dir"`
	Shard    string          `json:"shard"` // such as 2/4; empty when the run is whole
	Done     int             `json:"done"`  // repetitions recorded
	Total    int             `json:"total"` // repetitions planned
	Tasks    uint64          `json:"tasks"` // in clean repetitions
	Race     bool            `json:"race"`
	Seed     uint64          `json:"seed,string"`
	Cells    []cellSummary   `json:"cells"`
	Failures []record.Record `json:"failures"` // and what was inconclusive
	// Blob is the file of a part that certify merge takes; empty when the run is whole.
	Blob string `json:"blob"`
	// Canaries are what had to be caught, and the controls.
	Canaries []canarySummary `json:"canaries"`
	// Missing are the shards that a merged run was not given.
	Missing []int `json:"missing"`
	// NotChecked is what a clean verdict does not speak of.
	NotChecked []string `json:"notChecked"`
}

// canarySummary is one known-bad subject, or a control, which has no killers.
type canarySummary struct {
	Name    string          `json:"name"`
	Fault   string          `json:"fault"`
	Drill   string          `json:"drill"`
	Killers []record.Reason `json:"killers"`
	Caught  int             `json:"caught"`
	Runs    int             `json:"runs"`
	Verdict record.Verdict  `json:"verdict"`
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
	// Below are the floors that were not reached.
	Below []reports.Reach `json:"below"`
	// Grows tells which memory grows from repetition to repetition; empty for none.
	Grows string `json:"grows"`
}

type spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// summarize says what groups of a run came to: all of them, or those of the part
// that went on here.
func summarize(r *reports.Run, groups []reports.Group) summary {
	s := summary{
		Dir: r.Dir, Done: len(r.Records), Race: r.Plan.Race, Seed: r.Plan.Seed,
		Failures: []record.Record{}, Missing: append([]int{}, r.MissingShards()...), NotChecked: notChecked(r), Canaries: []canarySummary{},
	}
	s.Verdict, s.Reason = reports.Judge(groups, r.Records)
	s.Exit = s.Verdict.ExitCode()
	if s.Verdict != record.Failed { // a part that is clean is not for us to certify
		s.Verdict, s.Reason = r.Verdict, r.Reason
	}
	if r.Shard.Part() {
		s.Shard = r.Shard.String()
	} else {
		s.Exit = s.Verdict.ExitCode()
	}
	for _, c := range r.Canaries {
		v, _ := c.Verdict()
		s.Canaries = append(s.Canaries, canarySummary{c.Key.Canary(), c.Fault, c.Key.Drill, c.Killers, c.Caught, len(c.Records), v})
	}
	for _, rec := range r.Records {
		if rec.Verdict != record.Certified {
			s.Failures = append(s.Failures, rec)
		}
	}
	for _, g := range groups {
		s.Total += g.Planned
		s.Tasks += uint64(g.Clean) * uint64(g.Tasks())
		s.Cells = append(s.Cells, summarizeCell(g))
	}
	return s
}

func summarizeCell(g reports.Group) cellSummary {
	c := cellSummary{Key: g.Key, Clean: g.Clean, Planned: g.Planned}
	if c.Clean > 0 {
		c.Bound = new(record.Bound(c.Clean))
		c.ElapsedS, c.PeakB = spreadOf(g.Elapsed()), spreadOf(g.Peak())
	}
	for _, u := range g.Units() {
		c.Values = append(c.Values, record.Value{Unit: u, Value: spreadOf(g.Of(u)).Median})
	}
	c.Below = []reports.Reach{}
	for _, r := range g.Reaches() {
		if r.Below() {
			c.Below = append(c.Below, r)
		}
	}
	if f, grows := g.Grown(); grows {
		c.Grows = f.String()
	}
	return c
}

// spreadOf is 0 in all of a figure that no repetition has.
func spreadOf(s reports.Series) *spread {
	if len(s.Values) == 0 {
		return new(spread)
	}
	median, _ := stats.Median(s.Values) // errs on no values only
	return &spread{median, slices.Min(s.Values), slices.Max(s.Values)}
}

// notChecked says what even a clean run has not looked at.
func notChecked(r *reports.Run) []string {
	not := r.NotLookedAt()
	for _, s := range r.Plan.Skipped {
		not = append(not, s.Drill+" on "+s.Subject)
	}
	if len(r.Canaries) == 0 {
		not = append([]string{"known-bad subjects that must fail, so the power of the drill is not shown"}, not...)
	}
	if !r.Plan.Race {
		not = append([]string{"data races: the race detector was off"}, not...)
	}
	return not
}

func (s summary) print(w io.Writer, mark func(record.Verdict) string) {
	var body strings.Builder
	s.printBody(&body)
	fmt.Fprintf(w, "%s\n%s", s.heading(mark), harmless(body.String()))
}

func (s summary) printBody(w io.Writer) {
	for _, c := range s.Cells {
		c.print(w)
	}
	s.printCanaries(w)
	if s.Exit == 0 {
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
	if s.Blob != "" {
		fmt.Fprintf(w, "for certify merge: %s\n", s.Blob)
	}
	fmt.Fprintf(w, "report: %s\n", filepath.Join(s.Dir, reportFile))
}

func (s summary) heading(mark func(record.Verdict) string) string {
	if s.Shard != "" && s.Exit == 0 {
		return fmt.Sprintf("SHARD %s CLEAN: the verdict comes from certify merge", s.Shard)
	}
	return mark(s.Verdict) + s.because()
}

func (s summary) because() string {
	switch {
	case len(s.Missing) > 0 && s.Reason == record.MissingShard:
		return fmt.Sprintf(" (%s): missing %s", s.Reason, shardList(s.Missing))
	case s.Reason == record.Samples:
		return fmt.Sprintf(" (%s): %d of %d repetitions", s.Reason, s.Done, s.Total)
	case s.Reason != "":
		return fmt.Sprintf(" (%s)", s.Reason)
	}
	return ""
}

// printCanaries says how many were caught, and names those that were not.
func (s summary) printCanaries(w io.Writer) {
	caught, bad, survived, controls := 0, 0, 0, 0
	for _, c := range s.Canaries {
		ok := 0
		if c.Verdict == record.Certified {
			ok = 1
		}
		if len(c.Killers) == 0 {
			controls, survived = controls+1, survived+ok
		} else {
			bad, caught = bad+1, caught+ok
		}
	}
	if bad == 0 {
		return
	}
	fmt.Fprintf(w, "canaries: %d of %d known-bad subjects caught, %d of %d controls survived\n", caught, bad, survived, controls)
	for _, c := range s.Canaries {
		switch {
		case c.Verdict == record.Certified:
		case c.Runs == 0:
			fmt.Fprintf(w, "  %s had no turn\n", c.Name)
		case len(c.Killers) == 0:
			fmt.Fprintf(w, "  %s, which has no fault, was taken for bad in %d of %d repetitions of %s\n", c.Name, c.Caught, c.Runs, c.Drill)
		default:
			fmt.Fprintf(w, "  %s (%s) was caught in %d of %d repetitions of %s, want by %v\n", c.Name, c.Fault, c.Caught, c.Runs, c.Drill, c.Killers)
		}
	}
}

// shardList names at most some.
func shardList(missing []int) string {
	const most = 20
	var names []string
	for _, i := range missing[:min(most, len(missing))] {
		names = append(names, fmt.Sprint(i))
	}
	text := strings.Join(names, ", ")
	if more := len(missing) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
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
	"lost", "duplicated", "monitor-ns", "rows", "alien", "workers", "stolen", "injected", "task-ns", "drill-ns",
	"live-B", "drained-B", "left-B", "grown-B", "growth-B/task", "growth-low-B/task", "growth-high-B/task", "goroutines", "gc-pause-ns", "idle-cpu-ns",
}

// printExplored says what was tried, and within which bounds.
func (c cellSummary) printExplored(w io.Writer) {
	n := map[string]int64{}
	for _, v := range c.Values {
		n[v.Unit] = int64(v.Value)
	}
	bounds := "every order of each"
	if n["exhausted"] < n["programs"] {
		bounds = fmt.Sprintf("every order of %d, of the others those with up to %d preemptions", n["exhausted"], n["within-preemptions"])
	}
	fmt.Fprintf(w, "  %s\n    %d programs, %s executions in %.1f s: %s\n", c.Key, n["programs"], humanize.Comma(n["executions"]), c.ElapsedS.Median, bounds)
}

func (c cellSummary) print(w io.Writer) {
	if c.Key.Drill == campaign.ExploreDrill && c.Clean > 0 {
		c.printExplored(w)
		return
	}
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
	for _, r := range c.Below {
		fmt.Fprintf(w, "    INCONCLUSIVE (%s): %s %s in all, want at least %s\n", record.Floor, humanize.Commaf(r.Seen), r.Unit, humanize.Commaf(r.Least))
	}
	if c.Grows != "" {
		fmt.Fprintf(w, "    FAILED (%s): %s\n", record.Memory, c.Grows)
	}
}
