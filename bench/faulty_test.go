package bench

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/mutex"
)

// faults are what a bad queue does at one push of each run. They return how the
// item is pushed then.
var faults = map[string]func(push func(*Item) bool, v *Item) bool{
	"drops":             func(func(*Item) bool, *Item) bool { return true },
	"duplicates":        func(push func(*Item) bool, v *Item) bool { push(v); return push(v) },
	"exchanges":         func(push func(*Item) bool, v *Item) bool { return push(&Item{mark: v.mark + 1}) },
	"repeats the first": func(push func(*Item) bool, v *Item) bool { return push(item(0)) },
	"forgets what":      func(push func(*Item) bool, _ *Item) bool { return push(nil) },
}

// sayings are what the error of a fault must say.
var sayings = map[string]string{"drops": "items came out, want", "exchanges": "not those that went in", "forgets what": "as nil"}

type (
	fault          func(push func(*Item) bool, v *Item) bool
	faultyInjector struct {
		queues.Injector[*Item]
		fault
	}
	faultyDeque struct {
		queues.Deque[*Item]
		fault
	}
)

// bad is the item whose push goes wrong.
const bad = 1

func (q faultyInjector) Push(v *Item) bool { return q.fault.push(q.Injector.Push, v) }

func (d faultyDeque) Push(v *Item) bool { return d.fault.push(d.Deque.Push, v) }

func (f fault) push(push func(*Item) bool, v *Item) bool {
	if v == item(bad) {
		return f(push, v)
	}
	return push(v)
}

// faulty is the mutex queues with a fault.
func faulty(f fault) (all []queues.Backend[*Item]) {
	for _, b := range mutex.Backends[Item]() {
		if makes := b.Injector; makes != nil {
			b.Injector = func(o queues.Options) queues.Injector[*Item] { return faultyInjector{makes(o), f} }
		}
		if makes := b.Deque; makes != nil {
			b.Deque = func(o queues.Options) queues.Deque[*Item] { return faultyDeque{makes(o), f} }
		}
		all = append(all, b)
	}
	return all
}

// runs opens c, runs it once and closes it, and returns the first error.
func runs(c Case, n int) error {
	arm, err := c.Open()
	if err != nil {
		return err
	}
	_, err = arm.Run(n)
	return errors.Join(err, arm.Close())
}

// Every case of a queue finds every fault, with two items and with many, and its
// error names the case.
func TestFaultyQueuesAreFound(t *testing.T) {
	stress.Watchdog(t)
	for what, f := range faults {
		for _, c := range QueueCases(faulty(f)...) {
			for _, n := range []int{2, 1000} {
				err := runs(c, n)
				if err == nil || !strings.Contains(err.Error(), c.Name) || !strings.Contains(err.Error(), sayings[what]) {
					t.Errorf("%s: n=%d: a queue that %s: error %v", c.Name, n, what, err)
				}
			}
		}
	}
	right := func(push func(*Item) bool, v *Item) bool { return push(v) }
	for _, c := range QueueCases(faulty(right)...) {
		if err := runs(c, 1000); err != nil {
			t.Errorf("a queue with nothing wrong: %v", err)
		}
	}
}

// losing is a deque whose thieves lose an item of each haul.
type losing struct{ queues.Deque[*Item] }

type losingThief struct{ queues.Stealer[*Item] }

func (d losing) Stealer() queues.Stealer[*Item] { return losingThief{d.Deque.Stealer()} }

func (s losingThief) Steal(dst []*Item) (n int, retry bool) {
	n, retry = s.Stealer.Steal(dst)
	return max(0, n-1), retry || n == 1
}

// What thieves lose is found, and ends the run all the same.
func TestFaultyThievesAreFound(t *testing.T) {
	stress.Watchdog(t)
	b := queues.Backend[*Item]{Name: "losing", Deque: func(o queues.Options) queues.Deque[*Item] {
		return losing{mutex.NewDeque[*Item](o)}
	}}
	found := 0
	for _, c := range QueueCases(b) {
		if c.Family() != "Feed" {
			continue // of the others, the owner may get everything
		}
		for _, n := range []int{1, 1000} {
			if err := runs(c, n); err == nil || !strings.Contains(err.Error(), c.Name) {
				t.Errorf("%s: n=%d: error %v", c.Name, n, err)
			}
			found++
		}
	}
	if found == 0 {
		t.Error("there are no thieves")
	}
}

// faultyPool is goroutines, of which the at-th does something else.
type faultyPool struct {
	goroutines
	at    int64
	given atomic.Int64 // tasks so far, from outside and inside
	fault func(body func(none) (int, error)) func(none) (int, error)
}

// next is the body to run for the next task.
func (p *faultyPool) next(body func(none) (int, error)) func(none) (int, error) {
	if p.given.Add(1) == p.at {
		return p.fault(body)
	}
	return body
}

func (p *faultyPool) Submit(body func(none) (int, error)) (future, error) {
	return p.goroutines.Submit(p.next(body))
}

func (p *faultyPool) Spawn(_ none, body func(none) (int, error)) future {
	return p.goroutines.Spawn(none{}, p.next(body))
}

var errBroken = errors.New("broken")

// poolFaults are what bad pools do, to which task, and which cases can tell.
var poolFaults = []struct {
	what  string
	at    int64
	fault func(body func(none) (int, error)) func(none) (int, error)
	tells func(family string) bool
}{
	{"drops the first task", 1, func(func(none) (int, error)) func(none) (int, error) {
		return func(none) (int, error) { return 0, nil }
	}, func(string) bool { return true }},
	{"returns another result", 1, another, func(string) bool { return true }},
	{"returns another result later", 3, another, manyTasks},
	{"fails a task", 3, func(func(none) (int, error)) func(none) (int, error) {
		return func(none) (int, error) { return 0, errBroken }
	}, manyTasks},
	{"runs a task twice", 3, func(body func(none) (int, error)) func(none) (int, error) {
		return func(none) (int, error) { _, _ = body(none{}); return body(none{}) }
	}, func(family string) bool { return family == "Chain" }},
}

func another(body func(none) (int, error)) func(none) (int, error) {
	return func(none) (int, error) { v, err := body(none{}); return v + 1, err }
}

// manyTasks: a run has a third task, whose result somebody waits for.
func manyTasks(family string) bool { return family != "Idle" && family != "Chain" }

// Every case of a pool finds what a pool does wrong, where it can be told from
// the results, and its error names the case.
func TestFaultyPoolsAreFound(t *testing.T) {
	stress.Watchdog(t)
	told := map[string]bool{}
	for _, f := range poolFaults {
		broken := func(int) (Pool[none, future], error) {
			return &faultyPool{at: f.at, fault: f.fault}, nil
		}
		for _, c := range poolCases("faulty", 2, broken, small) {
			if !f.tells(c.Family()) {
				continue
			}
			told[f.what] = true
			if err := runs(c, 63); err == nil || !strings.Contains(err.Error(), c.Name) {
				t.Errorf("%s: a pool that %s: error %v", c.Name, f.what, err)
			}
		}
	}
	if len(told) != len(poolFaults) {
		t.Errorf("cases told only %v", told)
	}
}

// repeating is a pool that runs the last link of a chain again when it is closed.
type repeating struct {
	goroutines
	last func(none) (int, error) // written by a link, read after the chain
}

func (p *repeating) Spawn(_ none, body func(none) (int, error)) future {
	p.last = body
	return p.goroutines.Spawn(none{}, body)
}

func (p *repeating) Close() error {
	_, _ = p.last(none{})
	return p.goroutines.Close()
}

// A link that runs when nobody expects one any more is found at the end.
func TestLateLinkIsFound(t *testing.T) {
	stress.Watchdog(t)
	open := func(int) (Pool[none, future], error) { return new(repeating), nil }
	for _, c := range poolCases("repeating", 2, open, small) {
		if c.Family() != "Chain" {
			continue
		}
		arm, err := c.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := arm.Run(63); err != nil {
			t.Fatal(err)
		}
		if err := arm.Close(); err == nil || !strings.Contains(err.Error(), "64 links") {
			t.Errorf("close: error %v", err)
		}
	}
}

// refusing is a pool that takes nothing from outside, and cannot be closed.
type refusing struct{ goroutines }

func (*refusing) Submit(func(none) (int, error)) (future, error) { return nil, errBroken }

func (*refusing) Close() error { return errBroken }

// What a pool says itself is passed on.
func TestErrorsOfPools(t *testing.T) {
	stress.Watchdog(t)
	for _, c := range poolCases("refusing", 2, func(int) (Pool[none, future], error) { return &refusing{}, nil }, small) {
		arm, err := c.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := arm.Run(2); !errors.Is(err, errBroken) || !strings.Contains(err.Error(), c.Name) {
			t.Errorf("run: error %v", err)
		}
		if err := arm.Close(); !errors.Is(err, errBroken) || !strings.Contains(err.Error(), c.Name) {
			t.Errorf("close: error %v", err)
		}
	}
	for _, c := range poolCases("none", 2, func(int) (Pool[none, future], error) { return nil, errBroken }, small) {
		if _, err := c.Open(); !errors.Is(err, errBroken) || !strings.Contains(err.Error(), c.Name) {
			t.Errorf("open: error %v", err)
		}
	}
	for _, c := range QueueCases(queues.Backend[*Item]{Name: "none"}) {
		if _, err := c.Open(); err == nil {
			t.Errorf("%s opens without a back end", c.Name)
		}
	}
}
