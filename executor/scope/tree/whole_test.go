package tree

import "testing"

// Each reservation fails in turn, and nothing has changed: not the numbers, not
// the tables, not who owns the resources.
func TestSpawnIsAllOrNothingS6(t *testing.T) {
	s := newStage(t)
	owner := s.spawn(s.Root(), false)
	a, b := s.acquire(owner.Key, "a"), s.acquire(owner.Key, "b")
	calls := map[string]func() error{
		"spawn":   func() error { _, err := s.Spawn(owner.Key, true, true, []Token{a, b}); return err },
		"nested":  func() error { _, err := s.Tree.Nested(owner.Key); return err },
		"acquire": func() error { _, err := s.BeginAcquire(owner.Key); return err },
	}
	for name, points := range map[string]int{"spawn": 3, "nested": 2, "acquire": 2} {
		for point := 1; point <= points; point++ {
			last, left := s.last, point
			s.reserve = func(string) error {
				if left--; left == 0 {
					return errRefused
				}
				return nil
			}
			s.refuses(name, calls[name](), errRefused)
			s.hasLeft(2, 1, 2)
			if newest, _, _ := s.Newest(owner.Key); s.last != last || newest != b || s.scopes[owner.Key].unsettled != 0 {
				t.Errorf("%s, reservation %d: something has changed", name, point)
			}
		}
		s.reserve = nil
	}
	child := s.spawn(owner.Key, false, a, b) // and without a fault it works
	if newest, _, _ := s.Newest(child.Key); newest != b {
		t.Errorf("newest of the child is %v, want %v", newest, b)
	}
}

// teardown stops a tree of three levels and takes it down to nothing. It must
// not allocate.
type teardown struct {
	tree               *Tree
	child, grand, deep Token
	nested             ID
	things             []Token
}

func (s stage) standing() *teardown {
	d := &teardown{tree: s.Tree}
	d.child = s.spawn(s.Root(), false)
	d.nested = s.nest(d.child.Key)
	d.grand = s.spawn(d.nested, true)
	d.deep = s.spawn(d.grand.Key, false)
	for _, id := range []ID{s.Root(), d.grand.Key, d.deep.Key} {
		s.done(s.BeginHost(id))
		d.things = append(d.things, s.acquire(id, "a"), s.acquire(id, "b"))
	}
	s.done(s.ClaimJoin(s.Root(), d.child))
	return d
}

func (d *teardown) run() (out Outcome, ok bool) {
	t := d.tree
	_, _ = t.Stop(d.deep.Key, Primary{Failed, ErrStale})
	_, _ = t.Stop(t.Root(), Primary{Cancelled, ErrStale})
	for _, _, more := t.NextStopped(); more; _, _, more = t.NextStopped() {
	}
	for _, id := range [...]ID{d.deep.Key, d.grand.Key, d.nested, d.child.Key, t.Root()} {
		if id == t.Root() {
			_, _, _ = t.PollJoin(id)
		}
		_ = t.BodyDone(id, Outcome{})
		_ = t.EndHost(id)
		_, _ = t.BeginRelease(id)
		for token, more, _ := t.Newest(id); more; token, more, _ = t.Newest(id) {
			_, _, _ = t.ClaimClose(id, token)
			_, _ = t.FinishClose(token)
		}
		var own Cleanup
		own.Add(ErrStale)
		var err error
		if out, err = t.Settle(id, &own); err != nil {
			return out, false
		}
	}
	return out, true
}

func TestStopAndSettlementAllocateNothingS11(t *testing.T) {
	const runs = 50
	var standing []*teardown
	for range runs + 1 {
		standing = append(standing, newStage(t).standing())
	}
	next := 0
	allocs := testing.AllocsPerRun(runs, func() {
		d := standing[next]
		next++
		if _, ok := d.run(); !ok {
			t.Error("it does not stand")
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
	for _, d := range standing {
		stage{t, d.tree}.hasLeft(0, 0, 0)
	}
}

// Thousands of rounds leave as much as one.
func TestRoundsLeaveNothingS10(t *testing.T) {
	s := newStage(t)
	for range 2048 {
		child := s.spawn(s.Root(), false, s.acquire(s.Root(), "moved"))
		s.done(s.ClaimJoin(s.Root(), child))
		s.done(s.BodyDone(child.Key, Outcome{}))
		s.ready(child.Key, true)
		token, _, _ := s.Newest(child.Key)
		_, _, err := s.ClaimClose(child.Key, token)
		s.done(err)
		_, err = s.FinishClose(token)
		s.done(err)
		s.settles(child.Key)
		s.joins(s.Root(), Primary{})
		s.hasLeft(1, 0, 0)
	}
}
