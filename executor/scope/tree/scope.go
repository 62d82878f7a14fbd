package tree

// kind is what a scope is to its parent.
type kind uint8

const (
	// rooted: it has no parent.
	rooted kind = iota
	// nested: it is part of its parent's task, and the parent does nothing
	// while it is there.
	nested
	// spawned: it is a task of its own.
	spawned
)

// Phase is where a scope is in its life. After Releasing it is gone.
type Phase uint8

const (
	// Open: the body runs. Left by BodyDone.
	Open Phase = iota
	// Joining: the body has ended, and children, host calls, admissions or
	// uses may hold the scope. Left by BeginRelease when nothing does.
	Joining
	// Releasing: only its resources are left, to be closed. Left by Settle.
	Releasing
)

func (p Phase) String() string { return [...]string{"open", "joining", "releasing"}[p] }

type scope struct {
	id, task   ID // task: the number of the scope that its task began with
	kind       kind
	phase      Phase
	supervised bool // its failure does not climb
	closing    bool // takes no more resources
	stopped    bool // Invariant: stopped => closing, and all below are stopped
	reason     Primary
	body       Outcome // set by BodyDone
	cleanup    Cleanup // delivered by those below
	hosts      uint32  // host calls in flight

	parent                 *scope
	child, sibling, before *scope // first child; next and previous of parent's
	nested                 *scope // Invariant: nested != nil => phase == Open && waits == nil
	unsettled              int    // spawned children that are not gone
	record                 *task  // of a spawned scope
	records                *task  // first of those it owns, through task.next
	waits                  *task  // Invariant: waits != nil => waits.waiter == this

	newest                      *resource // of those it owns and has published
	admissions, inUse, closings int       // what holds resources in motion

	stoppedNext *scope
}

// task is what is remembered of a spawned scope for who may join it.
type task struct {
	id         ID
	owner      *scope
	scope      *scope // nil once settled
	ticket     bool   // not yet claimed or discarded
	waiter     *scope
	outcome    Outcome // once settled
	prev, next *task   // of the owner's

	searched uint64 // the last search that came by
	found    *task  // next to be looked at by it
}

// open returns the scope if it may begin something: it is there, it was not
// stopped, its body runs and neither waits nor has a nested scope open.
func (t *Tree) open(id ID) (*scope, error) {
	s := t.scopes[id]
	switch {
	case s == nil:
		return nil, ErrClosedScope
	case s.stopped:
		return nil, ErrStopped
	case s.phase != Open || s.nested != nil || s.waits != nil:
		return nil, ErrInvalidTransition
	}
	return s, nil
}

// Checkpoint tells whether the scope may begin something: ErrClosedScope if it
// is gone, else ErrStopped if it was stopped, else ErrInvalidTransition if its
// body has ended, waits, or has a nested scope open.
func (t *Tree) Checkpoint(id ID) error {
	_, err := t.open(id)
	return err
}

// State is what a scope shows of itself.
type State struct {
	Phase   Phase
	Stopped bool
	Reason  Primary // if Stopped
	Nested  ID      // its open nested scope, or 0
	Waits   ID      // the task that it joins, or 0
}

// State returns the state of a scope that is not gone.
func (t *Tree) State(id ID) (State, error) {
	s := t.scopes[id]
	if s == nil {
		return State{}, ErrClosedScope
	}
	state := State{Phase: s.phase, Stopped: s.stopped, Reason: s.reason}
	if s.nested != nil {
		state.Nested = s.nested.id
	}
	if s.waits != nil {
		state.Waits = s.waits.id
	}
	return state, nil
}

// within tells whether s is outer or below it.
func (s *scope) within(outer *scope) bool {
	for ; s != nil; s = s.parent {
		if s == outer {
			return true
		}
	}
	return false
}

// attach makes s a child of its parent, and known.
func (t *Tree) attach(s *scope) {
	p := s.parent
	if s.sibling = p.child; s.sibling != nil {
		s.sibling.before = s
	}
	p.child = s
	t.scopes[s.id] = s
}

// detach undoes attach.
func (t *Tree) detach(s *scope) {
	delete(t.scopes, s.id)
	if s.parent == nil {
		return
	}
	if s.before == nil {
		s.parent.child = s.sibling
	} else {
		s.before.sibling = s.sibling
	}
	if s.sibling != nil {
		s.sibling.before = s.before
	}
}
