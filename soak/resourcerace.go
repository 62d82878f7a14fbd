package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope"
	"github.com/exactlyonce/certify/reports/record"
)

const (
	assetsEach = 6 // resources of a round
	usersEach  = 3 // children of a round that use them
)

// asset is a resource of resources.
type asset struct {
	n     int
	round *assetRound
	// closed counts calls of its closer. It is plain: one that is closed while
	// it is used, or twice at once, is a data race here.
	closed int
}

func (a *asset) shut(*asset) error {
	a.closed++
	a.round.mu.Lock()
	defer a.round.mu.Unlock()
	a.round.order = append(a.round.order, a.n)
	return nil
}

// assetRound is one tree: a root that owns resources, children that use them,
// one that gets some, one that closes one early, and a cancel.
type assetRound struct {
	*trial
	round  int
	assets [assetsEach]*asset

	mu    sync.Mutex
	order []int // guarded by mu: as they were closed

	published, moved, refused int
}

// resources: each resource is closed exactly once, newest first, after its last
// use, whoever owns it in the end and however the tree is stopped.
func (t *trial) resources() {
	e := t.subject.(native).Native()
	var closed, refused int
	var foreign *scope.Resource[*asset] // of the round before
	t.batches(func(base, n int) {
		for round := base; round < base+n && t.found.none(); round++ {
			r := &assetRound{trial: t, round: round}
			t.strike(round)
			foreign = r.run(e, foreign)
			r.check()
			closed, refused = closed+len(r.order), refused+r.refused
		}
		t.checkQuiet(base)
	})
	t.value("closed", float64(closed))
	t.value("admissions-refused", float64(refused))
}

func (r *assetRound) run(e *executor.Executor, foreign *scope.Resource[*asset]) (last *scope.Resource[*asset]) {
	rng := rand.New(rand.NewPCG(r.spec.Seed, uint64(r.round)))
	cancelled := rng.IntN(2) == 0
	err := scope.Run(context.Background(), e, func(s *scope.Scope) error {
		var all []*scope.Resource[*asset]
		for i := range r.assets {
			if i == assetsEach/2 && cancelled { // admitted before, published after
				adm, err := scope.Admit[*asset](s)
				if err != nil {
					return err
				}
				if err := s.Cancel(errCause); err != nil {
					return err
				}
				all = append(all, r.publish(adm, i))
				continue
			}
			adm, err := scope.Admit[*asset](s)
			if err != nil {
				r.refused++
				if !cancelled || !errors.Is(err, scope.ErrClosedScope) {
					return fmt.Errorf("admission %d: %w", i, err)
				}
				continue
			}
			if rng.IntN(8) == 0 {
				if err := adm.Withdraw(); err != nil {
					return err
				}
				continue
			}
			all = append(all, r.publish(adm, i))
		}
		if foreign != nil {
			if err := foreign.Use(s, func(*asset) error { return nil }); !errors.Is(err, scope.ErrStale) {
				r.found.add(record.Contract, "round %d: a resource of another run was used: %v", r.round, err)
			}
		}
		if len(all) > 0 {
			last = all[0]
		}
		return r.share(s, all, rng)
	})
	if want := cancelled; errors.Is(err, executor.ErrCancelled) != want || err != nil && !want {
		r.found.add(record.Contract, "round %d ended with %v; cancelled: %t", r.round, err, want)
	}
	return last
}

func (r *assetRound) publish(adm *scope.Admission[*asset], i int) *scope.Resource[*asset] {
	a := &asset{n: i, round: r}
	res, err := adm.Publish(a, a.shut)
	if err != nil {
		r.found.add(record.Contract, "round %d: publish of resource %d: %v", r.round, i, err)
		return nil
	}
	r.assets[i] = a
	r.published++
	return res
}

// share gives the newest resource to a child and lets others use the rest.
func (r *assetRound) share(s *scope.Scope, all []*scope.Resource[*asset], rng *rand.Rand) error {
	stopped := func(err error) error {
		if s.Context().Err() != nil {
			return nil // as it was meant to be
		}
		return err
	}
	use := func(s *scope.Scope, res *scope.Resource[*asset]) error {
		return res.Use(s, func(a *asset) error {
			if a.closed != 0 {
				r.found.add(record.Contract, "round %d: resource %d was used after it was closed", r.round, a.n)
			}
			return nil
		})
	}
	if len(all) > 1 && rng.IntN(2) == 0 {
		given := all[len(all)-1]
		_, err := scope.Spawn(s, scope.Options{Move: []scope.Movable{given}}, func(s *scope.Scope) (int, error) { return 0, use(s, given) })
		if err != nil {
			return stopped(err)
		}
		r.moved++
		all = all[:len(all)-1]
	}
	for range usersEach {
		err := s.Go(func(s *scope.Scope) error {
			for _, res := range all {
				if err := use(s, res); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return stopped(err)
		}
	}
	return nil
}

// check looks at every resource when the tree is gone.
func (r *assetRound) check() {
	if len(r.order) != r.published {
		r.found.add(record.Lost, "round %d: %d resources of %d were closed: %v", r.round, len(r.order), r.published, r.order)
	}
	for i, a := range r.assets {
		if a != nil && a.closed != 1 {
			r.found.add(record.Duplicated, "round %d: resource %d was closed %d times", r.round, i, a.closed)
		}
	}
	own := r.order
	if r.moved > 0 && len(own) > 0 {
		own = own[1:] // the child's, which has ended before
	}
	for i := 1; i < len(own); i++ {
		if own[i] > own[i-1] {
			r.found.add(record.Contract, "round %d: resources were closed in the order %v, want newest first", r.round, r.order)
		}
	}
}
