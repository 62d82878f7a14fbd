package queuetest

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/mutex"
)

// TestControls: what is odd but keeps its promises must pass all laws, and the
// laws it is excused from must be named.
func TestControls(t *testing.T) {
	for _, f := range []struct {
		fault
		skipped string
	}{
		{fault{name: "small Chase-Lev", promises: queues.Promises{Order: queues.OwnerLIFO}, deque: newSmall("")}, "allocs whole"},
		{fault{name: "channel", promises: queues.Promises{Order: queues.FIFO, Bounded: true, Reclaim: queues.ReclaimReuse},
			injector: func(o queues.Options) queues.Injector[*Item] { return stepwise{newChannel(o.Capacity)} }}, "whole"},
		{fault{name: "bag", promises: queues.Promises{Reclaim: queues.ReclaimReuse},
			injector: func(o queues.Options) queues.Injector[*Item] { return stack{mutex.NewDeque[*Item](o)} }}, "order sequence whole"},
		{fault{name: "lanes", promises: queues.Promises{Order: queues.ProducerFIFO},
			injector: newSlice}, "allocs whole"},
		{fault{name: "bounded deque", promises: queues.Promises{Order: queues.OwnerLIFO, Bounded: true, AtomicBatch: true},
			deque: func(o queues.Options) queues.Deque[*Item] { return bounded{mutex.NewDeque[*Item](o), o.Capacity} }}, "allocs"},
		{fault{name: "thieves that do not wait", deque: newImpatient}, ""},
	} {
		t.Run(f.name, func(t *testing.T) {
			r := Check(f.backend(), Config{Burst: 50_000})
			if err := r.Err(); err != nil {
				t.Error(err)
			}
			var skipped []string
			for _, s := range r.Skipped {
				skipped = append(skipped, s.Law)
			}
			if got := strings.Join(skipped, " "); got != f.skipped {
				t.Errorf("skipped %q, want %q", got, f.skipped)
			}
			if got := len(r.Passed) + len(r.Skipped) + len(r.Violations); got != len(Laws()) {
				t.Errorf("%d verdicts for %d laws", got, len(Laws()))
			}
		})
	}
}

// channel is bounded.
type channel chan *Item

func newChannel(capacity int) channel {
	if capacity == 0 {
		capacity = 100
	}
	return make(channel, capacity)
}

func (q channel) Push(v *Item) bool {
	select {
	case q <- v:
		return true
	default:
		return false
	}
}

func (q channel) Pop() (*Item, bool) {
	select {
	case v := <-q:
		return v, true
	default:
		return nil, false
	}
}

func (q channel) Len() int { return len(q) }

// slice leaves everything to the garbage collector.
type slice struct {
	mu    sync.Mutex
	items []*Item
}

func newSlice(o queues.Options) queues.Injector[*Item] {
	positive(o)
	return stepwise{new(slice)}
}

func (q *slice) Push(v *Item) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, v)
	return true
}

func (q *slice) Pop() (v *Item, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return nil, false
	}
	v, q.items[0] = q.items[0], nil
	if q.items = q.items[1:]; len(q.items) == 0 {
		q.items = nil
	}
	return v, true
}

func (q *slice) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

// bounded refuses.
type bounded struct {
	*mutex.Deque[*Item]
	capacity int
}

func (d bounded) Push(v *Item) bool { return d.Len() < max(1, d.capacity) && d.Deque.Push(v) }

func (d bounded) PushAll(vs []*Item) int {
	return d.Deque.PushAll(vs[:max(0, min(len(vs), max(1, d.capacity)-d.Len()))])
}

// impatient thieves report a lost race when the lock is taken, and may lose it
// to each other.
type impatient struct {
	*mutex.Deque[*Item]
	thieves sync.Mutex
}

func newImpatient(o queues.Options) queues.Deque[*Item] {
	return &impatient{Deque: mutex.NewDeque[*Item](o)}
}

func (d *impatient) Stealer() queues.Stealer[*Item] { return d }

func (d *impatient) Steal(dst []*Item) (int, bool) {
	if !d.thieves.TryLock() {
		return 0, true
	}
	defer d.thieves.Unlock()
	return d.Deque.Stealer().Steal(dst[:min(1, len(dst))])
}

// TestLawsAreKilled: each law is named by a faulty back end, so none is idle.
func TestLawsAreKilled(t *testing.T) {
	var killed []string
	for _, f := range slices.Concat(faultyInjectors, faultyDeques) {
		killed = append(killed, f.law)
	}
	for _, l := range Laws() {
		if l.Why == "" || l.Name == "" {
			t.Errorf("law %+v does not say why", l)
		}
		if !slices.Contains(killed, l.Name) {
			t.Errorf("no faulty back end for law %s", l.Name)
		}
	}
}

// TestViolation: what a person reads has all that is needed to go on.
func TestViolation(t *testing.T) {
	f := faultyInjectors[1]
	err := Check(f.backend(), Config{Seed: 7, Only: f.law}).Err()
	for _, want := range []string{"injector faulty", "law smoke", "seed 7", "capacity 0", "why: ", "repeat: queuetest.Check(b, queuetest.Config{Seed: 7"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	r := Check(queues.Backend[*Item]{Name: "none"}, Config{})
	if len(r.Violations) != 1 || r.Violations[0].Law != "valid" {
		t.Errorf("%+v", r)
	}
}

func TestUnknownLaw(t *testing.T) {
	defer func() {
		if got, want := recover(), `queuetest: there is no law "ordre"`; got != want {
			t.Errorf("panic %v, want %v", got, want)
		}
	}()
	Check(faultyInjectors[0].backend(), Config{Only: "ordre"})
}
