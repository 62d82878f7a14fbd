package scope_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope"
	"github.com/exactlyonce/certify/internal/stress"
)

// node is the plan of one scope in a random tree.
type node struct {
	id                        int
	nested, supervised, fails bool
	claim                     byte // j: joined by its owner, d: discarded, c: cancelled and joined
	resources, badResources   int  // badResources: closing fails
	moved                     bool // its owner gives it a resource
	kids                      []*node
}

// nodeError tells where a failure of a tree began.
type nodeError int

func (n nodeError) Error() string { return fmt.Sprintf("node %d", int(n)) }

func plan(r *rand.Rand, depth int, count *int) *node {
	*count++
	n := &node{id: *count, nested: r.IntN(3) == 0, supervised: r.IntN(3) == 0, moved: r.IntN(4) == 0}
	n.fails, n.claim = r.IntN(12) == 0, "jjdc-"[r.IntN(5)]
	n.resources = r.IntN(3)
	if r.IntN(12) == 0 {
		n.badResources = 1
	}
	for range r.IntN(4) {
		if depth > 0 {
			n.kids = append(n.kids, plan(r, depth-1, count))
		}
	}
	if n.nested {
		n.supervised = false
	}
	return n
}

// failures is the model: the nodes whose failure may be how n ends, which are
// none exactly if n completes, as long as nothing above it stops it.
func (n *node) failures() (from []int) {
	if n.fails || n.badResources > 0 {
		from = append(from, n.id)
	}
	for _, kid := range n.kids {
		if !kid.supervised {
			from = append(from, kid.failures()...)
		}
	}
	return from
}

// forest runs plans and counts what happens.
type forest struct {
	t                                              checker
	begun, ended, opened, closed                   atomic.Int64
	failed, completed, stopped, cancelled, results atomic.Int64
}

func (f *forest) hold(s *scope.Scope, err error) *scope.Resource[int] {
	a, admitted := scope.Admit[int](s)
	if admitted != nil {
		f.refused(s, admitted, scope.ErrClosedScope)
		return nil
	}
	f.opened.Add(1)
	r, published := a.Publish(1, func(int) error { f.closed.Add(1); return err })
	if published != nil {
		f.t.Errorf("publish: %v", published)
	}
	return r
}

// refused checks that only a stopped scope refuses.
func (f *forest) refused(s *scope.Scope, err, want error) {
	if !errors.Is(err, want) {
		f.t.Errorf("refused: %v, want %v", err, want)
	}
	if s.Context().Err() == nil {
		s.Worker().Block(func() { <-s.Context().Done() })
	}
	f.stopped.Add(1)
}

func (f *forest) run(s *scope.Scope, n *node) error {
	f.begun.Add(1)
	defer f.ended.Add(1)
	for i := range n.resources + n.badResources {
		var bad error
		if i < n.badResources {
			bad = nodeError(n.id)
		}
		f.hold(s, bad)
	}
	var tickets []*scope.Ticket[int]
	for _, kid := range n.kids {
		ticket, err := f.begin(s, kid)
		if err != nil {
			return err
		}
		tickets = append(tickets, ticket)
	}
	for i, kid := range n.kids {
		if err := f.claim(s, kid, tickets[i]); err != nil {
			return err
		}
	}
	if n.fails {
		return nodeError(n.id)
	}
	return nil
}

func (f *forest) begin(s *scope.Scope, kid *node) (*scope.Ticket[int], error) {
	if kid.nested {
		err := s.Nested(func(s *scope.Scope) error { return f.run(s, kid) })
		return nil, err
	}
	o := scope.Options{Supervised: kid.supervised}
	if kid.moved {
		if r := f.hold(s, nil); r != nil {
			o.Move = append(o.Move, r)
		}
	}
	ticket, err := scope.Spawn(s, o, func(s *scope.Scope) (int, error) { return kid.id, f.run(s, kid) })
	if err != nil {
		f.refused(s, err, scope.ErrStopped)
	}
	return ticket, err
}

// claim does with the ticket what is planned. The error is one that stops s.
func (f *forest) claim(s *scope.Scope, kid *node, ticket *scope.Ticket[int]) error {
	if kid.nested || kid.claim == '-' {
		return nil
	}
	if kid.claim == 'd' {
		return ticket.Discard(s)
	}
	if kid.claim == 'c' {
		f.cancelled.Add(1)
		if err := ticket.Cancel(s, errWhim); errors.Is(err, scope.ErrStopped) {
			return err
		} else if err != nil && !errors.Is(err, scope.ErrStale) {
			f.t.Errorf("cancel: %v", err)
		}
	}
	got, err := ticket.Join(s)
	f.checkJoin(s, kid, got, err)
	if err != nil && !kid.supervised && kid.claim != 'c' {
		return err
	}
	return nil
}

func (f *forest) checkJoin(s *scope.Scope, kid *node, got int, err error) {
	from, failed := kid.failures(), nodeError(0)
	switch {
	case err == nil && got == kid.id && (len(from) == 0 || kid.cancels()):
		f.results.Add(1)
	case s.Context().Err() != nil:
		f.stopped.Add(1) // whatever it got
	case kid.claim == 'c' && errors.Is(err, executor.ErrCancelled) && errors.Is(err, errWhim):
	case errors.As(err, &failed) && contains(from, failed):
		f.failed.Add(1)
	default:
		f.t.Errorf("join of node %d: %d, %v; it may fail from %v", kid.id, got, err, from)
	}
}

func contains(ids []int, want nodeError) bool {
	for _, id := range ids {
		if id == int(want) {
			return true
		}
	}
	return false
}

// Random trees of real tasks end as the plan says: the root completes exactly
// if no failure can climb to it, else with one of those that can. Every body
// that began has ended, every resource was closed once, and nothing is left.
func TestRandomTreesS1S2S3S6S7S9(t *testing.T) {
	for _, workers := range []int{1, 2, 3} {
		for _, capacity := range []int{1, 1024} {
			n := stress.Seed(t)
			r := rand.New(rand.NewPCG(n, 1))
			e := start(t, executor.Config{Workers: workers, Capacity: capacity, Seed: n})
			f := &forest{t: t}
			for range stress.Rounds(600) {
				count := 0
				root := plan(r, 3, &count)
				f.check(scope.Run(background, e, func(s *scope.Scope) error { return f.run(s, root) }), root)
				f.balance()
			}
			f.floors()
		}
	}
}

// Runs that share an executor with less room than they need wait for each other
// and do not mix.
func TestRunsShareAnExecutorS1S9(t *testing.T) {
	n := stress.Seed(t)
	e := start(t, executor.Config{Workers: 2, Capacity: 3, Seed: n})
	f := &forest{t: t}
	var wg sync.WaitGroup
	for i := range uint64(6) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(n, i))
			for range stress.Rounds(100) {
				count := 0
				root := plan(r, 3, &count)
				f.check(scope.Run(background, e, func(s *scope.Scope) error { return f.run(s, root) }), root)
			}
		})
	}
	wg.Wait()
	f.balance()
	f.floors()
}

// check compares the end of a run with its plan. Cancelled children may take
// failures with them, so the plan's are only possible below one.
func (f *forest) check(err error, root *node) {
	from, failed := root.failures(), nodeError(0)
	switch {
	case err == nil:
		f.completed.Add(1)
		if len(from) > 0 && !root.cancels() {
			f.t.Errorf("completed, but failures of %v climb", from)
		}
	case errors.As(err, &failed) && contains(from, failed):
		f.failed.Add(1)
	default:
		f.t.Errorf("got %v, want one of %v", err, from)
	}
}

// balance is for when no run is under way.
func (f *forest) balance() {
	if f.begun.Load() != f.ended.Load() || f.opened.Load() != f.closed.Load() {
		f.t.Errorf("%d of %d bodies ended, %d of %d resources closed", f.ended.Load(), f.begun.Load(), f.closed.Load(), f.opened.Load())
	}
}

// cancels tells whether some child is cancelled by plan.
func (n *node) cancels() bool {
	for _, kid := range n.kids {
		if !kid.nested && kid.claim == 'c' || kid.cancels() {
			return true
		}
	}
	return false
}

// floors is what must have happened for all this to mean anything.
func (f *forest) floors() {
	f.t.Logf("%d bodies, %d resources; runs and joins: %d completed, %d failed, %d results; %d stopped, %d cancels", f.begun.Load(),
		f.opened.Load(), f.completed.Load(), f.failed.Load(), f.results.Load(), f.stopped.Load(), f.cancelled.Load())
	for _, n := range []int64{f.opened.Load(), f.completed.Load(), f.failed.Load(), f.results.Load(), f.stopped.Load(), f.cancelled.Load()} {
		if n == 0 {
			f.t.Errorf("some of it never happened")
		}
	}
}

// The checks of the trees find what they are there for.
func TestRandomTreesAreChecked(t *testing.T) {
	fails := &node{id: 1, kids: []*node{{id: 2, fails: true}, {id: 3, fails: true, supervised: true}}}
	for name, check := range map[string]func(*forest){
		"a failure is lost":              func(f *forest) { f.check(nil, fails) },
		"a supervised failure climbs":    func(f *forest) { f.check(nodeError(3), fails) },
		"a failure out of nowhere":       func(f *forest) { f.check(errBoom, fails) },
		"a resource is not closed":       func(f *forest) { f.opened.Add(1); f.balance() },
		"a body outlives the run":        func(f *forest) { f.begun.Add(1); f.balance() },
		"nothing but failures was tried": func(f *forest) { f.failed.Add(1); f.floors() },
	} {
		c := &complaints{}
		if check(&forest{t: c}); c.n == 0 {
			t.Errorf("%s: not seen", name)
		}
	}
}
