package queuetest

import (
	"fmt"
	"math/rand/v2"

	"github.com/exactlyonce/certify/queues"
)

// trial is one back end before one law.
type trial struct {
	backend queues.Backend[*Item]
	config  Config
	rng     *rand.Rand // for the goroutine of the law; others take one by dice
}

func newTrial(b queues.Backend[*Item], c Config) *trial {
	return &trial{b, c, rand.New(rand.NewPCG(c.Seed, 0))}
}

// dice returns a generator of its own for a goroutine.
func (t *trial) dice() *rand.Rand { return rand.New(rand.NewPCG(t.rng.Uint64(), t.rng.Uint64())) }

// end is what an injector and an owner's deque have in common.
type end interface {
	Push(*Item) bool
	Pop() (*Item, bool)
	Len() int
}

// subject is a fresh queue. Exactly one of injector and deque is set.
type subject struct {
	end
	injector queues.Injector[*Item]
	deque    queues.Deque[*Item]
	thief    queues.Stealer[*Item] // of deque
	options  queues.Options
}

func (t *trial) open(o queues.Options) subject {
	if t.backend.Kind() == queues.KindInjector {
		q := t.backend.Injector(o)
		return subject{end: q, injector: q, options: o}
	}
	d := t.backend.Deque(o)
	return subject{end: d, deque: d, thief: d.Stealer(), options: o}
}

// pushMany adds a prefix of vs, at once where the queue can do that, and returns
// its length.
func (s subject) pushMany(vs []*Item) (n int) {
	if s.injector != nil {
		return s.injector.PushAll(vs)
	}
	return pushBottom(s.deque, vs)
}

func pushBottom(d queues.Deque[*Item], vs []*Item) (n int) {
	if many, ok := d.(queues.BatchPusher[*Item]); ok {
		return many.PushAll(vs)
	}
	for n < len(vs) && d.Push(vs[n]) {
		n++
	}
	return n
}

// remove takes up to len(dst) of the oldest items. A thief that is alone loses
// no race, so 100 retries in a row are a lie.
func (s subject) remove(dst []*Item) (int, error) {
	if s.injector != nil {
		return s.injector.PopInto(dst), nil
	}
	for range 100 {
		if n, retry := s.thief.Steal(dst); n > 0 || !retry {
			return n, nil
		}
	}
	return 0, fmt.Errorf("Steal lost 100 races against nobody")
}

// mayRefuse tells whether a queue that holds so many items may refuse another.
func (t *trial) mayRefuse(s subject, held int) bool {
	return t.backend.Promises.Bounded && held >= s.options.Capacity
}

// capacities and starts are tried in all laws that have time for them.
var (
	capacities = []int{0, 1, 2, 3, 10, 64}
	starts     = []uint64{0, 1<<64 - 3, 1<<63 - 3, 1<<32 - 3, 1<<31 - 3}
)

// variety calls f with fresh queues of all capacities and starts.
func (t *trial) variety(f func(subject) error) error {
	for _, capacity := range capacities {
		for _, start := range starts {
			o := queues.Options{Capacity: capacity, Start: start}
			if err := f(t.open(o)); err != nil {
				return fmt.Errorf("capacity %d, start %#x: %w", capacity, start, err)
			}
		}
	}
	return nil
}

// turn is the options of the i-th round of a law that has many.
func turn(i int) queues.Options {
	return queues.Options{Capacity: capacities[i%len(capacities)], Start: starts[i%len(starts)]}
}

// fill pushes up to n new items and returns them. A bounded queue may be full
// before.
func (t *trial) fill(s subject, n int) ([]*Item, error) {
	items := newLedger(1, n).items[0]
	for i, v := range items {
		if !s.Push(v) {
			if t.mayRefuse(s, i) {
				return items[:i], nil
			}
			return nil, fmt.Errorf("Push refused item %d of %d", i, n)
		}
	}
	return items, nil
}
