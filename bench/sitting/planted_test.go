package sitting

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"github.com/exactlyonce/certify/bench"
	"github.com/exactlyonce/certify/reports/compare"
)

// slowed does a part more than it is asked for, and says nothing of it.
type slowed struct {
	bench.Arm
	more float64
}

func (s slowed) Run(n int) (time.Duration, error) {
	return s.Arm.Run(n + int(float64(n)*s.more))
}

// armsOf is two cases of the same arm, the second slower by more.
func armsOf(t *testing.T, more float64) []bench.Case {
	t.Helper()
	cases, err := bench.Select(bench.Cases(), "^Own/queue=chaselev/burst=64$")
	if err != nil {
		t.Fatal(err)
	}
	slower := func() (bench.Arm, error) {
		a, err := cases[0].Open()
		return slowed{a, more}, err
	}
	return []bench.Case{{Name: "Own/arm=a", Open: cases[0].Open}, {Name: "Own/arm=b", Open: slower}}
}

// gateOf measures the two arms in one sitting and asks the gate.
func gateOf(t *testing.T, more float64, seed uint64) compare.Outcome {
	t.Helper()
	s, err := New(armsOf(t, more), Plan{Samples: 20, Window: 5 * time.Millisecond, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Run(context.Background(), func(Sample) {})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.Write(&out, nil); err != nil {
		t.Fatal(err)
	}
	set, err := compare.Read("sitting", &out)
	if err != nil {
		t.Fatal(err)
	}
	result, err := compare.Compare(compare.Options{Col: "/arm", Filter: ".unit:(ns/op OR cpu-ns/op)"}, set)
	if err != nil {
		t.Fatal(err)
	}
	d, err := compare.Gate(result, compare.GateOptions{Threshold: 0.05, Floor: compare.Noise(result)})
	if err != nil {
		t.Fatal(err)
	}
	return d.Outcome
}

// A slowdown of 10 % is found in each of 20 sittings of 20 samples, and the same
// arm against itself in one at most. It measures the machine as much as us, so
// it is no part of the tests: CERTIFY_PLANTED=1 asks for it.
func TestPlantedSlowdown(t *testing.T) {
	if os.Getenv("CERTIFY_PLANTED") == "" {
		t.Skip("a timed claim: set CERTIFY_PLANTED=1")
	}
	found, alarms := 0, 0
	for seed := range uint64(20) {
		if gateOf(t, 0.10, seed+1) == compare.Regression {
			found++
		}
		if gateOf(t, 0, seed+1) != compare.Pass {
			alarms++
		}
	}
	t.Logf("a slowdown of 10 %% was found in %d of 20 sittings; A against A did not pass in %d of 20", found, alarms)
	if found < 20 || alarms > 1 {
		t.Errorf("want 20 of 20, and at most 1 of 20")
	}
}
