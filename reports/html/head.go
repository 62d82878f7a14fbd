package html

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/record"
)

// head is the first screen: the verdict in words, and what it rests on.
type head struct {
	Run     string
	Verdict string
	Class   string // certified, failed or inconclusive
	Reason  string // a word; empty when certified
	Why     string
	Counts  []tally
	Facts   []reports.Fact
}

// tally is a number of repetitions, and where its part of the bar lies, in
// thousandths.
type tally struct {
	Class, Name, N string
	X, Width       float64
}

var classes = map[record.Verdict]string{record.Certified: "certified", record.Failed: "failed", record.Inconclusive: "inconclusive"}

// meanings say the reasons in words.
var meanings = map[record.Reason]string{
	record.Lost:         "A task never ran.",
	record.Duplicated:   "A task ran more than once, or was never submitted.",
	record.Reordered:    "An order that was promised was not kept.",
	record.Race:         "The race detector reported a data race.",
	record.Stall:        "There was no progress before the deadline.",
	record.Leak:         "Goroutines or processes were left behind.",
	record.Memory:       "More memory was used than allowed, or some was left behind.",
	record.Crash:        "A process died, and not by our hand.",
	record.Contract:     "An interface was not kept.",
	record.Regression:   "A gate on performance was not met.",
	record.Floor:        "Nothing broke, but the interesting cases happened too rarely to say so.",
	record.Samples:      "Nothing broke, but fewer repetitions were run than planned.",
	record.MissingShard: "Nothing broke, but a part of the run is missing.",
	record.Noise:        "The machine was too noisy to compare.",
	record.Guard:        "The machine ran out of memory, or could not be watched.",
	record.Canary:       "A known-bad subject survived, or a known-good one did not: the other results say nothing.",
	record.Interrupted:  "Somebody stopped the run.",
}

func headOf(r *reports.Run) head {
	h := head{Run: line(r.ID), Verdict: r.Verdict.String(), Class: classes[r.Verdict], Reason: line(string(r.Reason)), Why: meanings[r.Reason]}
	if r.Verdict == record.Certified {
		h.Why = fmt.Sprintf("Every law that was checked held, in every repetition. Of each key, fewer than %.2f\u00a0%% of repetitions fail, at 95\u00a0%% confidence.", 100*bound(r))
	}
	h.Counts = counts(r)
	if r.Reason == record.Memory && h.Counts[1].N == "0" {
		h.Why = "Memory grows with the repetitions, which none of them shows alone."
	}
	h.Facts = []reports.Fact{
		{Name: "keys", Value: humanize.Comma(int64(len(r.Groups)))},
		{Name: "planned", Value: humanize.Comma(int64(r.Plan.Total()))},
		{Name: "seed", Value: fmt.Sprint(r.Plan.Seed)},
		{Name: "race detector", Value: map[bool]string{true: "on", false: "off"}[r.Plan.Race]},
	}
	return h
}

// bound is that of the key with the fewest clean repetitions.
func bound(r *reports.Run) (worst float64) {
	for _, g := range r.Groups {
		if !g.Exploration() { // which has no rate
			worst = max(worst, record.Bound(g.Clean))
		}
	}
	return worst
}

func counts(r *reports.Run) []tally {
	n := map[record.Verdict]int{}
	for _, rec := range r.Records {
		n[rec.Verdict]++
	}
	all := []tally{
		{Class: "certified", Name: "clean"}, {Class: "failed", Name: "failed"},
		{Class: "inconclusive", Name: "inconclusive"}, {Class: "missing", Name: "not run"},
	}
	x, total := 0.0, max(r.Plan.Total(), len(r.Records), 1)
	for i, count := range []int{n[record.Certified], n[record.Failed], n[record.Inconclusive], max(0, r.Plan.Total()-len(r.Records))} {
		all[i].N = humanize.Comma(int64(count))
		all[i].X, all[i].Width = x, 1000*float64(count)/float64(total)
		x += all[i].Width
	}
	return all
}
