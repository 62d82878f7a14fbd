package monitor

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// Violation is a pattern that no legal history has.
type Violation struct {
	Rule   string // its name
	Law    string // what the rule asks for
	Detail string // what was seen
	// Ops are the rows that show it, by their begin: no queue of that kind could
	// have answered these calls so, had there been no others.
	Ops []Op
}

// violation makes one of some rows of x.
func (x *index) violation(rows []int32, format string, args ...any) *Violation {
	v := &Violation{Detail: fmt.Sprintf(format, args...)}
	slices.Sort(rows) // a worker's rows keep their order, also where stamps are equal
	for _, i := range slices.Compact(rows) {
		op := x.h[i]
		if op.Answer == Also && !slices.ContainsFunc(v.Ops, op.sameCall) {
			op.Answer = Done // the rest of its call is left out
		}
		v.Ops = append(v.Ops, op)
	}
	slices.SortStableFunc(v.Ops, func(a, b Op) int { return cmp.Compare(a.Begin, b.Begin) })
	return v
}

func (o Op) sameCall(p Op) bool {
	return o.Kind == p.Kind && o.Worker == p.Worker && o.Begin == p.Begin && o.End == p.End
}

// shown is how many rows a table has at most.
const shown = 24

// String is the rule, what was seen, and a table with a column for each worker.
// Times are relative to the first begin.
func (v *Violation) String() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s (%s)\n", v.Rule, v.Detail, v.Law)
	var workers []uint16
	for _, op := range v.Ops {
		workers = append(workers, op.Worker)
	}
	slices.Sort(workers)
	workers = slices.Compact(workers)
	var columns bytes.Buffer
	w := tabwriter.NewWriter(&columns, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "  begin\tend\t")
	for _, worker := range workers {
		fmt.Fprintf(w, "worker %d\t", worker)
	}
	fmt.Fprintln(w)
	for _, op := range v.Ops[:min(len(v.Ops), shown)] {
		column, _ := slices.BinarySearch(workers, op.Worker)
		left, right := strings.Repeat("\t", column), strings.Repeat("\t", len(workers)-column)
		fmt.Fprintf(w, "  %d\t%s\t%s%s%s\n", op.Begin-v.Ops[0].Begin, op.relativeEnd(v.Ops[0].Begin), left, op.text(), right)
	}
	w.Flush()
	for line := range strings.Lines(columns.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	if n := len(v.Ops) - shown; n > 0 {
		fmt.Fprintf(&b, "  and %d more\n", n)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (o Op) relativeEnd(start int64) string {
	if o.End == Never {
		return "never"
	}
	return fmt.Sprint(o.End - start)
}

// text is the call and its answer.
func (o Op) text() string {
	switch {
	case o.moves() && o.Kind == Push:
		return fmt.Sprintf("%s %d%s", o.Kind, o.Value, o.also())
	case o.moves():
		return fmt.Sprintf("%s → %d%s", o.Kind, o.Value, o.also())
	case o.Kind == Push:
		return fmt.Sprintf("%s %d → %s", o.Kind, o.Value, o.Answer)
	}
	return fmt.Sprintf("%s → %s", o.Kind, o.Answer)
}

func (o Op) also() string {
	if o.Answer == Also {
		return " (same call)"
	}
	return ""
}
