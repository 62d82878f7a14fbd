package scope

import (
	"fmt"
	"slices"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/scope/tree"
)

// Options are how a child is spawned. The zero Options make an unsupervised
// child that is given nothing.
type Options struct {
	// Supervised keeps the child's failure, and its errors of cleaning up,
	// from its owner: they are its ticket's.
	Supervised bool
	// Move gives resources that the owner owns to the child, all of them or,
	// with an error, none.
	Move []Movable
}

// Movable is a *Resource of any type.
type Movable interface{ token() tree.Token }

// Spawn calls body in a task of its own, with a scope that s owns, and returns
// the ticket for its outcome. s ends after the child. A child that is stopped
// before its body begins never runs it. On an executor that is full the task
// is stored beside Config.Capacity: tasks of a tree may need each other, so
// none may have to wait for room.
func Spawn[R any](s *Scope, o Options, body func(*Scope) (R, error)) (*Ticket[R], error) {
	if body == nil {
		return nil, s.nilBody()
	}
	t := &Ticket[R]{}
	token, child, err := s.spawn(o, true, func(s *Scope) (err error) {
		t.result, err = body(s)
		return err
	})
	if err != nil {
		return nil, err
	}
	t.token, t.child = token, child
	return t, nil
}

// Go is Spawn without a ticket, for an unsupervised child that is only to be
// done: if it fails, so does s.
func (s *Scope) Go(body func(*Scope) error) error {
	if body == nil {
		return s.nilBody()
	}
	_, _, err := s.spawn(Options{}, false, body)
	return err
}

func (s *Scope) nilBody() error {
	return fmt.Errorf("scope: spawn in scope %d: body is nil: %w", s.id, ErrInvalidTransition)
}

func (s *Scope) spawn(o Options, keep bool, body func(*Scope) error) (token tree.Token, c *Scope, err error) {
	move := make([]tree.Token, len(o.Move))
	for i, m := range o.Move {
		move[i] = m.token()
	}
	c = s.run.newScope(s)
	err = s.run.do(func(t *tree.Tree) (err error) {
		if token, err = t.Spawn(s.id, o.Supervised, keep, move); err == nil {
			c.id = token.Key
			s.run.scopes[c.id] = c
		}
		return err
	})
	if err != nil {
		return token, nil, s.refused("spawn", err)
	}
	c.start(s.worker, body)
	s.keep(c)
	return token, c, nil
}

// start gives the body to the executor. A full one would run it before Spawn
// returns, and the spawner might be what it waits for; then what runs at once
// is only the spawn of another task, with room of its own.
func (c *Scope) start(spawner *executor.Worker, body func(*Scope) error) {
	task := func(w *executor.Worker) (none struct{}, err error) { return none, c.begin(w, body) }
	spawning := true // read only on the spawner's worker, where nothing else runs meanwhile
	var beside *executor.Handle[struct{}]
	c.handle = executor.Spawn(spawner, func(w *executor.Worker) (none struct{}, err error) {
		if w != spawner || !spawning {
			return task(w)
		}
		beside, err = executor.NewStorage[struct{}](w.Executor(), 1).Spawn(w, task)
		return none, err
	})
	spawning = false
	if beside != nil {
		c.handle = beside
	}
}

// keep remembers a child until its task has left its worker, which it does a
// little after it is gone. It looks at the others when there may be twice as
// many as were there the last time.
func (s *Scope) keep(c *Scope) {
	if s.children = append(s.children, c); len(s.children) < s.kept {
		return
	}
	s.children = slices.DeleteFunc(s.children, (*Scope).left)
	s.kept = max(16, 2*len(s.children))
}

// left tells whether nothing of the spawned scope is left.
func (s *Scope) left() bool {
	if !s.handle.State().Terminal() {
		return false
	}
	select {
	case <-s.handle.Done():
		return s.begun
	default:
		return false
	}
}
