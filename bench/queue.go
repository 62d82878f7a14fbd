package bench

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/exactlyonce/certify/queues"
	"github.com/exactlyonce/certify/queues/catalog"
)

// QueueCases returns the cases of back ends: every shape of its kind on each.
func QueueCases(backends ...queues.Backend[*Item]) []Case {
	var cases []Case
	for _, b := range backends {
		shapes := InjectorShapes()
		if b.Kind() == queues.KindDeque {
			shapes = DequeShapes()
		}
		for _, s := range shapes {
			name := s.name(b.Name)
			cases = append(cases, Case{name, func() (Arm, error) { return openQueue(name, s, b) }})
		}
	}
	return cases
}

// rows are the catalog and what it is compared with.
func rows() []queues.Backend[*Item] {
	return append(catalog.Backends[Item](), nullBackends()...)
}

// queueArm is a queue, and a crew that uses it.
type queueArm struct {
	name  string
	shape Shape
	crew  *crew

	// use is what each member does: producers first. Both are set by open.
	use  []func(t *tally, from, to int)
	left func() bool // takes an item that should not be there

	n       int          // of the run; written before the barrier
	pushing atomic.Int32 // producers that are not done; written by run before the barrier, then by them
	tallies []tally      // one a member
	total   tally        // of the last run
}

func openQueue(name string, s Shape, b queues.Backend[*Item]) (Arm, error) {
	if err := b.Validate(); err != nil {
		return nil, fmt.Errorf("bench: open %s: %w", name, err)
	}
	a := &queueArm{name: name, shape: s, tallies: make([]tally, s.Producers+s.Consumers)}
	if b.Kind() == queues.KindDeque {
		a.useDeque(b)
	} else {
		a.useInjector(b)
	}
	a.crew = newCrew(len(a.use), a.member)
	return a, nil
}

func (a *queueArm) useInjector(b queues.Backend[*Item]) {
	s := &a.shape
	q := b.Injector(queues.Options{Capacity: s.room()})
	a.left = func() bool { _, ok := q.Pop(); return ok }
	for range s.Producers {
		q := apart(q)
		a.use = append(a.use, func(t *tally, from, to int) {
			if s.Consumers == 0 {
				supply(q, from, to)
				s.solo(q, t, from, to)
				return
			}
			s.produce(q, t, from, to)
		})
	}
	for range s.Consumers {
		q := apart(q)
		a.use = append(a.use, func(t *tally, from, to int) {
			supply(q, from, to)
			s.consume(q, t, &a.pushing)
		})
	}
}

func (a *queueArm) useDeque(b queues.Backend[*Item]) {
	s := &a.shape
	d := b.Deque(queues.Options{Capacity: s.room()})
	a.left = func() bool { _, ok := d.Pop(); return ok }
	a.use = append(a.use, func(t *tally, from, to int) {
		if s.Consumers == 0 {
			supply(d, from, to)
			s.solo(d, t, from, to)
			return
		}
		if s.OwnerPops {
			supply(d, from, to)
		}
		s.own(d, t, from, to)
	})
	for range s.Consumers {
		thief := d.Stealer()
		a.use = append(a.use, func(t *tally, from, to int) {
			if !s.OwnerPops {
				supply(thief, from, to)
			}
			s.thieve(thief, t, &a.pushing)
		})
	}
}

// member is a member's part of a run.
func (a *queueArm) member(i int) {
	t := &a.tallies[i]
	if p := a.shape.Producers; i < p {
		from, to := share(a.n, p, i)
		a.use[i](t, from, to)
		a.pushing.Add(-1)
	} else {
		from, to := share(a.n, a.shape.Consumers, i-p)
		a.use[i](t, from, to)
	}
}

func (a *queueArm) Run(n int) (time.Duration, error) {
	clear(a.tallies)
	a.n = n
	a.pushing.Store(int32(a.shape.Producers))
	elapsed := a.crew.run()
	a.total = tally{}
	for i := range a.tallies {
		a.total.add(&a.tallies[i])
	}
	return elapsed, a.check(n)
}

// check finds what the queue did wrong in a run of n items.
func (a *queueArm) check(n int) error {
	t := a.total
	switch {
	case t.alien > 0:
		return fmt.Errorf("bench: %s: %d of %d items came out as nil", a.name, t.alien, n)
	case t.count != n:
		return fmt.Errorf("bench: %s: %d items came out, want %d", a.name, t.count, n)
	case t.sum != sumOf(n):
		return fmt.Errorf("bench: %s: of %d items, some were not those that went in", a.name, n)
	case a.left():
		return fmt.Errorf("bench: %s: an item was left when %d had come out", a.name, n)
	}
	return nil
}

func (a *queueArm) Metrics() []Metric {
	if a.shape.Consumers == 0 {
		return nil
	}
	m := []Metric{
		{unitMisses, per(a.total.misses, a.n)},
		{unitRefusals, per(a.total.refusals, a.n)},
	}
	if a.shape.Family == "Share" || a.shape.Family == "Feed" {
		m = append(m, Metric{unitRetries, per(a.total.retries, a.n)})
	}
	return m
}

func (a *queueArm) Close() error {
	a.crew.close()
	return nil
}
