package soak_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/internal/stress"
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/catalog"
	"github.com/exactlyonce/certify/reports/record"
	"github.com/exactlyonce/certify/soak"
)

type item = *executor.Task

// list is an injector and a deque: a slice under a lock. Its hooks make it faulty:
// each is asked with the lock held, and n is how often it was asked.
type list struct {
	mu       sync.Mutex
	items    []item
	capacity int // 0 is no bound
	asked    map[string]int
	faults   faultyList
}

// faultyList are the faults. Those that are a number strike at each so manieth call.
type faultyList struct {
	loses, refuses, overfills, repeats, invents, denies, wrongEnd, aborts, miscounts int
	halves                                                                           bool // a batch is taken in two steps
	reverses                                                                         bool // a batch is in the wrong order
	stealNew                                                                         bool // a thief takes the newest
	denyThief                                                                        int
}

func (l *list) strikes(what string, each int) bool {
	if each == 0 {
		return false
	}
	l.asked[what]++
	return l.asked[what]%each == 0
}

func newList(capacity int, f faultyList) *list {
	return &list{capacity: capacity, faults: f, asked: map[string]int{}}
}

func (l *list) Push(v item) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.push(v)
}

func (l *list) push(v item) bool {
	if l.strikes("refuse", l.faults.refuses) {
		return false
	}
	full := l.capacity > 0 && len(l.items) >= l.capacity
	if full && !l.strikes("overfill", l.faults.overfills) {
		return false
	}
	if !l.strikes("lose", l.faults.loses) {
		l.items = append(l.items, v)
	}
	return true
}

func (l *list) PushAll(vs []item) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, v := range vs {
		if !l.push(v) {
			return i
		}
	}
	return len(vs)
}

// take takes the item at i.
func (l *list) take(i int) (item, bool) {
	if l.strikes("invent", l.faults.invents) {
		return new(executor.Task), true
	}
	if len(l.items) == 0 || l.strikes("deny", l.faults.denies) {
		return nil, false
	}
	v := l.items[i]
	if !l.strikes("repeat", l.faults.repeats) {
		l.items = slices.Delete(l.items, i, i+1)
	}
	return v, true
}

func (l *list) oldest(dst []item) (n int) {
	for n < len(dst) {
		i := 0
		if len(l.items) > 1 && l.strikes("end", l.faults.wrongEnd) {
			i = len(l.items) - 1
		}
		v, ok := l.take(i)
		if !ok {
			break
		}
		dst[n] = v
		n++
		if l.faults.halves && n == 1 {
			l.mu.Unlock()
			runtime.Gosched()
			l.mu.Lock()
		}
	}
	if l.faults.reverses {
		slices.Reverse(dst[:n])
	}
	return n
}

func (l *list) Pop() (item, bool) {
	var one [1]item
	n := l.PopInto(one[:])
	return one[0], n == 1
}

func (l *list) PopInto(dst []item) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.oldest(dst)
}

func (l *list) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.strikes("count", l.faults.miscounts) {
		return len(l.items) + 1
	}
	return len(l.items)
}

// stack is list as a deque.
type stack struct{ *list }

func (s stack) Pop() (item, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := len(s.items) - 1
	if s.strikes("end", s.faults.wrongEnd) {
		i = 0
	}
	return s.take(i)
}

func (s stack) Stealer() queues.Stealer[item] { return robber(s) }

type robber struct{ *list }

func (r robber) Steal(dst []item) (int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.strikes("abort", r.faults.aborts):
		return 0, true
	case r.strikes("deny thief", r.faults.denyThief):
		return 0, false
	case r.faults.stealNew && len(r.items) > 1:
		v, _ := r.take(len(r.items) - 1)
		dst[0] = v
		return 1, false
	}
	wrongEnd := r.faults.wrongEnd // the owner's
	r.faults.wrongEnd = 0
	n := r.oldest(dst[:min(len(dst), (len(r.items)+1)/2)])
	r.faults.wrongEnd = wrongEnd
	return n, false
}

// channel is a bounded injector in a few lines that everybody trusts.
type channel chan item

func (c channel) Push(v item) bool {
	select {
	case c <- v:
		return true
	default:
		return false
	}
}

func (c channel) PushAll(vs []item) int {
	for i, v := range vs {
		if !c.Push(v) {
			return i
		}
	}
	return len(vs)
}

func (c channel) Pop() (v item, ok bool) {
	select {
	case v = <-c:
		return v, true
	default:
		return nil, false
	}
}

func (c channel) PopInto(dst []item) (n int) {
	for n < len(dst) {
		v, ok := c.Pop()
		if !ok {
			break
		}
		dst[n] = v
		n++
	}
	return n
}

func (c channel) Len() int { return len(c) }

func injectorOf(p queues.Promises, f faultyList) queues.Backend[item] {
	return queues.Backend[item]{Name: "list", Promises: p, Injector: func(o queues.Options) queues.Injector[item] {
		if !p.Bounded {
			o.Capacity = 0
		}
		return newList(o.Capacity, f)
	}}
}

func dequeOf(p queues.Promises, f faultyList) queues.Backend[item] {
	return queues.Backend[item]{Name: "list", Promises: p, Deque: func(queues.Options) queues.Deque[item] {
		return stack{newList(0, f)}
	}}
}

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
		{injectorOf(loose, faultyList{wrongEnd: 100}), record.Reordered, "producer-order"},
		{injectorOf(loose, faultyList{reverses: true}), record.Reordered, "batch-order"},
		{injectorOf(bag, faultyList{repeats: 1000}), record.Duplicated, "repeat"},
		{injectorOf(bag, faultyList{denies: 1000}), record.Contract, "empty"},
		{injectorOf(bounded, faultyList{overfills: 100}), record.Contract, "overflow"},
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
		{dequeOf(owned, faultyList{miscounts: 3}), record.Contract, "Len"},
	} {
		name := fmt.Sprintf("%s/%s", f.backend.Kind(), strings.Fields(f.rules)[0])
		t.Run(name, func(t *testing.T) {
			stress.Watchdog(t)
			drill, e := bareSubject(t, f.backend)
			o, err := soak.Check(e, soak.Spec{Drill: drill, Tasks: 40_000, Batch: 1000, Workers: 3, Seed: stress.Seed(t)})
			if err != nil {
				t.Fatal(err)
			}
			rule := ruleOf(o.Detail)
			if o.Reason != f.reason || !slices.Contains(strings.Fields(f.rules), rule) {
				t.Errorf("%s (%s) by %q, want %s by %s:\n%s", o.Verdict, o.Reason, rule, f.reason, f.rules, o.Detail)
			}
		})
	}
}

// ruleOf is the rule of the monitor in a finding, or Len.
func ruleOf(detail string) string {
	if strings.HasPrefix(detail, "contract: Len is") {
		return "Len"
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
			for _, tasks := range []int{1, 63, 40_000} {
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
