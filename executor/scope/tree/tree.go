package tree

import "math"

// ID names a scope. Scopes, tasks and resources are numbered by one counter,
// and a spawned scope has the number of its task. 0 is nobody's.
type ID uint64

// Token names a task or a resource of one run, for whoever may hold it longer
// than the run lasts.
type Token struct {
	Run uint64
	Key ID
}

// Tree is the state of one run. Its methods must be called one at a time.
type Tree struct {
	run       uint64
	last      ID // the number given out last
	root      ID
	scopes    map[ID]*scope
	tasks     map[ID]*task // until the outcome is delivered or nobody can ask for it
	resources map[ID]*resource

	// stopped and stoppedTail are the scopes that were stopped and not yet
	// handed out by NextStopped, in a list through scope.stoppedNext.
	stopped, stoppedTail *scope

	search uint64 // the number of the current search of reaches

	// reserve stands for the room of a map or a number, and is asked before
	// anything changes. Only tests set it, to refuse.
	reserve func(what string) error
}

// New returns a tree with an open root. No two trees whose tokens might meet
// may have the same run.
func New(run uint64) *Tree {
	t := &Tree{
		run:       run,
		scopes:    map[ID]*scope{},
		tasks:     map[ID]*task{},
		resources: map[ID]*resource{},
	}
	t.root = t.number()
	t.scopes[t.root] = &scope{id: t.root, task: t.root, kind: rooted}
	return t
}

// Root is the root scope.
func (t *Tree) Root() ID { return t.root }

// Len is how many scopes, tasks and resources are remembered.
func (t *Tree) Len() (scopes, tasks, resources int) {
	return len(t.scopes), len(t.tasks), len(t.resources)
}

// room asks for everything that a call needs before it changes anything: one
// number, and a place in each of the maps named.
func (t *Tree) room(maps ...string) error {
	if t.last == math.MaxUint64 {
		return ErrExhausted
	}
	if t.reserve == nil {
		return nil
	}
	if err := t.reserve("number"); err != nil {
		return err
	}
	for _, m := range maps {
		if err := t.reserve(m); err != nil {
			return err
		}
	}
	return nil
}

// number is called after room.
func (t *Tree) number() ID {
	t.last++
	return t.last
}
