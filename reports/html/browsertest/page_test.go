package browsertest

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/html"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
)

// pages writes the reports of a certified and of a failed run, and returns their
// addresses.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string][]record.Record{}
	for i, name := range []string{"chaselev", "mutex", "locked-ring", "msqueue"} {
		for rep := 1; rep <= 100; rep++ {
			all["certified"] = append(all["certified"], clean(name, rep, int64(i)))
		}
	}
	for rep := 1; rep <= 10; rep++ {
		all["failed"] = append(all["failed"], clean("chaselev", rep, 1))
	}
	for rep, reason := range []record.Reason{record.Lost, "", record.Guard, record.Lost} {
		r := clean("mutex", rep+1, 2)
		if r.Verdict, r.Reason = reason.Verdict(), reason; reason != "" {
			r.Detail = "law exactly-once: task 31417 never ran\nbecause: every submitted task runs once\n\x1b[31mlost 1\x1b[0m, duplicated 0, alien 0"
		}
		all["failed"] = append(all["failed"], r)
	}
	return map[string]string{
		"measured":  measuredPage(t),
		"certified": page(t, 100, []string{"chaselev", "mutex", "locked-ring", "msqueue"}, all["certified"]),
		"failed":    page(t, 10, []string{"chaselev", "mutex", "locked-ring"}, all["failed"]),
	}
}

func key(deque string) record.Key {
	return record.Key{Drill: "exactly-once", Params: []record.Param{{Name: "injector", Value: "msqueue"}, {Name: "deque", Value: deque}, {Name: "workers", Value: "4"}, {Name: "mode", Value: "race"}}}
}

func clean(deque string, rep int, slow int64) record.Record {
	noise := math.Sin(float64(rep*rep)) + math.Sin(float64(rep*7))/2
	return record.Record{
		Key: key(deque), Rep: rep, Seed: uint64(rep) << 40, Verdict: record.Certified, Start: time.Unix(1_700_000_000+int64(rep), 0).UTC(),
		ElapsedNs: 2e9 + slow*2e8 + int64(2e8*noise), CPUNs: 38e8, PeakB: 60<<20 + int64(noise*(2<<20)), Log: fmt.Sprintf("logs/%06d.log", rep),
		Repeat: fmt.Sprintf("certify soak --drill exactly-once --executor workstealing --injector msqueue --deque %s --workers 4 --tasks 1000000 --batch 4096 --seed 5433252460413919683 --rep %d --race=true", deque, rep),
		Values: []record.Value{{Unit: "lost", Value: 0}, {Unit: "steals", Value: 10_000 + math.Round(1000*noise)}, {Unit: "parks", Value: float64(15 + rep%4)}},
	}
}

// page writes the report of a run and returns its address.
func page(t *testing.T, reps int, deques []string, records []record.Record) string {
	t.Helper()
	plan := reports.Plan{First: 1, Reps: reps, Seed: 7, Race: true}
	for _, d := range deques {
		plan.Keys = append(plan.Keys, key(d))
	}
	return pageOf(t, plan, records)
}

// pageOf writes the report of a run, with more sections behind its own.
func pageOf(t *testing.T, plan reports.Plan, records []record.Record, more ...reports.Section) string {
	t.Helper()
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	d, err := rundir.Create(dir, rundir.Origin{Run: "20261130-235023-21c3", Plan: text, Env: []byte(`{"goos":"linux","goarch":"amd64","cpu":"AMD EPYC 7B13","cpus":2,"go":"go1.26","settings":{"GOGC":"50"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, r := range records {
		if err := d.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	run, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "report.html")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := html.Write(file, run, more...); err != nil {
		t.Fatal(err)
	}
	return address(name)
}

func address(file string) string {
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // of Windows: /C:/report.html
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
