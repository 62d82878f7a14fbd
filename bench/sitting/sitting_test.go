package sitting

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/exactlyonce/certify/bench"
)

// toy is an arm that says how long it took, instead of taking it.
type toy struct {
	perOp  time.Duration
	ran    []int
	closed int
	err    error
	hold   chan struct{} // if set, Run waits for it
}

func (a *toy) Run(n int) (time.Duration, error) {
	a.ran = append(a.ran, n)
	if a.hold != nil {
		<-a.hold
	}
	return time.Duration(n) * a.perOp, a.err
}

func (a *toy) Metrics() []bench.Metric { return nil }
func (a *toy) Close() error            { a.closed++; return nil }

// toys are cases of which each Open is noted.
func toys(perOp time.Duration, names ...string) (cases []bench.Case, opened map[string][]*toy) {
	opened = map[string][]*toy{}
	for _, name := range names {
		cases = append(cases, bench.Case{Name: name, Open: func() (bench.Arm, error) {
			a := &toy{perOp: perOp}
			opened[name] = append(opened[name], a)
			return a, nil
		}})
	}
	return cases, opened
}

// calm makes no window a disturbed one.
func calm(s *Sitting) *Sitting { s.canary.limit = off; return s }

// Each round has each arm once, in an order of its own; the first of a family
// has a twin; and every arm is closed.
func TestInterleaving(t *testing.T) {
	cases, opened := toys(time.Microsecond, "Pair/q=a", "Pair/q=b", "Pair/q=c", "Solo/q=a")
	s, err := New(cases, Plan{Samples: 20, Window: time.Millisecond, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	orders := map[string]bool{}
	rounds := map[int][]string{}
	r, err := calm(s).Run(context.Background(), func(m Sample) {
		rounds[m.Round] = append(rounds[m.Round], fmt.Sprint(m.Case, m.Twin))
	})
	if err != nil || len(r.Samples) != 6*20 || s.Windows() != 6*20 {
		t.Fatalf("%d samples, %v", len(r.Samples), err)
	}
	for round, order := range rounds {
		seen := map[string]bool{}
		for _, name := range order {
			seen[name] = true
		}
		if len(seen) != 6 || len(order) != 6 {
			t.Errorf("round %d: %v", round, order)
		}
		orders[strings.Join(order, " ")] = true
	}
	if len(orders) < 15 {
		t.Errorf("%d orders in 20 rounds", len(orders))
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]int{"Pair/q=a": 2, "Pair/q=b": 1, "Pair/q=c": 1, "Solo/q=a": 2} {
		if len(opened[name]) != want || opened[name][0].closed != 1 {
			t.Errorf("%s: opened %d times, closed %d", name, len(opened[name]), opened[name][0].closed)
		}
	}
}

// The number of operations fills a window, and not much more.
func TestSize(t *testing.T) {
	for _, perOp := range []time.Duration{1, time.Microsecond, time.Millisecond, time.Second} {
		cases, opened := toys(perOp, "Pair/q=a")
		s, err := New(cases, Plan{Window: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		ran := opened["Pair/q=a"][0].ran
		n := ran[len(ran)-1]
		if took := time.Duration(n) * perOp; took < 50*time.Millisecond || n > 1 && took > 110*time.Millisecond || len(ran) > 60 {
			t.Errorf("%v an op: %d operations after %d runs", perOp, n, len(ran))
		}
		_ = s.Close()
	}
}

// Disturbed windows are measured again, are told, do not count, and too many of
// them are an error.
func TestDisturbed(t *testing.T) {
	cases, _ := toys(time.Microsecond, "Pair/q=a", "Pair/q=b")
	s, err := New(cases, Plan{Samples: 4, Window: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.canary.limit = 0
	r, err := s.Run(context.Background(), func(Sample) {})
	if want := 3 * 4 * (1 + retries); !errors.Is(err, ErrNoise) || r.Disturbed != want || len(r.Samples) != want {
		t.Errorf("%d disturbed, want %d; %v", r.Disturbed, want, err)
	}
	if v := r.values("Pair/q=a", false, "ns/op"); len(v) != 0 {
		t.Errorf("they count: %v", v)
	}
	n := 0
	r, err = s.Run(context.Background(), func(Sample) { // every fourth window
		s.canary.limit = time.Hour
		if n++; n%4 == 0 {
			s.canary.limit = 0
		}
	})
	if err != nil || r.Disturbed == 0 || len(r.Samples)-r.Disturbed != 3*4 {
		t.Errorf("%d of %d disturbed, %v", r.Disturbed, len(r.Samples), err)
	}
}

// The canary does the same work every time, and calibration bounds it.
func TestCanary(t *testing.T) {
	var c canary
	c.calibrate()
	if c.limit <= 0 {
		t.Errorf("limit %v", c.limit)
	}
	c.limit = time.Hour
	if c.disturbed() {
		t.Error("disturbed by nothing")
	}
	c.limit = 0
	if !c.disturbed() {
		t.Error("cannot be disturbed")
	}
}

// Errors name the case; what was opened is closed.
func TestErrors(t *testing.T) {
	boom := errors.New("boom")
	good, opened := toys(time.Microsecond, "Pair/q=a")
	bad := bench.Case{Name: "Pair/q=bad", Open: func() (bench.Arm, error) { return nil, boom }}
	if _, err := New(append(good, bad), Plan{Window: time.Millisecond}); !errors.Is(err, boom) || !strings.Contains(err.Error(), "Pair/q=bad") {
		t.Errorf("open: %v", err)
	}
	if opened["Pair/q=a"][0].closed != 1 || opened["Pair/q=a"][1].closed != 1 {
		t.Error("an arm stays open")
	}
	wrong := bench.Case{Name: "Pair/q=wrong", Open: func() (bench.Arm, error) { return &toy{perOp: 1, err: boom}, nil }}
	if _, err := New([]bench.Case{wrong}, Plan{}); !errors.Is(err, boom) {
		t.Errorf("size: %v", err)
	}
	if _, err := New(nil, Plan{}); !errors.Is(err, bench.ErrNoCase) {
		t.Errorf("none: %v", err)
	}
	for _, p := range []Plan{{Samples: -1}, {Window: -1}, {Stall: -1}} {
		if _, err := New(good, p); err == nil {
			t.Errorf("%+v was taken", p)
		}
	}
	release := make(chan struct{})
	defer close(release)
	stuck := bench.Case{Name: "Pair/q=stuck", Open: func() (bench.Arm, error) { return &toy{hold: release}, nil }}
	if _, err := New([]bench.Case{stuck}, Plan{Stall: time.Millisecond}); !errors.Is(err, ErrStall) {
		t.Errorf("stuck: %v", err)
	}
	s, err := New(good, Plan{Window: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Run(ctx, func(Sample) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// What is written is read back: each sample that counts, no twin, and the
// units' directions.
func TestWrite(t *testing.T) {
	cases, _ := toys(time.Microsecond, "Pair/q=a", "Pair/q=b")
	s, err := New(cases, Plan{Samples: 5, Window: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := calm(s).Run(context.Background(), func(Sample) {})
	if err != nil {
		t.Fatal(err)
	}
	r.Samples[0].Disturbed = true
	var out bytes.Buffer
	if err := r.Write(&out, map[string]string{"goos": "linux", "cpu": "a fast one"}); err != nil {
		t.Fatal(err)
	}
	reader, results := benchfmt.NewReader(&out, "out"), 0
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.Result:
			results++
			if rec.GetConfig("cpu") != "a fast one" || len(rec.Values) == 0 {
				t.Errorf("got %+v", rec)
			}
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	want := 0
	for _, m := range r.Samples {
		if !m.Twin && !m.Disturbed {
			want++
		}
	}
	if results != want || want < 9 {
		t.Errorf("%d results, want %d", results, want)
	}
}

// Whatever the order of the measurement, a file has the cases in theirs.
func TestWrittenOrder(t *testing.T) {
	r := &Report{cases: []string{"b", "a"}}
	for _, m := range []Sample{{Case: "a", Round: 2}, {Case: "a", Round: 1}, {Case: "b", Round: 1, Disturbed: true}, {Case: "b", Round: 1}, {Case: "b", Round: 1, Twin: true}, {Case: "b", Round: 2}} {
		r.add(m)
	}
	var got []string
	for _, m := range r.written() {
		got = append(got, fmt.Sprint(m.Case, m.Round))
	}
	if fmt.Sprint(got) != "[b1 a1 b2 a2]" {
		t.Errorf("got %v", got)
	}
}

// The noise is the difference of twins, whichever is the greater.
func TestNoise(t *testing.T) {
	r := &Report{}
	for i, v := range []float64{100, 102, 98} {
		r.add(Sample{Case: "Pair/q=a", Round: i, Metrics: []bench.Metric{{Unit: "ns/op", Value: v}}})
		r.add(Sample{Case: "Pair/q=a", Twin: true, Round: i, Metrics: []bench.Metric{{Unit: "ns/op", Value: v + 10}}})
		r.add(Sample{Case: "Pair/q=b", Round: i, Metrics: []bench.Metric{{Unit: "ns/op", Value: 1}}})
	}
	n := r.Noise()
	if len(n) != 1 || n[0].Case != "Pair/q=a" || n[0].Unit != "ns/op" || n[0].Rate < 0.0999 || n[0].Rate > 0.1001 {
		t.Errorf("got %+v", n)
	}
}

// A case of ours goes through, as it is.
func TestOurCases(t *testing.T) {
	cases, err := bench.Select(bench.Cases(), "^Own/queue=(null|chaselev)/.*burst=64")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(cases, Plan{Samples: 2, Window: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	r, err := calm(s).Run(context.Background(), func(Sample) {})
	if err != nil || len(r.Samples) != s.Windows() {
		t.Errorf("%d samples, %v", len(r.Samples), err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
