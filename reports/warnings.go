package reports

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/montanaflynn/stats"

	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/trend"
)

// Warning is something about a run that a reader should know before believing its
// numbers. No verdict rests on it.
type Warning struct {
	ID   string // a word: what kind of warning it is
	Text string // what there is, and what that means
}

// warnings is what is looked for, in the order in which it is told. A row that
// finds nothing returns no text.
var warnings = []struct {
	id   string
	look func(*Run) string
}{
	{"torn-line", tornLine},
	{"commit", unknownCommit},
	{"few", fewRepetitions},
	{"virtual", virtualMachine},
	{"load", loadedMachine},
	{"pressure", pressedMachine},
	{"governor", slowGovernor},
	{"order", notInterleaved},
	{"spread", wideSpread},
	{"outliers", manyOutliers},
	{"drift", driftingTimes},
	{"dependent", dependentTimes},
}

// Warnings are those that apply to r.
func (r *Run) Warnings() (all []Warning) {
	for _, w := range warnings {
		if text := w.look(r); text != "" {
			all = append(all, Warning{w.id, text})
		}
	}
	return all
}

func warningTexts(r *Run) (blocks []Block) {
	for _, w := range r.Warnings() {
		blocks = append(blocks, Text(w.Text))
	}
	return blocks
}

func tornLine(r *Run) string {
	if r.TornB == 0 {
		return ""
	}
	return fmt.Sprintf("The last line of the results was not finished, %s of it: whoever wrote it was stopped. It is not counted, nor is its repetition.", humanize.Comma(r.TornB)+plural(int(r.TornB), " byte"))
}

func unknownCommit(r *Run) string {
	switch commit := r.Fact("commit"); {
	case commit == "" || commit == "unknown":
		return "The commit that was tested is not known: this cannot be repeated from the report alone, and says nothing of any other build."
	case strings.HasSuffix(commit, "(modified)"):
		return "The source was changed after the commit that is named: nobody else has what was tested."
	}
	return ""
}

// fewLeast is how many clean repetitions a bound should rest on.
const fewLeast = 10

func fewRepetitions(r *Run) string {
	few := picked(r, func(g Group) (float64, bool) { return -float64(g.Clean), g.Clean < fewLeast && !g.Exploration() })
	if len(few) == 0 {
		return ""
	}
	return fmt.Sprintf("%s fewer than %d clean repetitions (%s has %d): up to %.0f %% of its repetitions may fail, and this run would not show it.",
		has(few), fewLeast, few[0].key, int(-few[0].by), 100*record.Bound(int(-few[0].by)))
}

func virtualMachine(r *Run) string {
	if v := r.Fact("virtualization"); strings.HasPrefix(v, "reported:") {
		return fmt.Sprintf("The machine is a virtual one (%s): its neighbours take time that cannot be seen from inside. Compare times within this run, not with those of another.", strings.TrimSpace(strings.TrimPrefix(v, "reported:")))
	}
	return ""
}

func loadedMachine(r *Run) string {
	first, _, _ := strings.Cut(r.Fact("load"), " ")
	load, err := strconv.ParseFloat(first, 64)
	cpus, cpuErr := strconv.ParseFloat(r.Fact("cpus"), 64)
	if err != nil || cpuErr != nil || load <= cpus/2 {
		return ""
	}
	return fmt.Sprintf("When the run began the load was %s on %s processors: something else was at work. Times are longer and wider than they need be; what was lost or raced is not.", first, r.Fact("cpus"))
}

var pressure = regexp.MustCompile(`avg10=([0-9.]+)`)

// pressedLeast is the share of time, in percent, in which something waited.
const pressedLeast = 10

func pressedMachine(r *Run) string {
	for _, f := range r.Env {
		if !strings.Contains(f.Name, "psi") && !strings.Contains(f.Name, "pressure") {
			continue
		}
		m := pressure.FindStringSubmatch(f.Value)
		if m == nil {
			continue
		}
		if share, err := strconv.ParseFloat(m[1], 64); err == nil && share >= pressedLeast {
			return fmt.Sprintf("The machine was under pressure (%s: %s %% of the last ten seconds): tasks waited for it, and not only for each other. Times are longer than they need be.", f.Name, m[1])
		}
	}
	return ""
}

func slowGovernor(r *Run) string {
	for _, f := range r.Env {
		if strings.Contains(f.Name, "governor") && slices.Contains([]string{"powersave", "ondemand", "conservative", "schedutil", "userspace"}, f.Value) {
			return fmt.Sprintf("The frequency of the processors follows their load (%s: %s): short work is measured at a low one. Set it to performance before comparing times.", f.Name, f.Value)
		}
	}
	return ""
}

func notInterleaved(r *Run) string {
	if interleaved(r.Records) {
		return ""
	}
	return "The keys ran one after the other, not in turns: what the machine did meanwhile looks like a difference between them."
}

// speed is what is judged of times: throughput where there is one.
func (g Group) speed() []float64 {
	if v := g.Throughput().Values; len(v) > 0 {
		return v
	}
	return g.Elapsed().Values
}

// spreadMost is the median deviation from the median, relative to it.
const spreadMost = 0.1

func wideSpread(r *Run) string {
	wide := picked(r, func(g Group) (float64, bool) {
		v := g.speed()
		mad, err := stats.MedianAbsoluteDeviation(v)
		if err != nil || len(v) < fitLeast {
			return 0, false
		}
		rate := mad / middle(v)
		return rate, rate > spreadMost
	})
	if len(wide) == 0 {
		return ""
	}
	return fmt.Sprintf("%s times that are wide: half of the repetitions of %s differ from their median by more than %.0f %%. A smaller difference between keys takes many repetitions to tell from chance.", has(wide), wide[0].key, 100*wide[0].by)
}

// Outliers are told of where some are beyond the outer fences, or, of series that
// are not short, more than a share is beyond the inner ones: a few always are.
const (
	outlierShare = 0.1
	outlierLeast = 20
)

func manyOutliers(r *Run) string {
	total := 0
	odd := picked(r, func(g Group) (float64, bool) {
		v := g.speed()
		out, err := stats.QuartileOutliers(v)
		n := len(out.Mild) + len(out.Extreme)
		many := len(v) >= outlierLeast && float64(n) > outlierShare*float64(len(v))
		if err != nil || len(v) < fitLeast || len(out.Extreme) == 0 && !many {
			return 0, false
		}
		total += n
		return float64(n), true
	})
	if len(odd) == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s far from the others (beyond 1.5 lengths of the box, most of them, %.0f, of %s): something else ran at that time, or there is a rare path that is slow. Medians stand; means and extremes do not.",
		has(odd), humanize.Comma(int64(total))+plural(total, " repetition"), odd[0].by, odd[0].key)
}

// driftChance is that of a drift by chance, in either direction.
const driftChance = 0.001

func driftingTimes(r *Run) string {
	drifting := picked(r, func(g Group) (float64, bool) {
		v := slices.Clone(g.speed())
		k, err := trend.MannKendall(v)
		if err != nil {
			return 0, false
		}
		return math.Abs(k.Tau), min(k.Rise, falls(v)) < driftChance
	})
	if len(drifting) == 0 {
		return ""
	}
	return fmt.Sprintf("%s times that drift over the run, most of all %s: the machine warmed up, slowed down or filled up meanwhile. Repetitions are then no samples of one thing.", has(drifting), drifting[0].key)
}

// falls is the chance of such a fall without a trend.
func falls(v []float64) float64 {
	turned := make([]float64, len(v))
	for i := range v {
		turned[i] = -v[i]
	}
	k, err := trend.MannKendall(turned)
	if err != nil {
		return 1
	}
	return k.Rise
}

// dependentLeast is how many repetitions a correlation is computed of.
const dependentLeast = 20

func dependentTimes(r *Run) string {
	dependent := picked(r, func(g Group) (float64, bool) {
		v := g.speed()
		if len(v) < dependentLeast {
			return 0, false
		}
		c, err := stats.AutoCorrelation(v, 1)
		return math.Abs(c), err == nil && math.Abs(c) > 3/math.Sqrt(float64(len(v)))
	})
	if len(dependent) == 0 {
		return ""
	}
	return fmt.Sprintf("%s times that depend on the repetition before (in %s by a correlation of %.2f): intervals and p are too optimistic, for they take repetitions to be independent.", has(dependent), dependent[0].key, dependent[0].by)
}

type pick struct {
	key string
	by  float64
}

// picked are the keys that look picks, the worst first.
func picked(r *Run, look func(Group) (by float64, is bool)) (all []pick) {
	for _, g := range r.Groups {
		if by, is := look(g); is {
			all = append(all, pick{g.Key.String(), by})
		}
	}
	slices.SortStableFunc(all, func(a, b pick) int {
		switch {
		case a.by > b.by:
			return -1
		case a.by < b.by:
			return 1
		}
		return 0
	})
	return all
}

func has(all []pick) string {
	if len(all) == 1 {
		return "1 key has"
	}
	return humanize.Comma(int64(len(all))) + " keys have"
}
