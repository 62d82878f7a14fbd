package gate

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"weak"

	"github.com/exactlyonce/certify/internal/stress"
)

var background = context.Background()

func admit(t *testing.T, g *Gate[string, int], rev uint64) *Ticket[string, int] {
	t.Helper()
	ticket, err := g.Admit(background, "k", rev)
	if err != nil {
		t.Fatal(err)
	}
	return ticket
}

func start(t *testing.T, g *Gate[string, int], rev uint64) *Ticket[string, int] {
	t.Helper()
	ticket := admit(t, g, rev)
	is(t, "start", ticket.Start(), nil)
	return ticket
}

func is(t *testing.T, what string, got, want error) {
	t.Helper()
	if want == nil && got != nil || !errors.Is(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func latest(t *testing.T, g *Gate[string, int], v int, rev uint64) {
	t.Helper()
	if gotV, gotRev, ok := g.Latest("k"); gotV != v || gotRev != rev || ok != (rev > 0) {
		t.Errorf("latest is %d of revision %d, %v; want %d of %d", gotV, gotRev, ok, v, rev)
	}
}

// All operations in all states of the word.
func TestWordG1G3G4(t *testing.T) {
	states := []state{pending, running, published, failed, cancelled, forgotten}
	for _, row := range []struct {
		op   string
		do   func(w *word) error
		want [6]error // by state, when the word is of revision 5
		to   state
	}{
		{"start", func(w *word) error { return w.move(5, running, nil, pending) },
			[6]error{nil, ErrStarted, ErrTerminal, ErrTerminal, ErrCancelled, ErrForgotten}, running},
		{"publish", func(w *word) error { return w.move(5, published, nil, running) },
			[6]error{ErrNotStarted, nil, ErrTerminal, ErrTerminal, ErrCancelled, ErrForgotten}, published},
		{"cancel", func(w *word) error { return w.move(5, cancelled, nil, pending, running) },
			[6]error{nil, nil, ErrTerminal, ErrTerminal, ErrCancelled, ErrForgotten}, cancelled},
		{"admit equal", func(w *word) error { return w.admit(5, nil) },
			[6]error{ErrDuplicateRevision, ErrDuplicateRevision, ErrDuplicateRevision, ErrDuplicateRevision, ErrDuplicateRevision, ErrDuplicateRevision}, 0},
		{"admit older", func(w *word) error { return w.admit(4, nil) },
			[6]error{ErrStaleRevision, ErrStaleRevision, ErrStaleRevision, ErrStaleRevision, ErrStaleRevision, ErrStaleRevision}, 0},
		{"older start", func(w *word) error { return w.move(4, running, nil, pending) },
			[6]error{ErrSuperseded, ErrSuperseded, ErrSuperseded, ErrSuperseded, ErrSuperseded, ErrSuperseded}, 0},
	} {
		for i, s := range states {
			var w word
			w.v.Store(pack(5, s))
			if err := row.do(&w); err != row.want[i] {
				t.Errorf("%s in state %d: got %v, want %v", row.op, s, err, row.want[i])
			}
			want := pack(5, s)
			if row.want[i] == nil {
				want = pack(5, row.to)
			}
			if got := w.v.Load(); got != want {
				t.Errorf("%s in state %d: word %x, want %x", row.op, s, got, want)
			}
		}
	}
}

func TestRevisionRangeG1(t *testing.T) {
	g := New[string, int]()
	for _, rev := range []uint64{0, MaxRevision + 1, 1<<64 - 1} {
		_, err := g.Admit(background, "k", rev)
		is(t, "admit", err, ErrRevisionRange)
	}
	last := start(t, g, MaxRevision)
	is(t, "publish", last.Publish(7), nil)
	latest(t, g, 7, MaxRevision)
	_, err := g.Admit(background, "k", MaxRevision)
	is(t, "again", err, ErrDuplicateRevision)
	if MaxRevision != 2305843009213693951 {
		t.Error("ErrRevisionRange names another limit")
	}
}

func TestEqualAndOlderG1(t *testing.T) {
	g := New[string, int]()
	first := start(t, g, 5)
	for rev, want := range map[uint64]error{5: ErrDuplicateRevision, 4: ErrStaleRevision} {
		_, err := g.Admit(background, "k", rev)
		is(t, "admit", err, want)
	}
	if err := first.Context().Err(); err != nil {
		t.Error("a refused admission ended the context")
	}
	is(t, "publish", first.Publish(1), nil)
	other, err := g.Admit(background, "other", 1)
	is(t, "another key", err, nil)
	other.Cancel(nil)
}

func TestSupersedeBetweenStartAndPublishG2(t *testing.T) {
	g := New[string, int]()
	old := start(t, g, 1)
	next := start(t, g, 2)
	is(t, "context", context.Cause(old.Context()), ErrSuperseded)
	is(t, "publish of the old", old.Publish(1), ErrSuperseded)
	is(t, "fail of the old", old.Fail(nil), ErrSuperseded)
	if old.Cancel(nil) {
		t.Error("cancel of the old won")
	}
	latest(t, g, 0, 0)
	is(t, "publish", next.Publish(2), nil)
	latest(t, g, 2, 2)
	is(t, "late publish of the old", old.Publish(1), ErrSuperseded)
	latest(t, g, 2, 2)
	is(t, "context", context.Cause(next.Context()), ErrTerminal)
}

func TestEndedStaysEndedG3G4(t *testing.T) {
	errMine := errors.New("mine")
	g := New[string, int]()
	for i, row := range []struct {
		end   func(*Ticket[string, int]) error
		cause error
		after error
	}{
		{func(k *Ticket[string, int]) error { return k.Publish(1) }, ErrTerminal, ErrTerminal},
		{func(k *Ticket[string, int]) error { return k.Fail(errMine) }, errMine, ErrTerminal},
		{func(k *Ticket[string, int]) error { return k.Fail(nil) }, ErrTerminal, ErrTerminal},
		{func(k *Ticket[string, int]) error { k.Cancel(errMine); return nil }, errMine, ErrCancelled},
		{func(k *Ticket[string, int]) error { k.Cancel(nil); return nil }, ErrCancelled, ErrCancelled},
	} {
		rev := uint64(i + 1)
		k := start(t, g, rev)
		is(t, "end", row.end(k), nil)
		is(t, "cause", context.Cause(k.Context()), row.cause)
		is(t, "publish", k.Publish(9), row.after)
		is(t, "fail", k.Fail(nil), row.after)
		is(t, "start", k.Start(), row.after)
		if k.Cancel(nil) {
			t.Error("cancelled after the end")
		}
		_, err := g.Admit(background, "k", rev)
		is(t, "the same again", err, ErrDuplicateRevision)
		latest(t, g, 1, 1)
	}
}

func TestStartOnceG3(t *testing.T) {
	g := New[string, int]()
	k := admit(t, g, 1)
	is(t, "publish", k.Publish(1), ErrNotStarted)
	is(t, "start", k.Start(), nil)
	is(t, "again", k.Start(), ErrStarted)
	if k.Revision() != 1 || !k.Cancel(nil) || k.Cancel(nil) {
		t.Error("cancel must win once")
	}
}

func TestContextsG2G4(t *testing.T) {
	g := New[string, int]()
	ctx, cancel := context.WithCancelCause(background)
	k, err := g.Admit(ctx, "k", 1)
	is(t, "admit", err, nil)
	errMine := errors.New("mine")
	cancel(errMine)
	<-k.Context().Done()
	is(t, "cause", context.Cause(k.Context()), errMine)
	stress.Until(func() bool { return !kept(g) }) // the cancel comes from another goroutine
	is(t, "publish", k.Publish(1), ErrCancelled)
	_, err = g.Admit(ctx, "k", 2)
	is(t, "admit with a ctx that has ended", err, context.Canceled)
	next, cancelNext := context.WithCancel(background)
	defer cancelNext()
	k, err = g.Admit(next, "k", 2) // not refused: the failed one changed nothing
	is(t, "admit", err, nil)
	k.Cancel(nil)
}

func kept(g *Gate[string, int]) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.entries["k"].ticket != nil
}

// After the last ticket nothing is left that leads to it, nor to what a loser
// wanted to publish.
func TestOneWordIsKeptG6(t *testing.T) {
	g := New[string, *[64]byte]()
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	var tickets []weak.Pointer[Ticket[string, *[64]byte]]
	var values []weak.Pointer[[64]byte]
	for rev := range uint64(6) {
		k, err := g.Admit(ctx, "k", rev+1)
		is(t, "admit", err, nil)
		is(t, "start", k.Start(), nil)
		v := new([64]byte)
		tickets, values = append(tickets, weak.Make(k)), append(values, weak.Make(v))
		switch rev {
		case 0, 1:
			is(t, "publish", k.Publish(v), nil)
		case 2:
			k.Cancel(nil)
		case 3:
			is(t, "fail", k.Fail(nil), nil)
		case 5:
			k.Cancel(nil)
			is(t, "publish", k.Publish(v), ErrCancelled)
		}
	}
	for range 2 {
		runtime.GC()
	}
	for i, k := range tickets {
		if k.Value() != nil {
			t.Errorf("ticket %d is kept", i+1)
		}
	}
	for i, v := range values {
		if kept := v.Value() != nil; kept != (i == 1) {
			t.Errorf("value %d is kept: %v", i+1, kept)
		}
	}
	if _, rev, ok := g.Latest("k"); rev != 2 || !ok {
		t.Errorf("latest is %d, %v", rev, ok)
	}
	g.Forget("k")
	if len(g.entries) != 0 {
		t.Error("a forgotten key is kept")
	}
}

func TestForgetG6(t *testing.T) {
	g := New[string, int]()
	g.Forget("k")
	is(t, "publish", start(t, g, 5).Publish(5), nil)
	old := start(t, g, 6)
	g.Forget("k")
	is(t, "cause", context.Cause(old.Context()), ErrForgotten)
	latest(t, g, 0, 0)
	anew := start(t, g, 1)
	is(t, "publish of the old", old.Publish(6), ErrForgotten)
	if old.Cancel(nil) {
		t.Error("cancel of the old won")
	}
	latest(t, g, 0, 0)
	is(t, "publish", anew.Publish(1), nil)
	latest(t, g, 1, 1)
}

// A ticket that is superseded before it follows its ctx is not kept by it.
func TestSupersededWhileAdmittedG2G6(t *testing.T) {
	g := New[string, int]()
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	var newer *Ticket[string, int]
	g.step = func(p point) {
		if p == unlock && newer == nil {
			newer = &Ticket[string, int]{} // once
			newer = admit(t, g, 2)
		}
	}
	k, err := g.Admit(ctx, "k", 1)
	is(t, "admit", err, nil)
	is(t, "cause", context.Cause(k.Context()), ErrSuperseded)
	is(t, "start", k.Start(), ErrSuperseded)
	old := weak.Make(k)
	k = nil
	for range 2 {
		runtime.GC()
	}
	if old.Value() != nil {
		t.Error("the ticket is kept")
	}
	newer.Cancel(nil)
}
