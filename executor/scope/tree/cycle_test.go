package tree

import "testing"

// A cycle of two tasks is an error that leaves the ticket; so is a join of
// oneself, from a nested scope too.
func TestExplicitCyclesS5(t *testing.T) {
	s := newStage(t)
	a, b := s.spawn(s.Root(), false), s.spawn(s.Root(), false)
	nested := s.nest(a.Key)
	s.refuses("self join", s.ClaimJoin(nested, a), ErrJoinCycle)
	s.done(s.ClaimJoin(nested, b))
	s.refuses("b joins a", s.ClaimJoin(b.Key, a), ErrJoinCycle)
	s.ends(b.Key, Primary{})
	s.joins(nested, Primary{})
	s.ends(nested, Primary{})
	s.ends(a.Key, Primary{})
	s.done(s.ClaimJoin(s.Root(), a))
	s.joins(s.Root(), Primary{})
}

// A nested scope's body ends while a child waits, through b, for the task
// that the nested scope is part of: that fails the nested scope, climbs to
// a, and is what b gets.
func TestImplicitCycleOfThreeS3S5(t *testing.T) {
	s := newStage(t)
	a, b := s.spawn(s.Root(), true), s.spawn(s.Root(), true)
	nested := s.nest(a.Key)
	c := s.spawn(nested, false)
	s.done(s.ClaimJoin(c.Key, b))
	s.done(s.ClaimJoin(b.Key, a))
	s.done(s.BodyDone(nested, Outcome{}))
	cycle := Primary{Failed, ErrJoinCycle}
	s.reasonIs(nested, cycle)
	s.reasonIs(a.Key, cycle)
	s.reasonIs(c.Key, ownerStopped)
	s.reasonIs(b.Key, Primary{})
	s.ends(c.Key, Primary{})
	s.ready(nested, true)
	s.settles(nested)
	s.ends(a.Key, Primary{})
	s.joins(b.Key, cycle)
}

// A parent that joins its children already is part of a cycle as well, and a
// task that waits in one of many branches.
func TestCyclesThroughJoiningParentsS5(t *testing.T) {
	s := newStage(t)
	a, b := s.spawn(s.Root(), false), s.spawn(s.Root(), false)
	var kids []Token
	for range 5 {
		kids = append(kids, s.spawn(a.Key, false))
	}
	s.done(s.BodyDone(a.Key, Outcome{}))
	s.done(s.ClaimJoin(kids[2].Key, b))
	s.refuses("b joins a, which joins a child, which joins b", s.ClaimJoin(b.Key, a), ErrJoinCycle)
	s.refuses("a child joins its parent", s.ClaimJoin(kids[3].Key, a), ErrJoinCycle)
	s.reasonIs(a.Key, Primary{})
}

// Whoever is not inside the owner's scope cannot touch the task.
func TestTasksAreTheirOwnersS4S5(t *testing.T) {
	s := newStage(t)
	a, b := s.spawn(s.Root(), false), s.spawn(s.Root(), false)
	inner := s.spawn(a.Key, false)
	for _, id := range []ID{s.Root(), b.Key} {
		s.refuses("join", s.ClaimJoin(id, inner), ErrOutOfScope)
		s.refuses("discard", s.Discard(id, inner), ErrOutOfScope)
		s.refuses("cancel", s.Cancel(id, inner, nil), ErrOutOfScope)
	}
	s.done(s.ClaimJoin(s.nest(a.Key), inner))
}
