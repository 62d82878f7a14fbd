package sitting

import (
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"

	"github.com/montanaflynn/stats"
	"golang.org/x/perf/benchfmt"

	"github.com/exactlyonce/certify/bench"
)

// Report is what was measured in a sitting.
type Report struct {
	Samples   []Sample // in the order of the measurement, disturbed ones too
	Disturbed int

	cases []string // in the order in which New got them
}

// written are the samples that count, by round, and within one in the order of
// the cases: who compares columns finds the first case first.
func (r *Report) written() (all []Sample) {
	for _, m := range r.Samples {
		if !m.Disturbed && !m.Twin {
			all = append(all, m)
		}
	}
	slices.SortStableFunc(all, func(a, b Sample) int {
		if a.Round != b.Round {
			return a.Round - b.Round
		}
		return slices.Index(r.cases, a.Case) - slices.Index(r.cases, b.Case)
	})
	return all
}

func (r *Report) add(m Sample) {
	r.Samples = append(r.Samples, m)
	if m.Disturbed {
		r.Disturbed++
	}
}

// enough returns ErrNoise when an arm has less than half of its samples.
func (r *Report) enough(arms []*arm, samples int) error {
	for _, a := range arms {
		n := 0
		for _, m := range r.Samples {
			if m.Case == a.name && m.Twin == a.twin && !m.Disturbed {
				n++
			}
		}
		if 2*n < samples {
			return fmt.Errorf("sitting: %s: %w: %d of %d samples were not disturbed, and %d of %d windows in all were",
				a.name, ErrNoise, n, samples, r.Disturbed, len(r.Samples))
		}
	}
	return nil
}

// Noise is how much the twins of a case differ: the relative difference of their
// medians, the greater over the lesser.
type Noise struct {
	Case string
	Unit string
	Rate float64
}

// Noise compares the twins, in the time an operation took and the processor time
// that it used.
func (r *Report) Noise() (all []Noise) {
	for _, m := range r.Samples {
		if !m.Twin || slices.ContainsFunc(all, func(n Noise) bool { return n.Case == m.Case }) {
			continue
		}
		for _, unit := range []string{"ns/op", "cpu-ns/op"} {
			a, errA := stats.Median(r.values(m.Case, false, unit))
			b, errB := stats.Median(r.values(m.Case, true, unit))
			if errA == nil && errB == nil && min(a, b) > 0 {
				all = append(all, Noise{m.Case, unit, math.Abs(a-b) / min(a, b)})
			}
		}
	}
	return all
}

func (r *Report) values(name string, twin bool, unit string) (all []float64) {
	for _, m := range r.Samples {
		if m.Case != name || m.Twin != twin || m.Disturbed {
			continue
		}
		for _, v := range m.Metrics {
			if v.Unit == unit {
				all = append(all, v.Value)
			}
		}
	}
	return all
}

// Write writes the samples that count in the Go benchmark format: config, the
// units with their directions, and a line a sample. Those of twins are left
// out, since they would be more samples of some cases than of others.
func (r *Report) Write(w io.Writer, config map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(config)) {
		if _, err := fmt.Fprintf(w, "%s: %s\n", key, config[key]); err != nil {
			return fmt.Errorf("sitting: write: %w", err)
		}
	}
	for _, u := range bench.Units() {
		if _, err := fmt.Fprintln(w, u); err != nil {
			return fmt.Errorf("sitting: write: %w", err)
		}
	}
	out := benchfmt.NewWriter(w)
	for _, m := range r.written() {
		if err := out.Write(m.result()); err != nil {
			return fmt.Errorf("sitting: write: %w", err)
		}
	}
	return nil
}

func (m Sample) result() *benchfmt.Result {
	name := m.Case
	if n := runtime.GOMAXPROCS(0); n > 1 { // as package testing writes it
		name = fmt.Sprintf("%s-%d", name, n)
	}
	res := &benchfmt.Result{Name: benchfmt.Name(name), Iters: m.N}
	for _, v := range m.Metrics {
		res.Values = append(res.Values, benchfmt.Value{Value: v.Value, Unit: v.Unit})
	}
	return res
}
