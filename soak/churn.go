package soak

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/exactlyonce/certify/reports/record"
)

const (
	churnWarm  = 200       // rounds before memory is looked at
	churnGrowB = 256 << 10 // that may be live more at the end than after those

	churnPatience = 5 * time.Second // for goroutines that end
)

var errChurn = errors.New("fails by design")

// churn: executors are made, used in every way and closed, by the thousand, and
// memory and goroutines stay where they were.
func (t *trial) churn() {
	var before int64
	t.batches(func(base, n int) {
		for round := base; round < base+n && t.found.none(); round++ {
			if round == min(churnWarm, t.spec.Tasks/2) {
				before = liveHeap()
			}
			t.churnOnce(round)
		}
	})
	if !t.found.none() {
		return
	}
	grown := liveHeap() - before
	t.value("grown-B", float64(grown))
	if grown > churnGrowB {
		t.found.add(record.Memory, "%d rounds left %d bytes more than there were, limit %d", t.spec.Tasks, grown, churnGrowB)
	}
}

// churnOnce is the life of an executor.
func (t *trial) churnOnce(round int) {
	goroutines := runtime.NumGoroutine()
	pool := t.open(Options{Workers: 1 + round%3, Capacity: 8})
	tasks := make([]Task, 0, 8)
	add := func(task Task, err error) {
		if err != nil {
			t.found.add(record.Contract, "round %d: %v", round, err)
			return
		}
		tasks = append(tasks, task)
	}
	ctx := context.Background()
	add(pool.Submit(ctx, func(in Inside) (int, error) {
		t.strike(round)
		return in.Spawn(func(Inside) (int, error) { return round, nil }).Wait(ctx)
	}))
	add(pool.Submit(ctx, func(Inside) (int, error) { return 0, errChurn }))
	add(pool.Submit(ctx, func(Inside) (int, error) { panic(errChurn) }))
	add(pool.Submit(ctx, func(in Inside) (int, error) { <-in.Context().Done(); return 0, nil }))
	tasks[len(tasks)-1].Cancel(errChurn)
	if polls, ok := pool.(Polls); ok {
		add(polls.SubmitPoll(ctx, func(wake func()) (int, bool) { return 0, false })) // for ever
		tasks[len(tasks)-1].Cancel(errChurn)
	}
	for i, task := range tasks {
		if e := waitFor(task); i == 0 && (e.err != nil || e.value != round) || i > 0 && e.err == nil {
			t.found.add(record.Contract, "round %d: task %d returned %d, %v", round, i, e.value, e.err)
		}
	}
	t.checkQuiet(round)
	t.shut(pool)
	for began := time.Now(); runtime.NumGoroutine() > goroutines && t.spin(); { // one may be about to end
		if time.Since(began) > churnPatience {
			t.found.add(record.Leak, "round %d left goroutines: %d, before %d", round, runtime.NumGoroutine(), goroutines)
			return
		}
	}
}
