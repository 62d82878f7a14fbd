// Package table makes the table of a sitting of peers from its benchmark file.
//
// A row is a work in one unit, with medians over the rounds. Ours is one form of ours,
// fixed for the row before anything was measured; another one of ours that is better
// is told in brackets. The best peer is picked after: that favours the peers. Every Go
// peer parks, which is to say that none polls while it has nothing to do.
package table

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Write writes the table of what raw holds, in the Go benchmark format, and then all
// arms of each work.
func Write(w io.Writer, raw io.Reader) error {
	m, err := read(raw)
	if err != nil {
		return err
	}
	m.addGrowth()
	var b strings.Builder
	m.head(&b)
	b.WriteString("| work | ours | best Go peer that parks | ratio | native peers |\n|---|---|---|---|---|\n")
	m.each(func(r row, title string, arms []*arm) { r.line(&b, title, arms) })
	m.notes(&b)
	m.each(func(r row, title string, arms []*arm) { r.details(&b, title, arms) })
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("table: write: %w", err)
	}
	return nil
}

func (m *measured) head(b *strings.Builder) {
	b.WriteString("# Beside its peers\n\n")
	for _, fact := range []struct{ title, key string }{
		{"machine", "cpu"}, {"processors", "processors"}, {"system", "system"}, {"Go", "go"}, {"commit", "commit"},
		{"date", "date"}, {"load at the start and the end", "load"}, {"rounds, window", "plan"}, {"sizes", "sizes"},
		{"windows disturbed, by a rule fixed before", "disturbed"},
		{"the same arm against its twin, at most, wall and CPU", "noise"},
		{"incomplete", "incomplete"},
	} {
		if v := m.config[fact.key]; v != "" {
			fmt.Fprintf(b, "- %s: %s\n", fact.title, v)
		}
	}
	b.WriteString("\n")
}

func (m *measured) notes(b *strings.Builder) {
	b.WriteString(`
Medians over the rounds. The ratio is the peer's over ours: above 1 ours takes less.
`)
	for line := range strings.SplitSeq(m.config["lacking"], "; ") {
		if line != "" {
			fmt.Fprintf(b, "Not run here: %s.\n", line)
		}
	}
	b.WriteString("\n## All arms\n\n")
	for _, l := range legend {
		fmt.Fprintf(b, "- %s\n", l)
	}
}

// legend says what the arms are.
var legend = []string{
	"certify: light tasks of a group, by Go from outside and Spawn from inside; the default back ends, which are sharded and claim; in fib by Fork, and certify.join by Join",
	"certify.goall: the same from outside, 256 in a call",
	"certify.handles: the function Submit, a handle a task; certify.stored: the same in storages that are used again",
	"certify.INJECTOR.DEQUE: other back ends",
	"goroutine, errgroup.free, conc.group, ants.free, gopool.free: nothing limits how many tasks run at once",
	"errgroup, ants, conc: a submitter waits while all workers are busy, so they hold no backlog",
	"chan: workers that receive from one channel; workerpool: gammazero's; pond by Go, pond.group by its groups",
	"the end of a batch: the pool's own wait for certify, certify.goall, certify.stored, errgroup, conc, pond.group; one WaitGroup, told of the batch before, for all others; of latencies a channel, but where the submitter joins",
	"latency, submitter=waits: it waits for the task at a channel, and so makes way; computes: it goes on; joins: it waits as for a batch, with a new pool each time for errgroup and conc",
	"serial, handover, none, null: no pools, but the scale: the work without one, a value over a channel to a goroutine that waits, nothing, and the loop alone",
}

// each calls f for all rows that there is something for, once for each of the works
// that a row has.
func (m *measured) each(f func(r row, title string, arms []*arm)) {
	for _, r := range rows {
		for _, work := range m.family(r.prefix) {
			arms := slices.DeleteFunc(slices.Clone(m.works[work]), func(a *arm) bool { return len(a.values[r.unit]) == 0 })
			if len(arms) > 0 {
				f(r, r.title+keys(work, r.prefix), arms)
			}
		}
	}
}

// keys are those of a work that its row does not say.
func keys(work, prefix string) string {
	rest := strings.Trim(strings.TrimPrefix(work, prefix), "/")
	if rest == "" {
		return ""
	}
	return " (" + strings.ReplaceAll(rest, "/", ", ") + ")"
}

// line is the line of a row.
func (r row) line(b *strings.Builder, title string, arms []*arm) {
	ours := r.pick(arms, func(a *arm) bool { return a.pool == r.ours })
	best := r.pick(arms, (*arm).peer)
	var natives []string
	for _, a := range arms {
		if a.native {
			natives = append(natives, r.named(a))
		}
		if a.scale() {
			title += "; " + r.named(a)
		}
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", title, r.oursCell(ours, arms), r.named(best), r.ratio(best, ours), dash(strings.Join(natives, ", ")))
}

// oursCell adds the best of our other forms, if it is better.
func (r row) oursCell(ours *arm, arms []*arm) string {
	if ours == nil {
		return "-"
	}
	v, _ := ours.median(r.unit)
	cell := r.format(v)
	if other := r.pick(arms, (*arm).ours); other != ours && r.format(r.value(other)) != cell {
		cell += " (" + r.named(other) + ")"
	}
	return cell
}

// pick is the arm of the least median among those that are asked for, or nil.
func (r row) pick(arms []*arm, asked func(*arm) bool) (best *arm) {
	for _, a := range arms {
		if asked(a) && (best == nil || r.value(a) < r.value(best)) {
			best = a
		}
	}
	return best
}

// value is the median of an arm that has values.
func (r row) value(a *arm) float64 {
	v, _ := a.median(r.unit)
	return v
}

func (r row) named(a *arm) string {
	if a == nil {
		return "-"
	}
	return a.pool + " " + r.format(r.value(a))
}

// ratio is a's over ours. Over what shows as nothing there is none.
func (r row) ratio(a, ours *arm) string {
	if a == nil || ours == nil || r.value(ours) <= 0 || r.format(r.value(ours)) == r.format(0) {
		return "-"
	}
	return times(r.value(a) / r.value(ours))
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// details are all arms of a row, the best first.
func (r row) details(b *strings.Builder, title string, arms []*arm) {
	ours := r.pick(arms, func(a *arm) bool { return a.pool == r.ours })
	slices.SortStableFunc(arms, func(x, y *arm) int { return cmp.Compare(r.value(x), r.value(y)) })
	fmt.Fprintf(b, "\n### %s\n\n| arm | median | least | samples | over ours |\n|---|---|---|---|---|\n", title)
	for _, a := range arms {
		fmt.Fprintf(b, "| %s | %s | %s | %d | %s |\n", a.pool, r.format(r.value(a)), r.format(a.least(r.unit)), len(a.values[r.unit]), r.ratio(a, ours))
	}
}
