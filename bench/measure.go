package bench

import (
	"runtime"

	"github.com/exactlyonce/certify/soak/guard"
)

// Measure runs n operations of a and returns the time an operation took, what
// the process allocated and, where that can be read, how much processor time it
// used meanwhile, and then the arm's own metrics.
//
// On a machine that is shared the processor time is the steadier number.
func Measure(a Arm, n int) ([]Metric, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpuBefore, cpuErr := guard.SelfCPU()
	elapsed, err := a.Run(n)
	if err != nil {
		return nil, err
	}
	cpuAfter, _ := guard.SelfCPU()
	runtime.ReadMemStats(&after)

	metrics := []Metric{
		{unitTime, per(elapsed.Nanoseconds(), n)},
		{unitBytes, per(after.TotalAlloc-before.TotalAlloc, n)},
		{unitAllocs, per(after.Mallocs-before.Mallocs, n)},
	}
	if cpuErr == nil {
		metrics = append(metrics, Metric{unitCPU, per((cpuAfter - cpuBefore).Nanoseconds(), n)})
	}
	return append(metrics, a.Metrics()...), nil
}

func per[N int | int64 | uint64](total N, n int) float64 { return float64(total) / float64(n) }
