package soak_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/internal/stress"
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/catalog"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
)

// bareSubject is our executor with one back end that is to be tried.
func bareSubject(t *testing.T, b queues.Backend[item]) (drill string, e soak.Executor) {
	t.Helper()
	injector, err := catalog.Injector[executor.Task]("mutex")
	if err != nil {
		t.Fatal(err)
	}
	deque, err := catalog.Deque[executor.Task]("mutex")
	if err != nil {
		t.Fatal(err)
	}
	if b.Deque != nil {
		return "deque", soak.WorkStealing(injector, b)
	}
	return "injector", soak.WorkStealing(b, deque)
}

var (
	strict  = queues.Promises{Order: queues.FIFO, AtomicBatch: true, Len: queues.LenExact}
	owned   = queues.Promises{Order: queues.OwnerLIFO, AtomicBatch: true, Len: queues.LenExact}
	loose   = queues.Promises{Order: queues.ProducerFIFO}
	bag     = queues.Promises{}
	bounded = queues.Promises{Order: queues.FIFO, Bounded: true, AtomicBatch: true}
)

// queueTasks are enough for every fault, and for both sides of every queue.
func queueTasks() int {
	if testing.Short() {
		return 12_000
	}
	return 40_000
}

// Each faulty queue is found out, by a rule that its fault breaks.
func TestFaultyQueuesAreKilled(t *testing.T) {
	for _, f := range []struct {
		backend queues.Backend[item]
		reason  record.Reason
		rules   string // one of these
	}{
		{injectorOf(strict, faultyList{loses: 1000}), record.Lost, "lost"},
		{injectorOf(strict, faultyList{repeats: 1000}), record.Duplicated, "repeat"},
		{injectorOf(strict, faultyList{invents: 1000}), record.Duplicated, "fresh"},
		{injectorOf(strict, faultyList{wrongEnd: 100}), record.Reordered, "order"},
		{injectorOf(strict, faultyList{reverses: true}), record.Reordered, "batch-order"},
		{injectorOf(strict, faultyList{halves: true}), record.Reordered, "whole"},
		{injectorOf(strict, faultyList{denies: 1000}), record.Contract, "empty"},
		{injectorOf(strict, faultyList{refuses: 1000}), record.Contract, "full"},
		{injectorOf(strict, faultyList{miscounts: 3}), record.Contract, "Len"},
		{injectorOf(strict, faultyList{boasts: 5}), record.Contract, "count"},
		{injectorOf(loose, faultyList{wrongEnd: 100}), record.Reordered, "producer-order"},
		{injectorOf(loose, faultyList{reverses: true}), record.Reordered, "batch-order"},
		{injectorOf(bag, faultyList{repeats: 1000}), record.Duplicated, "repeat"},
		{injectorOf(bag, faultyList{denies: 1000}), record.Contract, "empty"},
		{injectorOf(bounded, faultyList{overfills: 10}), record.Contract, "overflow"},
		{injectorOf(bounded, faultyList{refuses: 100}), record.Contract, "full"},
		{dequeOf(owned, faultyList{loses: 1000}), record.Lost, "lost"},
		{dequeOf(owned, faultyList{repeats: 1000}), record.Duplicated, "repeat"},
		{dequeOf(owned, faultyList{invents: 1000}), record.Duplicated, "fresh"},
		{dequeOf(owned, faultyList{wrongEnd: 100}), record.Reordered, "lifo"},
		{dequeOf(owned, faultyList{stealNew: true}), record.Reordered, "lifo order"},
		{dequeOf(owned, faultyList{reverses: true}), record.Reordered, "batch-order"},
		{dequeOf(owned, faultyList{halves: true}), record.Reordered, "whole"},
		{dequeOf(owned, faultyList{denies: 100}), record.Contract, "owner-empty empty"},
		{dequeOf(owned, faultyList{denyThief: 100}), record.Contract, "empty"},
		{dequeOf(owned, faultyList{refuses: 1000}), record.Contract, "full"},
		{dequeOf(owned, faultyList{aborts: 4}), record.Contract, "abort"},
		{dequeOf(owned, faultyList{boasts: 5}), record.Contract, "count"},
		{dequeOf(owned, faultyList{miscounts: 3}), record.Contract, "Len"},
	} {
		name := fmt.Sprintf("%s/%s", f.backend.Kind(), strings.Fields(f.rules)[0])
		t.Run(name, func(t *testing.T) {
			stress.Watchdog(t)
			drill, e := bareSubject(t, f.backend)
			o := killed(t, e, soak.Spec{Drill: drill, Tasks: queueTasks(), Batch: 1000, Workers: 3, Seed: stress.Seed(t)})
			rule := ruleOf(o.Detail)
			if o.Reason != f.reason || !slices.Contains(strings.Fields(f.rules), rule) {
				t.Errorf("%s (%s) by %q, want %s by %s:\n%s", o.Verdict, o.Reason, rule, f.reason, f.rules, o.Detail)
			}
		})
	}
}

// killed is the outcome of the first repetition of some that finds something: a fault
// need not show in each.
func killed(t *testing.T, e soak.Executor, spec soak.Spec) (o soak.Outcome) {
	t.Helper()
	for range 8 {
		var err error
		if o, err = soak.Check(e, spec); err != nil {
			t.Fatal(err)
		}
		if o.Err() != nil {
			break
		}
		spec.Seed++
	}
	return o
}

// ruleOf is the rule of the monitor in a finding, or Len, or count.
func ruleOf(detail string) string {
	if strings.HasPrefix(detail, "contract: Len is") {
		return "Len"
	}
	if strings.Contains(detail, " of at most ") {
		return "count"
	}
	_, rest, _ := strings.Cut(detail, "the history is not ")
	_, rest, _ = strings.Cut(rest, ": ")
	rule, _, _ := strings.Cut(rest, ":")
	return rule
}

// Correct queues pass, of every order, so that a finding means something; and the
// run was not vacuous.
func TestGoodQueuesPass(t *testing.T) {
	full := queues.Backend[item]{Name: "channel", Promises: queues.Promises{Order: queues.FIFO, Bounded: true},
		Injector: func(o queues.Options) queues.Injector[item] { return make(channel, max(1, o.Capacity)) }}
	for _, b := range []queues.Backend[item]{
		injectorOf(strict, faultyList{}), injectorOf(loose, faultyList{}), injectorOf(bag, faultyList{wrongEnd: 3, halves: true, reverses: true}),
		injectorOf(bounded, faultyList{}), full, dequeOf(owned, faultyList{}), dequeOf(bag, faultyList{stealNew: true}),
	} {
		t.Run(fmt.Sprintf("%s/%s/%s", b.Kind(), b.Name, b.Promises.Order), func(t *testing.T) {
			stress.Watchdog(t)
			drill, e := bareSubject(t, b)
			for _, tasks := range []int{1, 63, queueTasks()} {
				spec := soak.Spec{Drill: drill, Tasks: tasks, Batch: 1000, Workers: 3, Seed: stress.Seed(t)}
				soak.Run(t, e, spec)
				if tasks > 1000 {
					checkBusy(t, e, spec, b)
				}
			}
		})
	}
}

func checkBusy(t *testing.T, e soak.Executor, spec soak.Spec, b queues.Backend[item]) {
	t.Helper()
	o, err := soak.Check(e, spec)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"rows", "empties", "batches", "len-max"}
	if b.Deque != nil {
		want = append(want, "steals", "stolen")
	}
	if b.Promises.Bounded {
		want = append(want, "refusals")
	}
	for _, unit := range want {
		if !slices.ContainsFunc(o.Values, func(v record.Value) bool { return v.Unit == unit && v.Value > 0 }) {
			t.Errorf("no %s: %v", unit, o.Values)
		}
	}
}

// What is not checked has a reason.
func TestHistoryLaws(t *testing.T) {
	omitted := func(b queues.Backend[item]) (rules []string) {
		for _, r := range soak.HistoryLaws(b) {
			if r.Omitted != "" {
				rules = append(rules, r.Name)
			}
		}
		return rules
	}
	for want, b := range map[string]queues.Backend[item]{
		"[overflow]":       injectorOf(strict, faultyList{}),
		"[]":               injectorOf(bounded, faultyList{}),
		"[whole overflow]": injectorOf(queues.Promises{Order: queues.FIFO}, faultyList{}),
		"[full]":           dequeOf(queues.Promises{Order: queues.OwnerLIFO, Bounded: true, AtomicBatch: true}, faultyList{}),
	} {
		if got := fmt.Sprint(omitted(b)); got != want {
			t.Errorf("%s, %+v: %s are left out, want %s", b.Kind(), b.Promises, got, want)
		}
	}
	if n := len(soak.HistoryLaws(injectorOf(bag, faultyList{}))); n == 0 {
		t.Error("a bag has no laws")
	}
}

// Faults on demand strike in these drills too.
func TestFaultsInQueueDrills(t *testing.T) {
	for _, b := range []queues.Backend[item]{injectorOf(strict, faultyList{}), dequeOf(owned, faultyList{})} {
		for fault, want := range map[string]record.Reason{"leak": record.Leak, "stall": record.Stall} {
			stress.Watchdog(t)
			drill, e := bareSubject(t, b)
			spec := soak.Spec{Drill: drill, Tasks: 1000, Batch: 100, Workers: 2, Fault: fault}
			if fault == "stall" {
				spec.Stall = 300 * time.Millisecond
			}
			o, err := soak.Check(e, spec)
			if err != nil || o.Reason != want {
				t.Errorf("drill %s, fault %s: %v, %s (%s), want %s: %s", drill, fault, err, o.Verdict, o.Reason, want, o.Detail)
			}
		}
	}
}
