package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/hardening/recorded"
	"github.com/exactlyonce/certify/internal/stress"
)

// tiny is a run of the smallest parts that all of a life fits in.
func tiny(seed uint64) options {
	return options{tasks: 50_000, seed: seed, block: 1 << 12, lives: 1}
}

// The whole campaign, small, on the executor as it is: no fault, all that is to be there
// was there, and the record says so.
func TestTinyLoad(t *testing.T) {
	stress.Watchdog(t)
	o := tiny(stress.Seed(t))
	if testing.Short() {
		o.tasks = 10_000
	}
	var out bytes.Buffer
	r := newCampaign(o, newPool, &out).run(t.Context())
	r.words(&out)
	if len(r.Faults) > 0 {
		t.Fatalf("%s", &out)
	}
	sum := 0
	for _, k := range r.Kinds {
		if k.Given != k.Ran+k.Cancelled || k.Given == 0 {
			t.Errorf("%+v", k)
		}
		sum += k.Given
	}
	e := r.Executors
	if sum != r.Tasks || float64(sum) < o.tasks || e.Drained == 0 || e.ShutDown == 0 || e.Stopped == 0 || e.All != e.Drained+e.ShutDown+e.Stopped {
		t.Errorf("%d tasks, %+v", sum, r)
	}
	if r.Ends.Panics == 0 || r.Ends.Goexits == 0 || r.Ends.CancelledRunning == 0 || r.Ends.RefusedNoRoom == 0 {
		t.Errorf("%+v", r.Ends)
	}
	path := filepath.Join(t.TempDir(), "new", "load.json")
	if err := recorded.Write(path, r); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	var again report
	if err != nil || json.Unmarshal(data, &again) != nil || !reflect.DeepEqual(again.Kinds, r.Kinds) || again.Seed != o.seed {
		t.Errorf("%v: %s", err, data)
	}
}

// faulty is the executor with one fault, which most have at one call of a method.
type faulty struct {
	real
	kind    string
	workers int
	calls   *atomic.Int64 // of the method that has the fault
	kept    chan struct{} // closed when the test is over
}

// now tells whether it is the n-th call of the method in which kind is the fault.
func (f faulty) now(kind string, n int) bool {
	return f.kind == kind && f.calls.Add(1) == int64(n)
}

func (f faulty) give(g *executor.Group, fn executor.Func, arg any) error {
	switch {
	case f.now("drops a light task", 5):
		return nil
	case f.now("runs a light task twice", 5):
		return f.real.give(g, func(w *executor.Worker, arg any) { fn(w, arg); fn(w, arg) }, arg)
	case f.now("gives a light task twice", 5):
		_ = f.real.give(g, fn, arg)
	}
	return f.real.give(g, fn, arg)
}

func (f faulty) giveAll(g *executor.Group, fn executor.Func, args []any) (int, error) {
	if len(args) > 0 && f.now("drops the last of a batch", 1) {
		_, err := f.real.giveAll(g, fn, args[:len(args)-1])
		return len(args), err
	}
	return f.real.giveAll(g, fn, args)
}

func (f faulty) spawnLight(w *executor.Worker, g *executor.Group, fn executor.Func, arg any) {
	if !f.now("drops a light spawn", 5) {
		f.real.spawnLight(w, g, fn, arg)
	}
}

// submit has its faults behind the opening, whose tasks wait for each other.
func (f faulty) submit(fn body) (*executor.Handle[int], error) {
	first := f.workers + 4
	switch {
	case f.now("runs a task twice", first):
		return f.real.submit(func(w *executor.Worker) (int, error) { _, _ = fn(w); return fn(w) })
	case f.now("does not run a task", first):
		return f.real.submit(func(*executor.Worker) (int, error) { return answer, nil })
	case f.now("takes a task that it refuses", first):
		_, _ = f.real.submit(fn)
		return nil, executor.ErrSaturated
	}
	return f.real.submit(fn)
}

func (f faulty) spawn(w *executor.Worker, fn body) *executor.Handle[int] {
	if f.now("runs a spawned task twice", 3) {
		return f.real.spawn(w, func(w *executor.Worker) (int, error) { _, _ = fn(w); return fn(w) })
	}
	return f.real.spawn(w, fn)
}

func (f faulty) wait(g *executor.Group) error {
	if f.kind == "does not wait" {
		return nil
	}
	return f.real.wait(g)
}

func (f faulty) newFork(leaf func([]mark) int) *executor.Fork[[]mark, int] {
	return f.real.newFork(func(ms []mark) int {
		if f.now("runs a leaf twice", 5) {
			leaf(ms)
		}
		return leaf(ms)
	})
}

func (f faulty) stats() executor.Stats {
	s := f.real.stats()
	if f.kind == "counts one too few" {
		s.Completed--
	}
	return s
}

func (f faulty) end(stop bool) error {
	err := f.real.end(stop)
	switch f.kind {
	case "leaves a goroutine":
		go func() { <-f.kept }()
	case "keeps memory":
		hoard.Store(new(byte), make([]byte, 256<<10))
	}
	return err
}

var hoard sync.Map

// Each fault is found, and what is said names it.
func TestFaultsAreFound(t *testing.T) {
	for kind, want := range map[string]string{
		"drops a light task":           "was lost|Cancelled",
		"runs a light task twice":      "ran 2 times",
		"gives a light task twice":     "ran 2 times|Submitted",
		"drops the last of a batch":    "was lost|Cancelled",
		"drops a light spawn":          "was lost|Cancelled",
		"runs a task twice":            "ran 2 times",
		"does not run a task":          "was lost",
		"takes a task that it refuses": "was refused, and ran 1 times|Submitted",
		"runs a spawned task twice":    "ran 2 times",
		"does not wait":                "returned before|were to fail",
		"runs a leaf twice":            "ran 2 times",
		"counts one too few":           "Completed",
		"leaves a goroutine":           "goroutines are left",
		"keeps memory":                 "memory grew",
	} {
		t.Run(kind, func(t *testing.T) {
			stress.Watchdog(t)
			before := runtime.NumGoroutine()
			kept := make(chan struct{})
			start := func(cfg executor.Config) (pool, error) {
				e, err := executor.New(cfg)
				return faulty{real{e}, kind, cfg.Workers, new(atomic.Int64), kept}, err
			}
			var out bytes.Buffer
			r := newCampaign(tiny(stress.Seed(t)), start, &out).run(t.Context())
			close(kept)
			hoard.Clear()
			r.words(&out)
			found := false
			for w := range strings.SplitSeq(want, "|") {
				found = found || strings.Contains(strings.Join(r.Faults, "\n"), w)
			}
			if !found || !strings.Contains(out.String(), fmt.Sprintf("repeat with -seed %d", r.Seed)) {
				t.Errorf("want a fault %q in:\n%s", want, &out)
			}
			stress.Until(func() bool { return runtime.NumGoroutine() <= before })
		})
	}
}

// TestEnter: what each state of a mark counts as.
func TestEnter(t *testing.T) {
	check := func(v uint32, mayMiss bool, want count, bad string) {
		t.Helper()
		var c count
		if got := c.enter(v, mayMiss); got != bad || c != want {
			t.Errorf("%#x: %+v, %q, want %+v, %q", v, c, got, want, bad)
		}
	}
	check(0, false, count{}, "")
	check(1, true, count{}, "was refused, and ran 1 times")
	check(given|1, false, count{1, 1, 0}, "")
	check(given|3, true, count{1, 0, 0}, "ran 3 times")
	check(given, false, count{1, 0, 0}, "was lost")
	check(given, true, count{1, 0, 1}, "")
	check(given|skipped, false, count{1, 0, 1}, "")
	check(given|skipped|1, false, count{1, 0, 0}, "ran after it was cancelled")
}

// TestWatch: a line a tick; and no end of an executor for so many is a hang, but not
// while it is paused.
func TestWatch(t *testing.T) {
	stress.Watchdog(t)
	watch := func(ticks int, each func(c *campaign)) (out string, hung bool) {
		var b bytes.Buffer
		c := newCampaign(tiny(1), newPool, &b)
		tick, over, ended := make(chan time.Time), make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			c.watch(tick, over, func() { hung = true })
		}()
		for range ticks {
			each(c)
			tick <- time.Time{}
		}
		close(over)
		<-ended
		return b.String(), hung
	}
	if out, hung := watch(3*patience, func(c *campaign) { c.lives.Add(1) }); hung || strings.Count(out, "\n") != 3*patience {
		t.Errorf("hung %v: %s", hung, out)
	}
	if out, hung := watch(2*patience, func(c *campaign) { c.paused.Store(true) }); hung || !strings.Contains(out, "paused") {
		t.Errorf("hung %v: %s", hung, out)
	}
	if out, hung := watch(patience+1, func(*campaign) {}); !hung || !strings.Contains(out, "goroutine ") {
		t.Errorf("hung %v: %s", hung, out)
	}
}

func TestThirds(t *testing.T) {
	if first, last := thirds([]int64{9, 1, 2, 5, 5, 5, 7, 99, 8}); first != 2 || last != 8 {
		t.Errorf("%d, %d", first, last)
	}
}

// The command, its codes and its words.
func TestCommand(t *testing.T) {
	stress.Watchdog(t)
	check := func(want int, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if got := run(args, &out, &errs); got != want {
			t.Errorf("%v: %d, want %d: %s%s", args, got, want, &out, &errs)
		}
		return out.String() + errs.String()
	}
	check(2, "-tasks", "0")
	check(2, "-minutes", "NaN")
	check(2, "more")
	check(2, "-nonsense")
	if testing.Short() {
		t.Skip("the command has its large parts, which take some seconds")
	}
	file := filepath.Join(t.TempDir(), "load.json")
	out := check(0, "-tasks", "1", "-minutes", "0", "-seed", "7", "-out", file)
	if !strings.Contains(out, "each ran once or was cancelled; seed 7") {
		t.Error(out)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	check(4, "-tasks", "1", "-minutes", "0", "-out", filepath.Join(file, "below a file"))
}
