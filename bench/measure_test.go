package bench

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// steady is an arm of which everything is known.
type steady struct{ kept []*[1024]byte }

func (a *steady) Run(n int) (time.Duration, error) {
	if n == 13 {
		return 0, errBroken
	}
	for range n {
		a.kept = append(a.kept, new([1024]byte))
	}
	return time.Duration(n) * 250, nil
}

func (a *steady) Metrics() []Metric { return []Metric{{unitMisses, 7}} }

func (a *steady) Close() error { return nil }

func TestMeasure(t *testing.T) {
	metrics, err := Measure(&steady{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	value := func(unit string) float64 {
		i := slices.IndexFunc(metrics, func(m Metric) bool { return m.Unit == unit })
		if i < 0 {
			t.Fatalf("no %s in %v", unit, metrics)
		}
		return metrics[i].Value
	}
	if value(unitTime) != 250 || value(unitMisses) != 7 {
		t.Errorf("measured %v", metrics)
	}
	// Whatever else the process allocates comes on top.
	if value(unitAllocs) < 1 || value(unitBytes) < 1024 {
		t.Errorf("allocated %v a time, %v B", value(unitAllocs), value(unitBytes))
	}
	if _, err := Measure(&steady{}, 13); !errors.Is(err, errBroken) {
		t.Errorf("error %v", err)
	}
}
