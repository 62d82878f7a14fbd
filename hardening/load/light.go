package main

import (
	"errors"

	"github.com/exactlyonce/certify/executor"
)

func (s *submitter) alone(n int) (over bool) {
	marks := s.l.take(alone, n)
	for i := range marks {
		if err := s.l.pool.give(nil, s.l.unowned[drawn(s.dice)], &marks[i]); err != nil {
			return s.l.refused(err)
		}
		marks[i].give()
	}
	return marks == nil
}

// note remembers what the group was given.
func (s *submitter) note(marks []mark, bad bool) {
	if bad {
		s.bad++
	}
	s.since = append(s.since, marks)
}

func (s *submitter) grouped(n int) (over bool) {
	marks := s.l.take(grouped, n)
	s.note(marks, false)
	for i := range marks {
		f := drawn(s.dice)
		if err := s.l.pool.give(s.group, s.l.owned[f], &marks[i]); err != nil {
			return s.l.refused(err)
		}
		marks[i].give()
		if f.bad() {
			s.bad++
		}
	}
	return marks == nil
}

// batched gives tasks with one function, so all that is bad about them is a first one.
func (s *submitter) batched(n int) (over bool) {
	marks := s.l.take(batched, n)
	s.args = s.args[:0]
	for i := range marks {
		s.args = append(s.args, &marks[i])
	}
	given, err := s.l.pool.giveAll(s.group, s.l.owned[fine], s.args)
	for i := range marks[:given] {
		marks[i].give()
	}
	clear(s.args)
	s.note(marks, false)
	if err != nil {
		return s.l.refused(err)
	}
	return marks == nil
}

// tree is the argument of a light task with others below it.
type tree struct {
	s     *submitter
	group *executor.Group
	own   *mark
	below []mark
	bad   *mark // of those below, the one that fails; nil if none does
	how   fate
}

// root gives one light task that spawns, forks or loops over n others.
func (s *submitter) root(k kind, n int) (over bool) {
	own, below := s.l.take(grouped, 1), s.l.take(k, n)
	if own == nil || below == nil {
		return true
	}
	t := &tree{s: s, group: s.group, own: &own[0], below: below}
	fn := t.loop
	switch k {
	case forked:
		fn = t.fork
	case lightSpawned:
		fn = grow
		if f := drawn(s.dice); f.bad() {
			t.bad, t.how = &below[n-1], f
		}
	}
	s.note(own, t.bad != nil)
	s.note(below, false)
	if err := s.l.pool.give(s.group, fn, t); err != nil {
		if t.bad != nil {
			s.bad--
		}
		return s.l.refused(err)
	}
	own[0].give()
	return false
}

// leaves is from how few on a tree has no more branches.
const leaves = 8

// grow spawns the halves of what is below, or all of it. It runs with the worker's
// plain memory: what it touches of its submitter does not change.
func grow(w *executor.Worker, arg any) {
	t := arg.(*tree)
	t.own.ran()
	l := t.s.l
	if len(t.below) > leaves {
		half := len(t.below) / 2
		for _, ms := range [][]mark{t.below[:half], t.below[half:]} {
			ms[0].give()
			branch := &tree{t.s, t.group, &ms[0], ms[1:], t.bad, t.how}
			l.pool.spawnLight(w, t.group, grow, branch)
		}
		return
	}
	for i := range t.below {
		m, f := &t.below[i], fine
		if m == t.bad {
			f = t.how
		}
		m.give()
		l.pool.spawnLight(w, t.group, l.owned[f], m)
	}
}

// fork calls all that is below by forks.
func (t *tree) fork(w *executor.Worker, _ any) {
	t.own.ran()
	for i := range t.below {
		t.below[i].give()
	}
	half := len(t.below) / 2
	if a, b := t.s.l.fork.Both(w, t.below[:half], t.below[half:]); a+b != len(t.below) {
		t.s.l.complain("forks of %d leaves count %d", len(t.below), a+b)
	}
}

// loop calls all that is below by For.
func (t *tree) loop(w *executor.Worker, _ any) {
	t.own.ran()
	for i := range t.below {
		t.below[i].give()
	}
	executor.For(w, len(t.below), 4, func(_ *executor.Worker, low, high int) {
		for i := low; i < high; i++ {
			t.below[i].ran()
		}
	})
}

// wait waits for the group, and looks whether all of it has run by then.
func (s *submitter) wait() {
	err := s.l.pool.wait(s.group)
	if s.l.stops.Load() {
		return // some were cancelled
	}
	late := 0
	for _, marks := range s.since {
		for i := range marks {
			if m := &marks[i]; m.isGiven() && m.times() == 0 {
				late++
			}
		}
	}
	if late > 0 {
		s.l.complain("Wait of a group returned before %d of its tasks had run", late)
	}
	var p *executor.PanicError
	if bad := errors.Is(err, executor.ErrGoexit) || errors.As(err, &p); bad != (s.bad > 0) || err != nil && !bad {
		s.l.complain("%d tasks of a group were to fail, and it said %v", s.bad, err)
	}
	s.since, s.bad = s.since[:0], 0
}
