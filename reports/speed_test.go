package reports_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/reports"
	"github.com/exactlyonce/certify/reports/record"
)

// pairKey is a key of the soak's shape.
func pairKey(injector, deque string, workers int) record.Key {
	return record.Key{Drill: "exactly-once", Params: []record.Param{
		{Name: "injector", Value: injector}, {Name: "deque", Value: deque},
		{Name: "workers", Value: fmt.Sprint(workers)}, {Name: "tasks", Value: "1000"}, {Name: "mode", Value: "plain"},
	}}
}

// pairs is a run of the keys, in turns, in which a task takes ns of a key.
func pairs(t testing.TB, reps int, ns map[string]float64, keys ...record.Key) *reports.Run {
	t.Helper()
	var all []record.Record
	for rep := 1; rep <= reps; rep++ {
		for _, k := range keys {
			all = append(all, clean(k, rep, func(r *record.Record) {
				r.ElapsedNs = 1e9
				r.Values = []record.Value{{Unit: "task-ns", Value: ns[k.String()] + float64(rep%5)}}
			}))
		}
	}
	return load(t, makeRun(t, reports.Plan{Keys: keys, First: 1, Reps: reps, Seed: 7}, env, all...))
}

// four are two pairs with one and with two workers, the other pair twice as fast
// with two.
func four(t testing.TB, reps int) *reports.Run {
	ns := map[string]float64{}
	var keys []record.Key
	for _, w := range []int{2, 1} {
		for _, q := range []string{"mutex", "msqueue"} {
			k := pairKey(q, "mutex", w)
			keys = append(keys, k)
			ns[k.String()] = 1000
			if w == 2 && q == "msqueue" {
				ns[k.String()] = 500
			}
		}
	}
	return pairs(t, reps, ns, keys...)
}

// Throughput is by the drill's own time, else by the process, and is not made up
// for a key that says no number of tasks.
func TestThroughput(t *testing.T) {
	k := pairKey("mutex", "mutex", 2)
	r := load(t, makeRun(t, reports.Plan{Keys: []record.Key{k, key("a")}, First: 1, Reps: 2}, env,
		clean(k, 1, func(r *record.Record) { r.Values = []record.Value{{Unit: "task-ns", Value: 2000}} }),
		clean(k, 2, func(r *record.Record) { r.ElapsedNs, r.Values = int64(2*time.Second), nil }),
		clean(key("a"), 1, nil)))
	if got := r.Groups[0].Throughput().Values; fmt.Sprint(got) != "[500000 500]" {
		t.Errorf("got %v", got)
	}
	if got := r.Groups[1].Throughput().Values; got != nil {
		t.Errorf("without tasks: %v", got)
	}
	s := sections(t, r.Dir)
	if c := s["throughput"].Blocks[0].(*reports.Chart); len(c.Series) != 1 || c.Y.Unit != "tasks/s" {
		t.Errorf("got %+v", c)
	}
	if c := s["time"].Blocks[0].(*reports.Chart); len(c.Series) != 1 || c.Series[0].Name != "exactly-once/deque=a" {
		t.Errorf("a key without a throughput has no chart of its time: %+v", c)
	}
	if rows := s["time"].Blocks[1].(*reports.Table).Rows; len(rows) != 2 {
		t.Errorf("times of %d keys", len(rows))
	}
}

// Keys of one drill have an axis from zero together, and drills of one key each a
// logarithmic one.
func TestThroughputByDrill(t *testing.T) {
	other := func(drill string) record.Key {
		k := pairKey("mutex", "mutex", 1)
		k.Drill = drill
		return k
	}
	blocks := sections(t, pairs(t, 3, map[string]float64{}, other("a"), other("b"), pairKey("mutex", "mutex", 1), pairKey("mutex", "mutex", 2)).Dir)["throughput"].Blocks
	if len(blocks) != 2 {
		t.Fatalf("%d charts", len(blocks))
	}
	for i, want := range []string{"workers=1 workers=2 false", "a b true"} {
		c := blocks[i].(*reports.Chart)
		if got := fmt.Sprint(c.Series[0].Name, " ", c.Series[1].Name, " ", c.Y.Log); got != want || len(c.Series) != 2 {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A line a pair, over the workers in their order, with what more of them bring.
func TestScaling(t *testing.T) {
	blocks := sections(t, four(t, 12).Dir)["scaling"].Blocks
	if len(blocks) != 1 {
		t.Fatalf("%d charts", len(blocks))
	}
	c := blocks[0].(*reports.Chart)
	if len(c.Series) != 2 || fmt.Sprint(c.Series[1].X) != "[1 2]" || c.Series[1].Name != "injector=msqueue/deque=mutex" {
		t.Fatalf("got %+v", c.Series)
	}
	if got := c.Table.Rows[3].Cells[3].Text; got != "2.00" {
		t.Errorf("twice the workers are %s times as fast", got)
	}
	one := pairs(t, 3, map[string]float64{}, pairKey("mutex", "mutex", 2))
	if _, there := sections(t, one.Dir)["scaling"]; there {
		t.Error("one number of workers is no scaling")
	}
}

// The pair of two mutexes is the base, of each setting its own; a difference that
// is there is shown, one that is not is not, and too few repetitions are said.
func TestBaseline(t *testing.T) {
	shown := func(r *reports.Run) (words []string, about string) {
		blocks := sections(t, r.Dir)["baseline"].Blocks
		for _, row := range blocks[1].(*reports.Table).Rows {
			words = append(words, row.Cells[len(row.Cells)-1].Text)
		}
		return words, fmt.Sprint(blocks[0]) + fmt.Sprint(blocks[len(blocks)-1])
	}
	r := four(t, 12)
	var table *reports.Table
	for _, b := range sections(t, r.Dir)["baseline"].Blocks {
		if got, ok := b.(*reports.Table); ok && strings.HasPrefix(got.Caption, "task-sec, against mutex/mutex: less is better") {
			table = got
		}
	}
	if table == nil || len(table.Rows) != 2 {
		t.Fatalf("no table of task-sec: %+v", table)
	}
	for i, want := range []string{"better", "no difference shown"} {
		if cells := table.Rows[i].Cells; !strings.HasPrefix(cells[len(cells)-1].Text, want) {
			t.Errorf("row %d: %+v, want %s", i, cells, want)
		}
	}
	if _, about := shown(r); !strings.Contains(about, "repetitions were interleaved") || !strings.Contains(about, "no verdict rests on it") {
		t.Errorf("says %q", about)
	}
	if words, _ := shown(four(t, 3)); !strings.HasPrefix(words[0], "too few samples") {
		t.Errorf("three repetitions: %q", words)
	}
	alone := pairs(t, 3, map[string]float64{}, pairKey("mutex", "mutex", 2), pairKey("msqueue", "mutex", 1))
	if _, there := sections(t, alone.Dir)["baseline"]; there {
		t.Error("another number of workers was compared")
	}
}
