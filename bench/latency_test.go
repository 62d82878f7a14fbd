package bench

import (
	"slices"
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
)

// The definition, slowly: the least value such that so many thousandths of all
// are at or below it.
func slowPercentile(values []int64, thousandths int) int64 {
	least := slices.Max(values)
	for _, v := range values {
		below := 0
		for _, w := range values {
			if w <= v {
				below++
			}
		}
		if below*1000 >= thousandths*len(values) {
			least = min(least, v)
		}
	}
	return least
}

func TestPercentilesAreNearestRanks(t *testing.T) {
	random := stress.Random(t)
	for range stress.Rounds(200) {
		values := make([]int64, 1+random.IntN(300))
		for i := range values {
			values[i] = random.Int64N(1 + random.Int64N(1000)) // some are equal
		}
		want := map[string]int64{}
		for unit, thousandths := range map[string]int{unitP50: 500, unitP90: 900, unitP99: 990, unitP999: 999, unitMax: 1000} {
			want[unit] = slowPercentile(values, thousandths)
		}
		for _, m := range percentiles(values) {
			if m.Value != float64(want[m.Unit]) {
				t.Fatalf("%s of %v is %v, want %v", m.Unit, values, m.Value, want[m.Unit])
			}
		}
	}
}

// simulated is a pool in simulated time, which moves on when the generator looks
// and when a task is submitted: it runs it at once, and one of them after a
// stall. Nothing else is going on, so that every figure is exact.
type simulated struct {
	goroutines
	now       int64 // ns
	stallAt   int   // the task that finds the pool stalled
	stall     int64 // ns
	submitted int
	naive     []int64 // from the submission to the end
}

const serviceNs = 1000

func (p *simulated) Submit(body func(none) (int, error)) (future, error) {
	began := p.now
	if p.submitted++; p.submitted == p.stallAt {
		p.now += p.stall
	}
	p.now += serviceNs
	f := make(future, 1)
	f.run(body)
	p.naive = append(p.naive, p.now-began)
	return f, nil
}

// A stall of 5 ms among tasks that come every 10 us is seen by the 500 that came
// meanwhile and some more, not by one: the 99th percentile shows it. Measured
// from the submission it is hidden.
func TestStallShowsInLatency(t *testing.T) {
	p := &simulated{stallAt: 1000, stall: 5_000_000}
	l := openLoop[none, future]{pool: p, every: 10_000, clock: func() int64 { return p.now }, yield: func() { p.now += 100 }}
	out, err := l.run(10_000)
	if err != nil {
		t.Fatal(err)
	}
	value := func(metrics []Metric, unit string) float64 {
		i := slices.IndexFunc(metrics, func(m Metric) bool { return m.Unit == unit })
		return metrics[i].Value
	}
	check := func(what string, got, want float64) {
		t.Helper()
		if got != want {
			t.Errorf("%s is %v ns, want %v", what, got, want)
		}
	}
	naive := percentiles(p.naive)
	check("naive p99", value(naive, unitP99), serviceNs)
	check("naive max", value(naive, unitMax), 5_000_000+serviceNs)
	check("p50", value(out.metrics, unitP50), serviceNs)
	check("max", value(out.metrics, unitMax), 5_000_000+serviceNs)
	// Each task after the stall has 9 us less to wait for than the one before;
	// 100 of the 10,000 are later than the 99th percentile.
	check("p99", value(out.metrics, unitP99), 5_000_000+serviceNs-100*(10_000-serviceNs))
}
