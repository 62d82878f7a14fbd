package tree

// resource is something to be closed exactly once, when its owner ends or
// before.
//
//	             Publish             ClaimClose            FinishClose
//	admitted ────────────▶ published ───────────▶ claimed ────────────▶ gone
//	    │                     ▲   ╲ BeginUse, and not closed
//	    │ Withdraw             ╲   ▼ until as many EndUse
//	    └──────────▶ gone      in use
type resource struct {
	id    ID
	owner *scope
	value any
	state condition
	uses  int // Invariant: uses > 0 => state == published
	// older and newer are its neighbours among what the owner has published or
	// was given, if state != admitted.
	older, newer *resource
}

type condition uint8

const (
	admitted condition = iota
	published
	claimed
)

// BeginAcquire admits a resource to a scope that is not closing, and holds the
// scope until Publish or Withdraw. The token is the resource's for good.
func (t *Tree) BeginAcquire(id ID) (Token, error) {
	s := t.scopes[id]
	if s == nil || s.closing {
		return Token{}, ErrClosedScope
	}
	if err := t.room("resources"); err != nil {
		return Token{}, err
	}
	r := &resource{id: t.number(), owner: s}
	t.resources[r.id] = r
	s.admissions++
	return Token{t.run, r.id}, nil
}

// Publish gives an admitted resource its value, also when the scope has begun
// to close since. It returns the owner.
func (t *Tree) Publish(token Token, value any) (owner ID, err error) {
	r, err := t.resource(token, admitted)
	if err != nil {
		return 0, err
	}
	r.owner.admissions--
	r.state, r.value = published, value
	r.link(r.owner)
	return r.owner.id, nil
}

// Withdraw ends an admission without a resource. It returns the scope that was
// to own it.
func (t *Tree) Withdraw(token Token) (owner ID, err error) {
	r, err := t.resource(token, admitted)
	if err != nil {
		return 0, err
	}
	r.owner.admissions--
	delete(t.resources, r.id)
	return r.owner.id, nil
}

// BeginUse returns the value to a scope that its owner encloses, and keeps it
// from being closed or moved until EndUse.
func (t *Tree) BeginUse(id ID, token Token) (value any, err error) {
	s := t.scopes[id]
	if s == nil || s.phase == Releasing {
		return nil, ErrClosedScope
	}
	r, err := t.published(token)
	switch {
	case err != nil:
		return nil, err
	case !s.within(r.owner):
		return nil, ErrOutOfScope
	}
	if r.uses++; r.uses == 1 {
		r.owner.inUse++
	}
	return r.value, nil
}

// EndUse ends a use. It returns the owner.
func (t *Tree) EndUse(token Token) (owner ID, err error) {
	r, err := t.published(token)
	switch {
	case err != nil:
		return 0, err
	case r.uses == 0:
		return 0, ErrInvalidTransition
	}
	if r.uses--; r.uses == 0 {
		r.owner.inUse--
	}
	return r.owner.id, nil
}

// Newest returns what the scope published, or was given, last of what it still
// owns.
func (t *Tree) Newest(id ID) (token Token, ok bool, err error) {
	s := t.scopes[id]
	switch {
	case s == nil:
		return Token{}, false, ErrClosedScope
	case s.newest == nil:
		return Token{}, false, nil
	}
	return Token{t.run, s.newest.id}, true, nil
}

// ClaimClose returns the value to exactly one caller, who closes it and then
// calls FinishClose; to others it returns false. Only the owner may close, and
// not what is in use.
func (t *Tree) ClaimClose(id ID, token Token) (value any, first bool, err error) {
	s, r := t.scopes[id], t.resources[token.Key]
	switch {
	case s == nil:
		return nil, false, ErrClosedScope
	case token.Run != t.run || r == nil || r.state == admitted:
		return nil, false, ErrStale
	case r.owner != s:
		return nil, false, ErrOutOfScope
	case r.state == claimed:
		return nil, false, nil
	case r.uses > 0:
		return nil, false, ErrInvalidTransition
	}
	value, r.value, r.state = r.value, nil, claimed
	s.closings++
	return value, true, nil
}

// FinishClose forgets a resource that has been closed. It returns the owner.
func (t *Tree) FinishClose(token Token) (owner ID, err error) {
	r := t.resources[token.Key]
	switch {
	case token.Run != t.run || r == nil:
		return 0, ErrStale
	case r.state != claimed:
		return 0, ErrInvalidTransition
	}
	r.owner.closings--
	r.unlink()
	delete(t.resources, r.id)
	return r.owner.id, nil
}

func (t *Tree) resource(token Token, want condition) (*resource, error) {
	r := t.resources[token.Key]
	if token.Run != t.run || r == nil || r.state != want {
		return nil, ErrStale
	}
	return r, nil
}

func (t *Tree) published(token Token) (*resource, error) { return t.resource(token, published) }

// move gives r to another scope, as its newest.
func (r *resource) move(to *scope) {
	r.unlink()
	r.link(to)
}

func (r *resource) link(owner *scope) {
	r.owner, r.newer, r.older = owner, nil, owner.newest
	if r.older != nil {
		r.older.newer = r
	}
	owner.newest = r
}

func (r *resource) unlink() {
	if r.newer == nil {
		r.owner.newest = r.older
	} else {
		r.newer.older = r.older
	}
	if r.older != nil {
		r.older.newer = r.newer
	}
}
