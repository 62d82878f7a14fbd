package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope"
	"github.com/exactlyonce/certify/reports/record"
)

// branch is one scope of a random tree: what it will do, and what it did.
type branch struct {
	id         int
	supervised bool
	nested     bool  // in its parent's task
	fails      error // what its body returns; nil: nothing
	reports    error // an error of cleaning up; nil: none
	join       bool  // its parent joins it
	children   []*branch

	runs int // plain: a body that runs beside another run of it, or after the tree, is a race
}

// scopeTrees: random trees of scopes with random failures, whose outcomes a
// model, slow and sequential, knows as sets: which failure is first is the
// schedule's.
func (t *trial) scopeTrees() {
	e := t.subject.(native).Native()
	ran, stopped := 0, 0
	t.batches(func(base, n int) {
		rng := rand.New(rand.NewPCG(t.spec.Seed, uint64(base)))
		root := growBranch(rng, base, base+n)
		t.strike(base)
		tree := &scopeTree{trial: t, rng: rng.Uint64()}
		err := scope.Run(context.Background(), e, func(s *scope.Scope) error {
			_, err := tree.run(root, s)
			return err
		})
		t.checkBranch(root, err)
		r, s := t.countBranches(root, len(root.mayFail()) > 0)
		ran, stopped = ran+r, stopped+s
		t.checkQuiet(base)
	})
	t.value("scopes-run", float64(ran))
	t.value("scopes-stopped", float64(stopped))
}

// growBranch makes the tree of the scopes from id to end.
func growBranch(rng *rand.Rand, id, end int) *branch {
	b := &branch{id: id}
	switch rng.IntN(16) {
	case 0:
		b.fails = fmt.Errorf("scope %d fails", id)
	case 1:
		b.reports = fmt.Errorf("scope %d cleans up badly", id)
	}
	for from := id + 1; from < end; {
		to := end
		if len(b.children) < 3 {
			to = from + 1 + rng.IntN(end-from)
		}
		c := growBranch(rng, from, to)
		c.supervised, c.nested, c.join = rng.IntN(3) == 0, rng.IntN(4) == 0, rng.IntN(2) == 0
		c.supervised = c.supervised && !c.nested
		b.children = append(b.children, c)
		from = to
	}
	return b
}

// mayFail is the model: the failures that a scope may end with. Empty means that
// it completes unless something above it is stopped; else it fails with one of
// these, for only a failure among them can keep another from happening.
func (b *branch) mayFail() (all []error) {
	for _, err := range []error{b.fails, b.reports} {
		if err != nil {
			all = append(all, err)
		}
	}
	for _, c := range b.children {
		if !c.supervised {
			all = append(all, c.mayFail()...)
		}
	}
	return all
}

type scopeTree struct {
	*trial
	rng uint64
}

// run is the body of b in its scope. An error that is not b's own is one that
// says that s was stopped.
func (tr *scopeTree) run(b *branch, s *scope.Scope) (int, error) {
	b.runs++
	if b.reports != nil {
		if err := s.Report(b.reports); err != nil {
			tr.found.add(record.Contract, "report in scope %d: %v", b.id, err)
		}
	}
	type claim struct {
		*branch
		ticket *scope.Ticket[int]
	}
	var claims []claim
	for _, c := range b.children {
		if c.nested {
			err := s.Nested(func(s *scope.Scope) error { _, err := tr.run(c, s); return err })
			if err != nil {
				return 0, tr.mayStop(b, s, c, err)
			}
			continue
		}
		ticket, err := scope.Spawn(s, scope.Options{Supervised: c.supervised}, func(s *scope.Scope) (int, error) { return tr.run(c, s) })
		if err != nil {
			return 0, tr.mayStop(b, s, c, err)
		}
		claims = append(claims, claim{c, ticket})
	}
	rng := rand.New(rand.NewPCG(tr.rng, uint64(b.id)))
	for _, i := range rng.Perm(len(claims)) {
		if c := claims[i]; c.join {
			if value, err := c.ticket.Join(s); err != nil {
				if err := tr.mayStop(b, s, c.branch, err); err != nil {
					return 0, err
				}
			} else if value != c.id {
				tr.found.add(record.Contract, "the ticket of scope %d returned %d", c.id, value)
			}
		}
	}
	return b.id, b.fails
}

// mayStop checks an error that a call about c returned in b: c failed with one of
// its failures, or something was stopped. It returns an error when b's scope was,
// so that the body ends.
func (tr *scopeTree) mayStop(b *branch, s *scope.Scope, c *branch, err error) error {
	if errors.Is(err, scope.ErrStopped) || errors.Is(err, scope.ErrOwnerStopped) {
		return err // the context ends in this moment
	}
	if ctx := s.Context(); ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !slices.ContainsFunc(c.mayFail(), func(f error) bool { return errors.Is(err, f) }) || !c.supervised {
		tr.found.add(record.Contract, "scope %d runs, and in it scope %d ended with %v", b.id, c.id, err)
	}
	return nil
}

// checkBranch compares how the root ended with the model.
func (t *trial) checkBranch(root *branch, err error) {
	allowed := root.mayFail()
	isOne := slices.ContainsFunc(allowed, func(f error) bool { return errors.Is(err, f) })
	if (len(allowed) == 0) != (err == nil) || err != nil && (!isOne || errors.Is(err, executor.ErrCancelled)) {
		t.found.add(record.Contract, "the tree from scope %d ended with %v; the model allows %v", root.id, err, allowed)
	}
}

// countBranches checks how often each body ran. stopped says that something
// above b may have been stopped.
func (t *trial) countBranches(b *branch, stopped bool) (ran, not int) {
	if b.supervised {
		stopped = stopped || len(b.mayFail()) > 0
	}
	switch {
	case b.runs > 1:
		t.found.add(record.Duplicated, "scope %d ran %d times", b.id, b.runs)
	case b.runs == 0 && !stopped:
		t.found.add(record.Lost, "scope %d never ran, and nothing can have stopped it", b.id)
	}
	ran, not = b.runs, 1-b.runs
	for _, c := range b.children {
		r, n := t.countBranches(c, stopped)
		ran, not = ran+r, not+n
	}
	return ran, not
}
