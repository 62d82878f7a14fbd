package guard

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// samples answers with one value after another, and calls last with the last.
func samples[T any](last func(), values ...T) func() (T, error) {
	return func() (T, error) {
		v := values[0]
		if len(values) > 1 {
			values = values[1:]
		} else {
			last()
		}
		return v, nil
	}
}

func holds(lastly func(), bytes ...int64) func() (Usage, error) {
	var usages []Usage
	for _, b := range bytes {
		usages = append(usages, Usage{RSSB: b})
	}
	return samples(lastly, usages...)
}

func never() {}

func failing[T any]() (T, error) {
	var zero T
	return zero, errors.New("unreadable")
}

func TestWatchTrips(t *testing.T) {
	limits := Limits{TreeB: 100, LowWaterB: 50, Interval: time.Millisecond}
	for _, row := range []struct {
		name string
		tree func() (Usage, error)
		host func() (int64, error)
		want Trip
		text string
	}{
		{"ceiling", holds(never, 10, 100, 101), samples[int64](never, 50), Memory, "101 B, its ceiling is 100 B"},
		{"low water", holds(never, 10), samples[int64](never, 60, 50, 49), LowWater, "49 B left, its low-water mark is 50 B"},
		{"both", holds(never, 101), samples[int64](never, 49), Memory, "ceiling"},
		{"no tree", failing[Usage], samples[int64](never, 60), Blind, "unreadable"},
		{"no host", holds(never, 10), failing[int64], Blind, "unreadable"},
	} {
		got := watch(t.Context(), limits, row.tree, row.host)
		if got.Trip != row.want || !strings.Contains(got.String(), row.text) {
			t.Errorf("%s: got %s: %s", row.name, got.Trip, got)
		}
	}
}

// TestWatchPeak: the peak is the greatest sample, not the last.
func TestWatchPeak(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	got := watch(ctx, Limits{Interval: time.Millisecond}, holds(stop, 10, 90, 20), nil)
	if got.Trip != None || got.PeakTreeB != 90 || got.TreeB != 20 || got.Samples != 3 {
		t.Errorf("got %+v", got)
	}
	if got.String() != "guard: peak 90 B in 3 samples" {
		t.Errorf("got %s", got)
	}
}

// TestWatchWithoutLimits: nothing is guarded, so being blind trips nothing,
// but it is said.
func TestWatchWithoutLimits(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	got := watch(ctx, Limits{}, failing[Usage], failing[int64])
	if got.Trip != None || got.Err == nil || got.Samples != 1 {
		t.Errorf("got %+v", got)
	}
}

// TestWatchLooksAtOnce: a child that is too big from the start is caught even
// when it has no second interval.
func TestWatchLooksAtOnce(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	got := watch(ctx, Limits{TreeB: 1, Interval: time.Hour}, holds(never, 2), nil)
	if got.Trip != Memory {
		t.Errorf("got %+v", got)
	}
}

func TestTripString(t *testing.T) {
	for trip, want := range map[Trip]string{None: "none", Memory: "memory", LowWater: "low water", Blind: "blind"} {
		if got := trip.String(); got != want {
			t.Errorf("got %q want %q", got, want)
		}
	}
}
