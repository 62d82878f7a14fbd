package guard

import (
	"context"
	"fmt"
	"time"
)

// Limits says when to trip. A limit of zero is none.
type Limits struct {
	TreeB     int64         // ceiling of the tree's resident memory
	LowWaterB int64         // what the host must have left
	Interval  time.Duration // between samples; 0 is 200 ms
}

const defaultInterval = 200 * time.Millisecond

// Trip is why the guard gave the alarm.
type Trip uint8

const (
	None     Trip = iota // no alarm
	Memory               // the tree exceeded its ceiling
	LowWater             // the host fell below its low-water mark
	Blind                // a limit could not be read
)

func (t Trip) String() string {
	return [...]string{"none", "memory", "low water", "blind"}[t]
}

// Usage is what a tree of processes holds.
type Usage struct {
	RSSB int64
	PIDs []int // alive, in no order; zombies hold nothing and are not among them
}

// Report is what the guard saw.
type Report struct {
	Trip      Trip
	TreeB     int64 // at the last sample
	HostB     int64 // at the last sample; 0 when there is no low-water mark
	PeakTreeB int64 // the greatest sample: a peak between two samples is not seen
	Samples   int
	Err       error // the last error of a reader, whether it tripped or not
	limits    Limits
}

// String says in one line what tripped.
func (r Report) String() string {
	switch r.Trip {
	case Memory:
		return fmt.Sprintf("guard: the tree holds %d B, its ceiling is %d B", r.TreeB, r.limits.TreeB)
	case LowWater:
		return fmt.Sprintf("guard: the host has %d B left, its low-water mark is %d B", r.HostB, r.limits.LowWaterB)
	case Blind:
		return fmt.Sprintf("guard: blind: %v", r.Err)
	}
	return fmt.Sprintf("guard: peak %d B in %d samples", r.PeakTreeB, r.Samples)
}

// Watch looks at the tree of the process group pgid, at once and then at
// every interval, until something trips or ctx is done.
func Watch(ctx context.Context, pgid int, limits Limits) Report {
	return watch(ctx, limits, func() (Usage, error) { return Tree(pgid) }, HostAvailable)
}

func watch(ctx context.Context, limits Limits, tree func() (Usage, error), host func() (int64, error)) Report {
	if limits.Interval <= 0 {
		limits.Interval = defaultInterval
	}
	report := Report{limits: limits}
	ticker := time.NewTicker(limits.Interval)
	defer ticker.Stop()
	for {
		report.sample(tree, host)
		if report.Trip != None {
			return report
		}
		select {
		case <-ctx.Done():
			return report
		case <-ticker.C:
		}
	}
}

func (r *Report) sample(tree func() (Usage, error), host func() (int64, error)) {
	r.Samples++
	usage, err := tree()
	if err != nil {
		r.fail(err, r.limits.TreeB)
	} else {
		r.TreeB = usage.RSSB
		r.PeakTreeB = max(r.PeakTreeB, usage.RSSB)
		if r.limits.TreeB > 0 && usage.RSSB > r.limits.TreeB {
			r.Trip = Memory
		}
	}
	if r.limits.LowWaterB <= 0 || r.Trip != None {
		return
	}
	r.HostB, err = host()
	if err != nil {
		r.fail(err, r.limits.LowWaterB)
	} else if r.HostB < r.limits.LowWaterB {
		r.Trip = LowWater
	}
}

// fail trips only where there is a limit to guard.
func (r *Report) fail(err error, limitB int64) {
	r.Err = err
	if limitB > 0 {
		r.Trip = Blind
	}
}
