package gate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
)

// subject is a gate with one key, as the exploration sees it: ours, or a
// model with a fault. What is published under a revision is the revision.
type subject interface {
	admit(rev uint64) error
	start(rev uint64) error
	publish(rev uint64) error
	fail(rev uint64) error
	cancel(rev uint64) bool
	forget()
	latest() uint64               // 0: nothing
	final() (rev uint64, s state) // when all is quiet
	kept() (ticket bool)          // when all is quiet: is a ticket kept?
	cause(rev uint64) error       // of the context; nil: it has not ended
}

// ours drives the gate itself. Each actor may use all tickets.
type ours struct {
	g       *Gate[string, uint64]
	tickets map[uint64]*Ticket[string, uint64]
}

func newOurs(s step) subject {
	g := New[string, uint64]()
	g.step = s
	return &ours{g, map[uint64]*Ticket[string, uint64]{}}
}

func (o *ours) admit(rev uint64) error {
	t, err := o.g.Admit(context.Background(), "k", rev)
	if err == nil {
		o.tickets[rev] = t
	}
	return err
}

func (o *ours) start(rev uint64) error   { return o.tickets[rev].Start() }
func (o *ours) publish(rev uint64) error { return o.tickets[rev].Publish(rev) }
func (o *ours) fail(rev uint64) error    { return o.tickets[rev].Fail(nil) }
func (o *ours) cancel(rev uint64) bool   { return o.tickets[rev].Cancel(nil) }
func (o *ours) forget()                  { o.g.Forget("k") }
func (o *ours) cause(rev uint64) error   { return context.Cause(o.tickets[rev].Context()) }

func (o *ours) latest() uint64 { v, _, _ := o.g.Latest("k"); return v }

func (o *ours) final() (uint64, state) {
	e := o.g.entries["k"]
	if e == nil {
		return 0, forgotten
	}
	return unpack(e.word.v.Load())
}

func (o *ours) kept() bool {
	e := o.g.entries["k"]
	return e != nil && e.ticket != nil
}

// seen is one call of an actor and when it began and ended, by the clock of
// the run's own steps.
type seen struct {
	op         string
	err        error // nil: won
	value      uint64
	begin, end int
}

// actor is a named list of calls. It goes home when it is not admitted.
type actor struct {
	name string
	acts []act
}

type act struct {
	op string
	do func(s subject) (value uint64, err error)
}

func call(op string, do func(s subject) error) act {
	return act{op, func(s subject) (uint64, error) { return 0, do(s) }}
}

var errLostCancel = errors.New("cancel returned false")

var (
	actPublish2 = call("publish2", func(s subject) error { return s.publish(2) })
	actCancel2  = call("cancel2", func(s subject) error {
		if !s.cancel(2) {
			return errLostCancel
		}
		return nil
	})
	actRead = act{"read", func(s subject) (uint64, error) { return s.latest(), nil }}

	// All act on a key whose revision 2 is running and whose 1 was published.
	actors = []actor{
		{"publisher", []act{actPublish2}},
		{"second publisher", []act{actPublish2}},
		{"failer", []act{call("fail2", func(s subject) error { return s.fail(2) })}},
		{"canceller", []act{actCancel2}},
		{"second canceller", []act{actCancel2}},
		{"second starter", []act{call("start2", func(s subject) error { return s.start(2) })}},
		{"older", []act{call("admit1", func(s subject) error { return s.admit(1) })}},
		{"equal", []act{call("admit2", func(s subject) error { return s.admit(2) })}},
		{"newer", []act{
			call("admit3", func(s subject) error { return s.admit(3) }),
			call("start3", func(s subject) error { return s.start(3) }),
			call("publish3", func(s subject) error { return s.publish(3) }),
		}},
		{"newest", []act{call("admit4", func(s subject) error { return s.admit(4) })}},
		{"forgetter", []act{call("forget", func(s subject) error { s.forget(); return nil })}},
		{"reader", []act{actRead, actRead}},
	}
)

// run is one interleaving of a few actors.
type run struct {
	subject subject
	seen    []seen
	clock   int
	taken   []int // the choices made
	options []int // how many there were at each
}

// coroutine is an actor that stops before each step.
type coroutine struct {
	next func() (point, bool)
	stop func()
	at   point
	over bool
}

// interleave runs the actors once; choose is asked who of n goes on.
func interleave(make func(step) subject, who []actor, choose func(at, n int) int) *run {
	r := &run{}
	var yield func(point) bool // of the coroutine that runs
	r.subject = make(func(p point) {
		if yield != nil {
			yield(p)
		}
	})
	for _, prepare := range []error{
		r.subject.admit(1), r.subject.start(1), r.subject.publish(1), r.subject.admit(2), r.subject.start(2),
	} {
		if prepare != nil {
			panic(prepare)
		}
	}
	all := []*coroutine{}
	for _, a := range who {
		var c coroutine
		c.next, c.stop = iter.Pull(iter.Seq[point](func(y func(point) bool) {
			yield = y
			r.play(a)
		}))
		all = append(all, &c)
		defer c.stop()
	}
	yields := map[*coroutine]func(point) bool{}
	resume := func(c *coroutine) {
		yield = yields[c]
		p, more := c.next()
		yields[c], yield = yield, nil
		c.at, c.over = p, !more
	}
	for _, c := range all {
		resume(c)
	}
	r.schedule(all, resume, choose)
	return r
}

// schedule goes on until nobody is left.
func (r *run) schedule(all []*coroutine, resume func(*coroutine), choose func(at, n int) int) {
	var holder *coroutine
	for {
		var ready []*coroutine
		for _, c := range all {
			if !c.over && (c.at != lock || holder == nil) {
				ready = append(ready, c)
			}
		}
		if len(ready) == 0 {
			return
		}
		choice := choose(len(r.taken), len(ready))
		r.taken, r.options = append(r.taken, choice), append(r.options, len(ready))
		c := ready[choice]
		if c.at == lock {
			holder = c
		}
		resume(c)
		if holder == c && c.at == unlock {
			holder = nil
			resume(c) // nobody else can tell whether it goes on
		}
	}
}

func (r *run) play(a actor) {
	for _, act := range a.acts {
		r.clock++
		s := seen{op: act.op, begin: r.clock}
		s.value, s.err = act.do(r.subject)
		r.clock++
		s.end = r.clock
		r.seen = append(r.seen, s)
		if s.err != nil && strings.HasPrefix(act.op, "admit") {
			return // without a ticket
		}
	}
}

// explore runs all interleavings of the actors, and returns how many there
// were and the first violation.
func explore(make func(step) subject, who ...actor) (n int, err error) {
	var prefix []int
	for {
		r := interleave(make, who, func(at, _ int) int {
			if at < len(prefix) {
				return prefix[at]
			}
			return 0
		})
		n++
		if err := r.verdict(who); err != nil {
			return n, err
		}
		at := len(r.taken) - 1
		for at >= 0 && r.taken[at]+1 == r.options[at] {
			at--
		}
		if at < 0 {
			return n, nil
		}
		prefix = append(slices.Clone(r.taken[:at]), r.taken[at]+1)
	}
}

// sample runs n interleavings at random.
func sample(make func(step) subject, random *rand.Rand, n int, who ...actor) error {
	for range n {
		r := interleave(make, who, func(_, n int) int { return random.IntN(n) })
		if err := r.verdict(who); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) verdict(who []actor) error {
	if err := r.check(); err != nil {
		return fmt.Errorf("actors %v, choices %v: %w\n%+v", names(who), r.taken, err, r.seen)
	}
	return nil
}

func names(who []actor) (all []string) {
	for _, a := range who {
		all = append(all, a.name)
	}
	return all
}
