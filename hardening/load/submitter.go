package main

import (
	"math/rand/v2"

	"github.com/exactlyonce/certify/executor"
)

// submitter is one of the goroutines that give tasks.
type submitter struct {
	l    *life
	dice *rand.Rand
	args []any
	fns  []body

	group *executor.Group
	// Of what it has given to the group since it last waited: the ids, and how many
	// will fail.
	since [][]mark
	bad   int
}

func newSubmitter(l *life, i int) *submitter {
	return &submitter{l: l, dice: rand.New(rand.NewPCG(l.seed, uint64(i)+1)), group: l.pool.newGroup()}
}

// most is how many tasks a door gets in a row.
const most = 64

// work gives tasks by all doors, in turns by chance, until there are no ids left or the
// executor takes nothing any more. Light tasks are most, as they cost least.
func (s *submitter) work() {
	for over := false; !over; {
		n := 1 + s.dice.IntN(most)
		switch s.dice.IntN(16) {
		case 0:
			over = s.submit(n)
		case 1:
			over = s.try(n)
		case 2:
			over = s.together(n)
		case 3:
			over = s.spawn(n)
		case 4, 5:
			over = s.alone(n)
		case 6, 7, 8:
			over = s.grouped(n)
		case 9, 10:
			over = s.batched(8 * n)
		case 11, 12:
			over = s.root(lightSpawned, 8*n)
		case 13:
			over = s.root(forked, 8*n)
		case 14:
			over = s.root(looped, 8*n)
		case 15:
			s.wait()
		}
	}
	s.wait()
}

// fates draws a fate for each of n.
func (s *submitter) fates(n int) []fate {
	all := make([]fate, n)
	for i := range all {
		all[i] = drawn(s.dice)
	}
	return all
}

func (s *submitter) submit(n int) (over bool) {
	marks := s.l.take(submitted, n)
	var tickets []ticket
	for i, f := range s.fates(len(marks)) {
		h, err := s.l.pool.submit(s.l.body(&marks[i], f))
		if err != nil {
			over = s.l.refused(err)
			break
		}
		tickets = append(tickets, accept(h, &marks[i], f))
	}
	s.l.settleAll(tickets)
	return over || marks == nil
}

func (s *submitter) try(n int) (over bool) {
	marks := s.l.take(tried, n)
	var tickets []ticket
	for i, f := range s.fates(len(marks)) {
		h, err := s.l.pool.trySubmit(s.l.body(&marks[i], f))
		if err == nil {
			tickets = append(tickets, accept(h, &marks[i], f))
		} else if over = s.l.refused(err); over {
			break
		}
	}
	s.l.settleAll(tickets)
	return over || marks == nil
}

func (s *submitter) together(n int) (over bool) {
	marks := s.l.take(together, n)
	all := s.fates(len(marks))
	s.fns = s.fns[:0]
	for i, f := range all {
		s.fns = append(s.fns, s.l.body(&marks[i], f))
	}
	handles, err := s.l.pool.submitAll(s.fns)
	var tickets []ticket
	for i, h := range handles {
		tickets = append(tickets, accept(h, &marks[i], all[i]))
	}
	if err != nil {
		over = s.l.refused(err)
	}
	s.l.settleAll(tickets)
	clear(s.fns)
	return over || marks == nil
}

// spawn gives one task that spawns the others and waits for them.
func (s *submitter) spawn(n int) (over bool) {
	root, marks := s.l.take(submitted, 1), s.l.take(spawned, n)
	if root == nil || marks == nil {
		return true
	}
	l, all := s.l, s.fates(n)
	h, err := l.pool.submit(func(w *executor.Worker) (int, error) {
		root[0].ran()
		var tickets []ticket
		for i, f := range all {
			tickets = append(tickets, accept(l.pool.spawn(w, l.body(&marks[i], f)), &marks[i], f))
		}
		l.settleAll(tickets)
		return answer, nil
	})
	if err != nil {
		return l.refused(err)
	}
	l.settle(accept(h, &root[0], fine))
	return false
}
