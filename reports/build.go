package reports

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/montanaflynn/stats"

	"github.com/exactlyonce/certify/reports/record"
)

// failures are what only many repetitions show, and what single ones did.
func failures(r *Run) []Block { return append(growths(r), brokenLaws(r)...) }

// brokenLaws are grouped by their meaning, the most frequent first: the same law
// broken fifty times is one thing to look at.
func brokenLaws(r *Run) (blocks []Block) {
	groups := map[record.Reason][]record.Record{}
	for _, rec := range r.Records {
		if rec.Verdict != record.Certified {
			groups[rec.Reason] = append(groups[rec.Reason], rec)
		}
	}
	reasons := slices.SortedFunc(maps.Keys(groups), func(a, b record.Reason) int {
		if d := int(b.Verdict()) - int(a.Verdict()); d != 0 {
			return d
		}
		if d := len(groups[b]) - len(groups[a]); d != 0 {
			return d
		}
		return strings.Compare(string(a), string(b))
	})
	for _, reason := range reasons {
		all := groups[reason]
		first := all[0]
		blocks = append(blocks,
			Text(fmt.Sprintf("%s (%s): %s. The first is repetition %d of %s.",
				reason.Verdict(), reason, humanize.Comma(int64(len(all)))+plural(len(all), " repetition"), first.Rep, first.Key)),
			Code(first.Detail), Code(first.Repeat), failureTable(all))
	}
	return blocks
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// failureRows is how many failures of one reason a report lists.
const failureRows = 100

func failureTable(all []record.Record) *Table {
	t := &Table{
		Caption: "Each of them",
		Columns: []Column{{"repetition", true}, {"key", false}, {"seed", false}, {"seen", false}, {"log", false}},
	}
	for _, r := range all[:min(len(all), failureRows)] {
		seen, _, _ := strings.Cut(r.Detail, "\n")
		t.Rows = append(t.Rows, Row{fmt.Sprintf("record-%d", r.Seq), []Cell{
			{fmt.Sprint(r.Rep), float64(r.Rep)}, {Text: r.Key.String()}, {Text: fmt.Sprint(r.Seed)}, {Text: seen}, {Text: r.Log},
		}})
	}
	if more := len(all) - len(t.Rows); more > 0 {
		t.Caption += fmt.Sprintf(", without %s more", humanize.Comma(int64(more)))
	}
	return t
}

// keys are the groups with what their clean repetitions say.
func keys(r *Run) []Block {
	t := &Table{
		Caption: "The bound is on the rate at which a repetition fails, at 95 % confidence; the power is the probability to meet a fault of 3 % of the repetitions in these",
		Columns: []Column{{"key", false}, {"verdict", false}, {"clean", true}, {"planned", true}, {"bound", true}, {"power", true}, {"time, median", true}, {"peak memory, median", true}},
	}
	for i, g := range r.Groups {
		verdict, _ := g.Verdict()
		t.Rows = append(t.Rows, Row{fmt.Sprintf("key-%d", i+1), []Cell{
			{Text: g.Key.String()}, {Text: verdict.String()},
			{fmt.Sprint(g.Clean), float64(g.Clean)}, {fmt.Sprint(g.Planned), float64(g.Planned)},
			boundCell(g), powerCell(g),
			medianCell(g.Elapsed(), seconds), medianCell(g.Peak(), bytesText),
		}})
	}
	return []Block{t}
}

func medianCell(s Series, text func(float64) string) Cell {
	m, err := stats.Median(s.Values)
	if err != nil {
		return Cell{Text: "none"}
	}
	return Cell{text(m), m}
}

// middle is the median of some values.
func middle(v []float64) float64 {
	m, _ := stats.Median(v) // errs on no values only
	return m
}

func sortedKeys[V any](m map[float64]V) []float64 { return slices.Sorted(maps.Keys(m)) }

func seconds(v float64) string { return fmt.Sprintf("%.2f s", v) }

// bytesText is v with a binary prefix, and its sign where it is below zero.
func bytesText(v float64) string {
	switch size := math.Abs(v); {
	case math.IsInf(v, 0) || math.IsNaN(v):
		return "no bound"
	case v < 0:
		return "-" + bytesText(-v)
	case size < 1024 && size != math.Trunc(size):
		return fmt.Sprintf("%.3g B", v)
	case size > 1<<62:
		return fmt.Sprintf("%.3g B", v)
	}
	return humanize.IBytes(uint64(v))
}

func bytesCell(v float64) Cell { return Cell{bytesText(v), v} }

// number is v to some four digits, and from a thousand on to the whole number.
func number(v float64) Cell {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return Cell{"no bound", v}
	}
	if size := math.Abs(v); size < 1e15 && (v == math.Trunc(v) || size >= 1000) {
		return Cell{humanize.Comma(int64(math.Round(v))), v}
	}
	return Cell{fmt.Sprintf("%.4g", v), v}
}

// counts are the medians of what the repetitions counted.
func counts(r *Run) []Block {
	t := &Table{Caption: "Medians of the clean repetitions", Columns: []Column{{"key", false}, {"unit", false}, {"median", true}, {"least", true}, {"most", true}}}
	names, shared := labels(r.Groups)
	if shared != "" {
		t.Caption += "." + strings.TrimSuffix(allOf(shared), ".")
	}
	for i, g := range r.Groups {
		for _, unit := range g.Units() {
			s := g.Of(unit)
			t.Rows = append(t.Rows, Row{Cells: []Cell{
				{Text: names[i]}, {Text: unit}, number(middle(s.Values)), number(slices.Min(s.Values)), number(slices.Max(s.Values)),
			}})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []Block{t}
}

func method(r *Run) []Block {
	t := &Table{Caption: "The machine and the build", Columns: []Column{{"what", false}, {"value", false}}}
	for _, f := range r.Env {
		t.Rows = append(t.Rows, Row{Cells: []Cell{{Text: f.Name}, {Text: f.Value}}})
	}
	pins := &Table{Caption: "SHA-256 of what must not change under the results", Columns: []Column{{"what", false}, {"digest", false}}}
	for _, name := range slices.Sorted(maps.Keys(r.Pins)) {
		pins.Rows = append(pins.Rows, Row{Cells: []Cell{{Text: name}, {Text: r.Pins[name]}}})
	}
	mode := "without the race detector"
	if r.Plan.Race {
		mode = "under the race detector"
	}
	return []Block{Text(fmt.Sprintf("Each repetition was a process of its own, %s, one after the other. Seed of the run: %d.", mode, r.Plan.Seed)), t, pins}
}

// Limits is what even a clean run does not say.
func (r *Run) Limits() []string {
	all := []string{"A failure is real. A pass is no proof: it bounds the rate of failing repetitions, for this binary on this machine."}
	if missing := r.Plan.Total() - len(r.Records); missing > 0 {
		all = append(all, fmt.Sprintf("Of %d repetitions %d were not run.", r.Plan.Total(), missing))
	}
	if r.Shard.Part() {
		all = append(all, fmt.Sprintf("This is shard %s of the run: certify merge says the verdict.", r.Shard))
	}
	for _, i := range r.MissingShards() {
		all = append(all, fmt.Sprintf("Shard %d of %d is missing.", i, r.Shard.Of))
	}
	for _, g := range r.Groups {
		if left := g.Laws.Omitted(); len(left) > 0 {
			all = append(all, fmt.Sprintf("Histories of %s were not held against: %s.", g.Key, strings.Join(left, ", ")))
		}
	}
	for _, s := range r.Plan.Skipped {
		all = append(all, fmt.Sprintf("%s was not put through the drill %s: %s.", s.Subject, s.Drill, strings.TrimSuffix(s.Why, ".")))
	}
	if !r.Plan.Race {
		all = append(all, "The race detector was off: data races were not looked for.")
	}
	if len(r.Canaries) == 0 {
		all = append(all, "No known-bad subjects were run: the power of the drills is not shown.")
	}
	return append(all, "Not looked at: "+strings.Join(r.NotLookedAt(), ", ")+".")
}

func limits(r *Run) (blocks []Block) {
	for _, l := range r.Limits() {
		blocks = append(blocks, Text(l))
	}
	return blocks
}

// NotLookedAt is what the run has no part for.
func (r *Run) NotLookedAt() (all []string) {
	explored, monitored := false, false
	for _, g := range r.Groups {
		explored = explored || g.Exploration()
		monitored = monitored || len(g.Of("monitor-ns").Values) > 0
	}
	if !explored {
		all = append(all, "schedules under control")
	}
	if !monitored {
		all = append(all, "linearizability of histories")
	}
	return append(all, "other machines and platforms")
}
