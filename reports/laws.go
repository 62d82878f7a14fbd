package reports

import (
	"fmt"
	"strings"
)

// Laws are what the histories of a key are held against, call by call.
type Laws struct {
	Criterion string `json:"criterion"`
	Rules     []Rule `json:"rules"`
}

// Rule is one of them.
type Rule struct {
	Name    string `json:"name"`
	Law     string `json:"law"`
	Omitted string `json:"omitted"` // why it is left out; empty if it is not
}

// Omitted are the rules that are left out, with the reasons.
func (l *Laws) Omitted() (all []string) {
	if l == nil {
		return nil
	}
	for _, r := range l.Rules {
		if r.Omitted != "" {
			all = append(all, r.Name+" ("+r.Omitted+")")
		}
	}
	return all
}

// names of those that are not.
func (l *Laws) names() (all []string) {
	for _, r := range l.Rules {
		if r.Omitted == "" {
			all = append(all, r.Name)
		}
	}
	return all
}

// histories are what the monitors looked at.
func histories(r *Run) []Block {
	t := &Table{
		Caption: "All clean repetitions of a key together; the time is the monitor's, of one",
		Columns: []Column{{"key", false}, {"judged as", false}, {"calls judged", true}, {"time, median", true}, {"most overtakes of a value", true}, {"laws", false}, {"left out", false}},
	}
	for _, g := range r.Groups {
		rows := g.Of("rows")
		if g.Laws == nil || len(rows.Values) == 0 {
			continue
		}
		calls := 0.0
		for _, v := range rows.Values {
			calls += v
		}
		left := strings.Join(g.Laws.Omitted(), ", ")
		if left == "" {
			left = "nothing"
		}
		t.Rows = append(t.Rows, Row{Cells: []Cell{
			{Text: g.Key.String()}, {Text: g.Laws.Criterion}, number(calls), medianCell(g.Of("monitor-ns"), milliseconds),
			medianCell(g.Of("overtakes-max"), plainNumber), {Text: strings.Join(g.Laws.names(), ", ")}, {Text: left},
		}})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []Block{Text("Bare queues under load. Every call is recorded with its beginning and its end, and the whole history must be one that the queue's promises allow."), t}
}

func milliseconds(ns float64) string { return fmt.Sprintf("%.1f ms", ns/1e6) }

func plainNumber(v float64) string { return number(v).Text }
