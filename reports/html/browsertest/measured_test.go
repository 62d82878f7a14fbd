package browsertest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/compare"
	"github.com/exactlyonce/certify/reports/measured"
	"github.com/exactlyonce/certify/reports/record"
)

// measuredPage is of a run that has every section: pairs beside the baseline, with
// several numbers of workers, a key whose memory grows, and benchmarks beside an
// earlier run. It returns its address.
func measuredPage(t *testing.T) string {
	t.Helper()
	plan := reports.Plan{First: 1, Reps: 40, Seed: 7}
	for i := range 12 {
		plan.Keys = append(plan.Keys, record.Key{Drill: "exactly-once", Params: []record.Param{
			{Name: "injector", Value: []string{"mutex", "msqueue"}[i%2]}, {Name: "deque", Value: []string{"mutex", "chaselev"}[i/2%2]},
			{Name: "workers", Value: fmt.Sprint(1 << (i / 4))}, {Name: "tasks", Value: "1000000"}, {Name: "mode", Value: "plain"},
		}})
	}
	var records []record.Record
	for rep := 1; rep <= plan.Reps; rep++ {
		for i, k := range plan.Keys {
			r := clean(k.Params[1].Value, rep, int64(i))
			left := float64(rep * 7919 % 31 * 1000)
			if i == 11 {
				left += float64(rep) * (1 << 20)
			}
			r.Key = k
			r.Values = append(r.Values, record.Value{Unit: "left-B", Value: left}, record.Value{Unit: "live-B", Value: 120_000 + float64(rep%4*100)},
				record.Value{Unit: "task-ns", Value: (400 + 100*math.Sin(float64(rep*i))) / float64(i/4+1)}, record.Value{Unit: "growth-B/task", Value: 0.125})
			records = append(records, r)
		}
	}
	more, err := measured.Sections(measured.Input{Benchmarks: bench(t, "now", 1), Before: bench(t, "before", 1.2)})
	if err != nil {
		t.Fatal(err)
	}
	return pageOf(t, plan, records, more...)
}

// bench is a file of benchmarks, all of it by a factor of what it is else.
func bench(t *testing.T, name string, factor float64) []*compare.Set {
	t.Helper()
	var b strings.Builder
	for i := range 10 {
		for q, queue := range []string{"mutex", "msqueue", "chan", "null"} {
			v := factor * (100 + float64(30*q+i))
			for _, p := range []int{1, 2, 4, 8} {
				fmt.Fprintf(&b, "BenchmarkPair/queue=%s/p=%d/c=%d-8 100 %v ns/op 16 B/op 1 allocs/op\n", queue, p, p, v/math.Sqrt(float64(p)))
			}
			fmt.Fprintf(&b, "BenchmarkLatency/pool=certify/injector=%s/deque=mutex/every=20us-8 100 %v ns/op %v p50-ns %v p90-ns %v p99-ns %v p99.9-ns %v max-ns\n",
				queue, v, 10*v, 40*v, 300*v, 1000*v, 9000*v)
		}
	}
	s, err := compare.Read(name, strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return []*compare.Set{s}
}

// Every section is there, and its tables can be filtered and sorted like any other.
func TestMeasuredSections(t *testing.T) {
	p := open(t, start(t), pages(t)["measured"], views[0])
	same(p, `['failures', 'keys', 'warnings', 'throughput', 'scaling', 'baseline', 'time', 'memory', 'bench', 'bench-scaling', 'bench-latency', 'bench-mutex', 'bench-before']
		.filter(id => !document.getElementById(id)).join()`, "")
	same(p, `document.querySelector('#failures p').textContent.includes('left-B of exactly-once/injector=msqueue/deque=chaselev/workers=4')`, true)
	same(p, `document.querySelectorAll('#memory figure').length`, 3)
	const rows = `[...document.querySelectorAll('#bench tbody tr')].filter(tr => !tr.hidden).length`
	same(p, rows, 20)
	same(p, `location.hash = 'q=queue%3Dnull', 1`, 1)
	same(p, `new Promise(f => setTimeout(() => f(`+rows+`), 50))`, 4)
	same(p, `location.hash = '', 1`, 1)
	// By delta: an empty one is last, and they rise.
	same(p, `(() => {
		const th = [...document.querySelectorAll('#baseline thead th')].findIndex(th => th.textContent.startsWith('delta'));
		document.querySelectorAll('#baseline thead th')[th].querySelector('button').click();
		const v = [...document.querySelector('#baseline tbody').rows].map(tr => Number(tr.cells[th].dataset.v));
		return v.length > 5 && v.every((x, i) => i === 0 || x >= v[i - 1]);
	})()`, true)
	p.check()
}

// On a telephone the names of lines are below them, where they are in sight.
func TestLegendOnATelephone(t *testing.T) {
	browser, address := start(t), pages(t)["measured"]
	const shown = `[...document.querySelectorAll('#bench-scaling .legend')].filter(e => e.checkVisibility()).length`
	narrow := open(t, browser, address, views[3])
	same(narrow, shown, 1)
	same(narrow, `[...document.querySelectorAll('#bench-scaling .legend li')].map(e => e.textContent).join()`, "queue=mutex,queue=msqueue,queue=chan,queue=null")
	same(narrow, `getComputedStyle(document.querySelector('.legend path')).stroke !== 'none'`, true)
	narrow.check()
	same(open(t, browser, address, views[0]), shown, 0)
}
