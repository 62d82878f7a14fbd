package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ledger is a run directory as this campaign reads it: from the two files that are the
// evidence, without the code that wrote them.
type ledger struct {
	plan planned
	rows []row
	raw  []byte // results.jsonl, up to its last whole line
}

type planned struct {
	Keys       []string `json:"keys"`
	KeyReps    []int    `json:"keyReps"` // where they are not all Reps
	First      int      `json:"first"`
	Reps       int      `json:"reps"`
	CanaryKeys []string `json:"canaryKeys"` // known-bad subjects, and controls
	CanaryReps int      `json:"canaryReps"`
}

// ids are all repetitions that a plan has.
func (p planned) ids() map[string]bool {
	ids := map[string]bool{}
	add := func(key string, first, n int) {
		for rep := first; rep < first+n; rep++ {
			ids[id(key, rep)] = true
		}
	}
	for i, key := range p.Keys {
		if i < len(p.KeyReps) {
			add(key, p.First, p.KeyReps[i])
		} else {
			add(key, p.First, p.Reps)
		}
	}
	for _, key := range p.CanaryKeys {
		add(key, 1, p.CanaryReps)
	}
	return ids
}

func id(key string, rep int) string { return fmt.Sprintf("repetition %d of %s", rep, key) }

// row is a line of results.jsonl, a record or another.
type row struct {
	Schema    string    `json:"schema"`
	Seq       int       `json:"seq"`
	Key       string    `json:"key"`
	Rep       int       `json:"rep"`
	Verdict   string    `json:"verdict"`
	Reason    string    `json:"reason"`
	Detail    string    `json:"detail"`
	Start     time.Time `json:"start"`
	ElapsedNs int64     `json:"elapsedNs"`
}

const recordSchema = "certify/record/1"

func readLedger(dir string) (l ledger, err error) {
	plan, err := os.ReadFile(filepath.Join(dir, "plan.json"))
	if err != nil {
		return l, err
	}
	if err := json.Unmarshal(plan, &l.plan); err != nil {
		return l, fmt.Errorf("plan.json: %w", err)
	}
	results, err := os.ReadFile(filepath.Join(dir, "results.jsonl"))
	if err != nil {
		return l, err
	}
	l.raw = results[:bytes.LastIndexByte(results, '\n')+1]
	for line := range bytes.Lines(l.raw) {
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			return l, fmt.Errorf("results.jsonl: %q: %w", line, err)
		}
		if r.Schema == recordSchema {
			l.rows = append(l.rows, r)
		}
	}
	return l, nil
}

// problems are what is wrong with the rows against the plan, whether all are there yet
// or not.
func (l ledger) problems(complete bool) (all []string) {
	planned, times := l.plan.ids(), map[string]int{}
	for i, r := range l.rows {
		if r.Seq != i+1 {
			all = append(all, fmt.Sprintf("row %d has the number %d", i+1, r.Seq))
		}
		id := id(r.Key, r.Rep)
		if times[id]++; times[id] == 2 {
			all = append(all, id+" is recorded twice")
		}
		if !planned[id] {
			all = append(all, id+" is not in the plan")
		}
	}
	if complete && len(times) < len(planned) {
		all = append(all, fmt.Sprintf("%d of %d repetitions are recorded, and it is said to be done", len(times), len(planned)))
	}
	return all
}

// keeps are the problems of what came after l: whole lines that were there must be there
// still, byte for byte.
func (l ledger) keeps(later ledger) []string {
	if bytes.HasPrefix(later.raw, l.raw) {
		return nil
	}
	return []string{fmt.Sprintf("lines that were recorded are lost or changed: %d bytes were there, of %d now", len(l.raw), len(later.raw))}
}

// failed are the rows that are not clean, of subjects that are good.
func (l ledger) failed() (rows []row) {
	for _, r := range l.rows {
		if r.Verdict != "CERTIFIED" && !slices.Contains(l.plan.CanaryKeys, r.Key) {
			rows = append(rows, r)
		}
	}
	return rows
}

// end is how a certify ended.
type end struct {
	code     int // -1 by a signal
	out, err string
	hung     bool
	left     []string // processes that outlived it
	took     time.Duration
}

// verdict is the word that the result begins with.
func (e end) verdict() string {
	for _, v := range []string{"CERTIFIED", "FAILED", "INCONCLUSIVE"} {
		if strings.HasPrefix(e.out, v) {
			return v
		}
	}
	return ""
}

// want is what an end must be.
type want struct {
	codes   []int
	verdict string // of one that comes to it
	words   []string
}

var verdictCodes = map[string]int{"CERTIFIED": 0, "FAILED": 1, "INCONCLUSIVE": 3}

// problems of an end: whatever is wanted, a verdict and its exit code belong together, and
// nobody is left.
func (w want) problems(e end) (all []string) {
	if e.hung {
		all = append(all, "it does not end")
	}
	if !slices.Contains(w.codes, e.code) {
		all = append(all, fmt.Sprintf("exit code %d, want %v: %s", e.code, w.codes, tail(e.err+e.out)))
	}
	v := e.verdict()
	if v != "" && verdictCodes[v] != e.code || v == "" && e.code == 0 {
		all = append(all, fmt.Sprintf("exit code %d with the verdict %q", e.code, v))
	}
	if w.verdict != "" && v != w.verdict {
		all = append(all, fmt.Sprintf("verdict %q, want %s", v, w.verdict))
	}
	for _, word := range w.words {
		if !strings.Contains(e.err+e.out, word) {
			all = append(all, fmt.Sprintf("nothing says %q: %s", word, tail(e.err+e.out)))
		}
	}
	if len(e.left) > 0 {
		all = append(all, fmt.Sprintf("processes are left: %q", e.left))
	}
	return all
}

// tail is the last of what was said, in one line.
func tail(s string) string {
	s = strings.TrimSpace(s)
	return strings.ReplaceAll(s[max(0, len(s)-300):], "\n", " | ")
}

// done are the problems of a run that has come to its own end: a run of a good subject is
// CERTIFIED, unless repetitions were killed alone, at most so many.
func done(dir string, e end, killed int) []string {
	l, err := readLedger(dir)
	if err != nil {
		return []string{err.Error()}
	}
	bad := l.failed()
	w := want{codes: []int{0}, verdict: "CERTIFIED"}
	if len(bad) > 0 {
		w = want{codes: []int{1}, verdict: "FAILED", words: []string{"killed by signal"}}
	}
	all := append(w.problems(e), l.problems(e.code == 0)...)
	if len(bad) > killed {
		all = append(all, fmt.Sprintf("%d repetitions of a good subject are not clean, and %d were killed alone: %s (%s)", len(bad), killed, bad[0].Reason, bad[0].Detail))
	}
	for _, r := range bad {
		if r.Reason != "crash" || !strings.Contains(r.Detail, "killed by signal") {
			all = append(all, fmt.Sprintf("repetition %d of a good subject is %s (%s): %s", r.Rep, r.Verdict, r.Reason, r.Detail))
		}
	}
	return all
}
