package reports_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/record"
)

// steadyEnv and steady are of a run without anything to warn of.
const steadyEnv = `{"commit":"abc","cpus":4,"load":"1.90 1 1","virtualization":"none reported","governor":"performance","psi.cpu":"some avg10=1.20 avg60=0.10"}`

// steady are times of 40 repetitions, near each other in no order.
func steady(rep int) int64 { return int64(1e9) + int64(rep*7919%101)*1e5 }

func warned(t *testing.T, env string, reps int, elapsed func(rep int) int64) (ids []string, r *reports.Run) {
	t.Helper()
	var all []record.Record
	for rep := 1; rep <= reps; rep++ {
		all = append(all, clean(key("a"), rep, func(r *record.Record) { r.ElapsedNs = elapsed(rep) }))
	}
	r = load(t, makeRun(t, plan(reps, "a"), env, all...))
	for _, w := range r.Warnings() {
		ids = append(ids, w.ID)
	}
	return ids, r
}

// Each thing to be careful with is found where it is, alone, and nowhere else.
func TestWarnings(t *testing.T) {
	change := func(from, to string) string {
		if !strings.Contains(steadyEnv, from) {
			t.Fatalf("no %s", from)
		}
		return strings.Replace(steadyEnv, from, to, 1)
	}
	for want, row := range map[string]struct {
		env     string
		reps    int
		elapsed func(int) int64
	}{
		"":           {steadyEnv, 40, steady},
		"commit":     {change(`"abc"`, `"abc (modified)"`), 40, steady},
		"commit ":    {change(`"abc"`, `"unknown"`), 40, steady},
		"few":        {steadyEnv, 9, steady},
		"virtual":    {change("none reported", "reported: kvm guest"), 40, steady},
		"load":       {change("1.90 1 1", "2.10 1 1"), 40, steady},
		"pressure":   {change("avg10=1.20", "avg10=94.00"), 40, steady},
		"governor":   {change(`"performance"`, `"powersave"`), 40, steady},
		"spread":     {steadyEnv, 40, func(rep int) int64 { return 100*steady(rep) - 99e9 }},
		"outliers":   {steadyEnv, 40, func(rep int) int64 { return steady(rep) + map[int]int64{17: 5e9}[rep] }},
		"drift":      {steadyEnv, 16, func(rep int) int64 { return steady(rep) + int64(rep)*2e7 }},
		"drift ":     {steadyEnv, 16, func(rep int) int64 { return steady(rep) - int64(rep)*2e7 }},
		"dependent":  {steadyEnv, 40, func(rep int) int64 { return steady(rep)/100 + int64(1e9) + int64(rep/4%2)*1e7 }},
		"dependent ": {steadyEnv, 40, func(rep int) int64 { return steady(rep)/100 + int64(1e9) + int64(rep%2)*1e7 }},
	} {
		ids, r := warned(t, row.env, row.reps, row.elapsed)
		if got := strings.Join(ids, " "); got != strings.TrimSpace(want) {
			t.Errorf("%q: got %q: %+v", want, got, r.Warnings())
		}
		if _, there := sections(t, r.Dir)["warnings"]; there != (want != "") {
			t.Errorf("%q: a section of warnings: %v", want, there)
		}
	}
}

// A line that was cut off is counted in bytes, and keys that were not run in turns
// are no fair comparison.
func TestWarningsOfOrder(t *testing.T) {
	var all []record.Record
	for _, name := range []string{"a", "b"} {
		for rep := 1; rep <= 12; rep++ {
			all = append(all, clean(key(name), rep, func(r *record.Record) { r.ElapsedNs = steady(rep) }))
		}
	}
	dir := makeRun(t, plan(12, "a", "b"), steadyEnv, all...)
	f, err := os.OpenFile(filepath.Join(dir, "results.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"crc`)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	w := load(t, dir).Warnings()
	if len(w) != 2 || w[0].ID != "torn-line" || !strings.Contains(w[0].Text, "5 bytes") || w[1].ID != "order" {
		t.Errorf("got %+v", w)
	}
	slices.SortStableFunc(all, func(a, b record.Record) int { return a.Rep - b.Rep })
	if w := load(t, makeRun(t, plan(12, "a", "b"), steadyEnv, all...)).Warnings(); len(w) != 0 {
		t.Errorf("in turns: %s", fmt.Sprint(w))
	}
}
