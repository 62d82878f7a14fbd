package poll_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/exactlyonce/certify/executor"
	"github.com/exactlyonce/certify/executor/lifecycle"
	"github.com/exactlyonce/certify/executor/poll"
	"github.com/exactlyonce/certify/internal/stress"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	background = context.Background()
	errBoom    = errors.New("boom")
)

// start returns an executor that is drained, and empty, when the test ends.
func start(t *testing.T, workers int) *executor.Executor {
	t.Helper()
	e, err := executor.New(executor.Config{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Shutdown(background); err != nil {
			t.Error(err)
		}
		if s := e.Stats(); s.Stored != 0 || s.Idle != 0 {
			t.Errorf("not empty: %+v", s)
		}
	})
	return e
}

// probe is a future that a test opens, and that counts.
type probe struct {
	open    atomic.Bool
	waker   atomic.Pointer[poll.Waker]
	err     error
	polls   atomic.Int64
	dropped atomic.Int64
}

func (p *probe) Poll(c *poll.Context) (int, bool, error) {
	p.polls.Add(1)
	k := c.Waker()
	p.waker.Store(&k)
	if p.open.Load() {
		return 7, p.err == nil, p.err
	}
	return 0, false, nil
}

func (p *probe) Drop() { p.dropped.Add(1) }

// fire opens p and wakes its waker, if it was polled.
func (p *probe) fire() {
	p.open.Store(true)
	if k := p.waker.Load(); k != nil {
		k.Wake()
	}
}

func submit[T any](t *testing.T, e *executor.Executor, f poll.Future[T]) *executor.Handle[T] {
	t.Helper()
	h, err := poll.Submit(background, e, f)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func want[T comparable](t *testing.T, name string, got T, err error, v T, wantErr error) {
	t.Helper()
	if got != v || !errors.Is(err, wantErr) || wantErr == nil && err != nil {
		t.Errorf("%s: got %v, %v; want %v, %v", name, got, err, v, wantErr)
	}
}

// Combinators over what is ready at once, by task and by Block.
func TestCombinators(t *testing.T) {
	stress.Watchdog(t)
	e := start(t, 1)
	two := func(n int) (int, error) { return 2 * n, nil }
	closed := make(chan int)
	close(closed)
	buffered := make(chan int, 1)
	ended, cancel := context.WithCancelCause(background)
	cancel(errBoom)
	fail := poll.Fail[int](errBoom)
	for name, c := range map[string]struct {
		f   func() poll.Future[int]
		v   int
		err error
	}{
		"ready":          {func() poll.Future[int] { return poll.Ready(1) }, 1, nil},
		"fail":           {func() poll.Future[int] { return fail }, 0, errBoom},
		"fail nil":       {func() poll.Future[int] { return poll.Fail[int](nil) }, 0, poll.ErrNilFuture},
		"func nil":       {func() poll.Future[int] { return poll.Func[int](nil) }, 0, poll.ErrNilFuture},
		"map":            {func() poll.Future[int] { return poll.Map(poll.Ready(3), two) }, 6, nil},
		"map of fail":    {func() poll.Future[int] { return poll.Map(fail, two) }, 0, errBoom},
		"map that fails": {func() poll.Future[int] { return poll.Map(poll.Ready(3), func(int) (int, error) { return 9, errBoom }) }, 0, errBoom},
		"map nil":        {func() poll.Future[int] { return poll.Map(nil, two) }, 0, poll.ErrNilFuture},
		"map no fn":      {func() poll.Future[int] { return poll.Map[int, int](poll.Ready(1), nil) }, 0, poll.ErrNilFuture},
		"then":           {func() poll.Future[int] { return poll.Then(poll.Ready(3), poll.Ready[int]) }, 3, nil},
		"then of fail":   {func() poll.Future[int] { return poll.Then(fail, poll.Ready[int]) }, 0, errBoom},
		"then nil":       {func() poll.Future[int] { return poll.Then(poll.Ready(1), func(int) poll.Future[int] { return nil }) }, 0, poll.ErrNilFuture},
		"yield": {func() poll.Future[int] {
			return poll.Then(poll.Yield(), func(struct{}) poll.Future[int] { return poll.Ready(5) })
		}, 5, nil},
		"until":          {func() poll.Future[int] { return poll.Until(background, poll.Ready(2)) }, 2, nil},
		"until ended":    {func() poll.Future[int] { return poll.Until(ended, poll.Ready(2)) }, 0, errBoom},
		"until nil":      {func() poll.Future[int] { return poll.Until[int](background, nil) }, 0, poll.ErrNilFuture},
		"of nil":         {func() poll.Future[int] { return poll.Of[int](nil) }, 0, poll.ErrNilFuture},
		"receive closed": {func() poll.Future[int] { return poll.Receive(closed) }, 0, poll.ErrClosed},
		"send closed": {func() poll.Future[int] {
			return poll.Map(poll.Send(closed, 1), func(struct{}) (int, error) { return 1, nil })
		}, 0, poll.ErrClosed},
		"send, receive": {func() poll.Future[int] {
			return poll.Then(poll.Send(buffered, 4), func(struct{}) poll.Future[int] { return poll.Receive(buffered) })
		}, 4, nil},
		"after": {func() poll.Future[int] {
			return poll.Map(poll.After(0), func(time.Time) (int, error) { return 8, nil })
		}, 8, nil},
		"select": {func() poll.Future[int] {
			return poll.Map(poll.Select(poll.Never[int](), poll.Ready(1), poll.Ready(2)), func(s poll.Selected[int]) (int, error) { return 10*s.Index + s.Value, nil })
		}, 11, nil},
		"select of fail": {func() poll.Future[int] {
			return poll.Map(poll.Select(poll.Never[int](), fail, poll.Ready(2)), func(s poll.Selected[int]) (int, error) { return s.Value, nil })
		}, 0, errBoom},
		"select of none": {func() poll.Future[int] {
			return poll.Map(poll.Select[int](), func(s poll.Selected[int]) (int, error) { return s.Value, nil })
		}, 0, poll.ErrNilFuture},
	} {
		v, err := submit(t, e, c.f()).Wait(background)
		want(t, name, v, err, c.v, c.err)
		v, err = poll.Block(background, c.f())
		want(t, name+" under Block", v, err, c.v, c.err)
	}
	vs, err := submit(t, e, poll.Join(poll.Ready(1), poll.Ready(2))).Wait(background)
	if err != nil || !slices.Equal(vs, []int{1, 2}) {
		t.Errorf("join: %v, %v", vs, err)
	}
	if vs, err = submit(t, e, poll.Join[int]()).Wait(background); err != nil || len(vs) != 0 {
		t.Errorf("join of none: %v, %v", vs, err)
	}
	if _, err = submit(t, e, poll.Join(nil, poll.Ready(1))).Wait(background); !errors.Is(err, poll.ErrNilFuture) {
		t.Errorf("join of nil: %v", err)
	}
}

// L11: what combinators are made of is dropped exactly once, however they end.
func TestDropsOnceL11(t *testing.T) {
	stress.Watchdog(t)
	e := start(t, 2)
	for name, made := range map[string]func(a, b poll.Future[int]) poll.Future[int]{
		"map": func(a, _ poll.Future[int]) poll.Future[int] {
			return poll.Map(a, func(int) (int, error) { return 0, nil })
		},
		"then": func(a, b poll.Future[int]) poll.Future[int] {
			return poll.Then(a, func(int) poll.Future[int] { return b })
		},
		"join": func(a, b poll.Future[int]) poll.Future[int] {
			return poll.Map(poll.Join(a, b), func([]int) (int, error) { return 0, nil })
		},
		"select": func(a, b poll.Future[int]) poll.Future[int] {
			return poll.Map(poll.Select(a, b), func(poll.Selected[int]) (int, error) { return 0, nil })
		},
		"until": func(a, _ poll.Future[int]) poll.Future[int] { return poll.Until(background, a) },
	} {
		for how, end := range map[string]func(h *executor.Handle[int], a, b *probe){
			"ready":     func(_ *executor.Handle[int], a, b *probe) { a.fire(); b.fire() },
			"fails":     func(_ *executor.Handle[int], a, _ *probe) { a.err = errBoom; a.fire() },
			"cancelled": func(h *executor.Handle[int], _, _ *probe) { h.Cancel(nil) },
			"second fails": func(h *executor.Handle[int], a, b *probe) {
				b.err = errBoom
				a.fire()
				b.fire()
			},
		} {
			a, b := new(probe), new(probe)
			h := submit(t, e, made(a, b))
			stress.Until(func() bool { return h.State() == lifecycle.Idle })
			end(h, a, b)
			_, err := h.Wait(background)
			uses := b.polls.Load() > 0 || name == "join" || name == "select"
			if a.dropped.Load() != 1 || uses && b.dropped.Load() != 1 || b.dropped.Load() > 1 {
				t.Errorf("%s %s: %v, dropped %d and %d times, polled %d and %d", name, how, err, a.dropped.Load(), b.dropped.Load(), a.polls.Load(), b.polls.Load())
			}
		}
	}
	a := new(probe)
	ctx, cancel := context.WithCancel(background)
	cancel()
	if _, err := poll.Block(ctx, a); !errors.Is(err, context.Canceled) || a.dropped.Load() != 1 {
		t.Errorf("block: %v, dropped %d times", err, a.dropped.Load())
	}
}

// Each future of a join is polled once at first, and once more for its own
// wake; those of the others do not touch it.
func TestJoinPollsWhatWasWoken(t *testing.T) {
	stress.Watchdog(t)
	e := start(t, 2)
	const n = 500
	probes := make([]*probe, n)
	fs := make([]poll.Future[int], n)
	for i := range probes {
		probes[i] = new(probe)
		fs[i] = probes[i]
	}
	h := submit(t, e, poll.Join(fs...))
	stress.Until(func() bool { return h.State() == lifecycle.Idle })
	var wg sync.WaitGroup
	for side := range 2 { // from two goroutines at once
		wg.Go(func() {
			for i := side; i < n; i += 2 {
				probes[i].fire()
			}
		})
	}
	wg.Wait()
	if vs, err := h.Wait(background); err != nil || len(vs) != n {
		t.Fatalf("%d values, %v", len(vs), err)
	}
	for i, p := range probes {
		if p.polls.Load() != 2 || p.dropped.Load() != 1 {
			t.Errorf("future %d: %d polls, dropped %d times", i, p.polls.Load(), p.dropped.Load())
		}
	}
}

// Futures that have ended say so; those that must wait and have nobody to wake
// say so; the zero waker wakes nobody.
func TestErrorsByName(t *testing.T) {
	stress.Watchdog(t)
	poll.Waker{}.Wake()
	ended := map[string]func() (poll.Future[int], bool){}
	add := func(name string, f poll.Future[int]) {
		ended[name] = func() (poll.Future[int], bool) { return f, true }
	}
	add("then", poll.Then(poll.Ready(1), poll.Ready[int]))
	add("map", poll.Map(poll.Ready(1), func(n int) (int, error) { return n, nil }))
	add("until", poll.Until(background, poll.Ready(1)))
	ch := make(chan int, 2)
	ch <- 1
	add("receive", poll.Receive(ch))
	for name, f := range ended {
		f, _ := f()
		again := poll.Func[int](func(c *poll.Context) (int, bool, error) {
			if _, ready, err := f.Poll(c); !ready || err != nil {
				t.Errorf("%s: first poll: %v, %v", name, ready, err)
			}
			return f.Poll(c)
		})
		if _, err := poll.Block(background, again); !errors.Is(err, poll.ErrEnded) {
			t.Errorf("%s: second poll: %v", name, err)
		}
	}
	type none = poll.Future[int]
	for name, made := range map[string]func() poll.Future[int]{
		"receive": func() none { return poll.Receive(make(chan int)) },
		"until":   func() none { return poll.Until(background, poll.Ready(1)) },
		"then":    func() none { return poll.Then(poll.After(time.Hour), func(time.Time) none { return nil }) },
		"send":    func() none { return poll.Then(poll.Send(make(chan int), 1), func(struct{}) none { return nil }) },
		"yield":   func() none { return poll.Then(poll.Yield(), func(struct{}) none { return nil }) },
		"join":    func() none { return poll.Then(poll.Join(poll.Ready(1)), func([]int) none { return nil }) },
		"select": func() none {
			return poll.Then(poll.Select(poll.Ready(1)), func(poll.Selected[int]) none { return nil })
		},
	} {
		for _, c := range []*poll.Context{nil, {}} {
			if _, _, err := made().Poll(c); !errors.Is(err, poll.ErrNoWaker) {
				t.Errorf("%s with context %v: %v", name, c, err)
			}
		}
	}
	e := start(t, 1)
	if _, err := poll.Submit[int](background, e, nil); !errors.Is(err, poll.ErrNilFuture) {
		t.Error(err)
	}
	if _, err := poll.TrySubmit[int](e, nil); !errors.Is(err, poll.ErrNilFuture) {
		t.Error(err)
	}
	if _, err := poll.Block[int](background, nil); !errors.Is(err, poll.ErrNilFuture) {
		t.Error(err)
	}
}
