package html_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/compare"
	"github.com/exactlyonce/certify/reports/html"
	"github.com/exactlyonce/certify/reports/measured"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/reports/rundir"
)

func key(name string) record.Key {
	return record.Key{Drill: "exactly-once", Params: []record.Param{
		{Name: "injector", Value: "msqueue"}, {Name: "deque", Value: name}, {Name: "workers", Value: "4"}, {Name: "mode", Value: "race"},
	}}
}

// units are those of a repetition of the soak.
var units = []string{
	"lost", "duplicated", "alien", "workers", "steals", "stolen", "steal-races", "injected", "parks", "wakes",
	"left-B", "task-ns", "live-B", "goroutines", "gc-pause-ns",
}

// clean is a certified record with all that a real one has; change makes it
// another one.
func clean(k record.Key, rep int, change func(*record.Record)) record.Record {
	noise := math.Sin(float64(rep * rep))
	r := record.Record{
		Key: k, Rep: rep, Seed: 0x9e3779b97f4a7c15 * uint64(rep), Verdict: record.Certified, Start: time.Unix(1_700_000_000+int64(rep)*3, 123_456_789).UTC(),
		ElapsedNs: int64(2e9 + 3e8*noise), CPUNs: int64(38e8 + 5e8*noise), PeakB: 60<<20 + int64(noise*(4<<20)), Log: fmt.Sprintf("logs/%06d.log", rep),
		Repeat: fmt.Sprintf("certify soak --drill exactly-once --executor workstealing --injector msqueue --deque %s --workers 4 --tasks 1000000 --batch 4096 --seed %d --rep %d --race=true --stall 1m0s --deadline 15m0s --memory 1024MiB", k.Params[1].Value, 1<<62+uint64(rep), rep),
	}
	for i, unit := range units {
		r.Values = append(r.Values, record.Value{Unit: unit, Value: math.Round(1e6*(1+noise/10)) / float64(i+1)})
	}
	if change != nil {
		change(&r)
	}
	return r
}

func failed(reason record.Reason, detail string) func(*record.Record) {
	return func(r *record.Record) {
		r.Verdict, r.Reason, r.Detail, r.Values = reason.Verdict(), reason, detail, nil
	}
}

func makeRun(t testing.TB, plan reports.Plan, env string, records ...record.Record) *reports.Run {
	t.Helper()
	planJSON, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	d, err := rundir.Create(dir, rundir.Origin{Run: "run-1", Plan: planJSON, Env: []byte(env)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, r := range records {
		if err := d.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	r, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const env = `{"goos":"linux","goarch":"amd64","cpus":2,"go":"go1.26","settings":{"GOGC":"50"}}`

func plan(reps int, names ...string) reports.Plan {
	p := reports.Plan{First: 1, Reps: reps, Seed: 7, Race: true}
	for _, n := range names {
		p.Keys = append(p.Keys, key(n))
	}
	return p
}

// mixed has a clean key, a key with failures, and one that was not run.
func mixed(t testing.TB) *reports.Run {
	a, b := key("chaselev"), key("mutex")
	all := []record.Record{}
	for rep := 1; rep <= 6; rep++ {
		all = append(all, clean(a, rep, nil))
	}
	all = append(all, clean(b, 1, failed(record.Lost, "law exactly-once: task 31417 never ran\nbecause: every submitted task runs once\nlost 1, duplicated 0, alien 0")),
		clean(b, 2, nil), clean(b, 3, failed(record.Guard, "the host ran out of memory")), clean(b, 4, failed(record.Lost, "law exactly-once: task 99 never ran")))
	return makeRun(t, plan(6, "chaselev", "mutex", "locked"), env, all...)
}

// full is the run of the budget: 12 keys of 100 repetitions, all clean, with
// everything that makes sections: four pairs, the baseline among them, with one,
// two and four workers, and every figure of memory.
func full(t testing.TB) *reports.Run {
	p := reports.Plan{First: 1, Reps: 100, Seed: 7, Race: true}
	for i := range 12 {
		p.Keys = append(p.Keys, record.Key{Drill: "exactly-once", Params: []record.Param{
			{Name: "injector", Value: []string{"mutex", "msqueue"}[i%2]}, {Name: "deque", Value: []string{"mutex", "chaselev"}[i/2%2]},
			{Name: "workers", Value: fmt.Sprint(1 << (i / 4))}, {Name: "tasks", Value: "1000000"}, {Name: "batch", Value: "4096"}, {Name: "mode", Value: "race"},
		}})
	}
	var all []record.Record
	for rep := 1; rep <= 100; rep++ {
		for i, k := range p.Keys {
			all = append(all, clean(k, rep, func(r *record.Record) {
				r.ElapsedNs += int64(i) * 1e8
				left := float64(1000 * (rep * 7919 % 13))
				r.Values = append(r.Values, record.Value{Unit: "drained-B", Value: 30<<20 + 100*left}, record.Value{Unit: "growth-B/task", Value: left / 1e7})
			}))
		}
	}
	return makeRun(t, p, env, all...)
}

// benchmarks are the sections of two files like those of certify bench: 140 cases
// of ten samples.
func benchmarks(t testing.TB) []reports.Section {
	t.Helper()
	file := func(name string) []*compare.Set {
		var b strings.Builder
		for i := range 10 {
			for c := range 140 {
				v, how := float64(100+c+i*7919%11), fmt.Sprintf("p=%d/c=%d", 1+c/4%2, 1+c/8)
				if c >= 32 { // lines of all would be more charts than a page has
					how = fmt.Sprintf("n=%d", c/4)
				}
				fmt.Fprintf(&b, "BenchmarkPair/queue=%s/%s-2 100 %v ns/op %v B/op %v allocs/op\n", []string{"mutex", "msqueue", "chan", "null"}[c%4], how, v, v, v)
				if c < 8 {
					fmt.Fprintf(&b, "BenchmarkLatency/queue=%s/%s-2 100 %v p50-ns %v p99-ns %v max-ns\n", []string{"mutex", "msqueue", "chan", "null"}[c%4], how, v, 9*v, 70*v)
				}
			}
		}
		s, err := compare.Read(name, strings.NewReader(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		return []*compare.Set{s}
	}
	all, err := measured.Sections(measured.Input{Benchmarks: file("now"), Before: file("before")})
	if err != nil || len(all) != 5 {
		t.Fatalf("%d sections, %v", len(all), err)
	}
	return all
}

func written(t testing.TB, r *reports.Run, more ...reports.Section) string {
	t.Helper()
	var out bytes.Buffer
	if err := html.Write(&out, r, more...); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
