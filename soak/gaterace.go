package soak

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/exactlyonce/certify/executor/jobs/gate"
	"github.com/exactlyonce/certify/reports/record"
)

const (
	racing   = 64 // revisions of one key at once
	gateKeys = 3
)

// revisions is a gate as the drill sees it: what is published is the revision.
type revisions struct {
	admit  func(ctx context.Context, key int, rev uint64) (revision, error)
	latest func(key int) (value, rev uint64, ok bool)
	forget func(key int)
}

type revision interface {
	Context() context.Context
	Start() error
	Publish(value uint64) error
	Cancel(cause error) bool
}

func newRevisions() revisions {
	g := gate.New[int, uint64]()
	return revisions{
		admit: func(ctx context.Context, key int, rev uint64) (revision, error) {
			t, err := g.Admit(ctx, key, rev)
			if err != nil {
				return nil, err
			}
			return t, nil
		},
		latest: g.Latest, forget: g.Forget,
	}
}

// gates: racing revisions of a key, each tried twice, as tasks of the executor;
// some are cancelled. Only the newest publishes in the end, each at most once,
// and readers never go back.
func (t *trial) gates() {
	g := newRevisions()
	published := 0
	t.batches(func(base, n int) {
		for round := base; round < base+n && t.found.none(); round++ {
			published += t.gateRound(g, round)
		}
		t.checkQuiet(base)
	})
	t.value("published", float64(published))
}

// gateRound is what one round knows of a key.
type gateRound struct {
	*trial
	gate     revisions
	key      int
	base     uint64        // the revisions are base+1 to base+racing
	admitted atomic.Uint64 // the newest whose admission has returned
	admits   [racing + 1]atomic.Int32
	wins     [racing + 1]atomic.Int32
	tickets  [racing + 1]atomic.Pointer[revision]
	newest   atomic.Bool // it was cancelled
}

func (t *trial) gateRound(g revisions, round int) (published int) {
	r := &gateRound{trial: t, gate: g, key: round % gateKeys, base: uint64(round/gateKeys) * racing}
	t.strike(round)
	rng := rand.New(rand.NewPCG(t.spec.Seed, uint64(round)))
	tasks := make([]Task, 0, 2*racing)
	var readers sync.WaitGroup
	stop := make(chan struct{})
	readers.Go(func() { r.read(stop) })
	for _, i := range rng.Perm(2 * racing) {
		rev, cancels := r.base+1+uint64(i%racing), rng.IntN(8) == 0
		tasks = append(tasks, t.submit(round, func(Inside) (int, error) { return 0, r.work(rev, cancels) }))
	}
	for _, task := range tasks {
		if e := waitFor(task); e.err != nil {
			t.found.add(record.Contract, "round %d of key %d: %v", round, r.key, e.err)
		}
	}
	close(stop)
	readers.Wait()
	return r.check()
}

// work is one attempt at a revision.
func (r *gateRound) work(rev uint64, cancels bool) error {
	tk, err := r.gate.admit(context.Background(), r.key, rev)
	if err != nil {
		if !errors.Is(err, gate.ErrStaleRevision) && !errors.Is(err, gate.ErrDuplicateRevision) {
			return err
		}
		return nil
	}
	i := rev - r.base
	r.admits[i].Add(1)
	for old := r.admitted.Load(); old < rev && !r.admitted.CompareAndSwap(old, rev); old = r.admitted.Load() {
	}
	r.tickets[i].Store(&tk)
	if err := tk.Start(); err != nil {
		return lost(err)
	}
	if cancels && tk.Cancel(errCause) {
		if i == racing {
			r.newest.Store(true)
		}
		if err := tk.Publish(rev); !errors.Is(err, gate.ErrCancelled) && !errors.Is(err, gate.ErrSuperseded) {
			r.found.add(record.Contract, "revision %d of key %d was cancelled, and its publish said %v", rev, r.key, err)
		}
		return nil
	}
	for n := 0; n < 10 && rev%2 == 0 && r.admitted.Load() <= rev; n++ {
		runtime.Gosched() // a delayed winner, or one that will be told that it is late
	}
	newer := r.admitted.Load()
	if err := tk.Publish(rev); err != nil {
		return lost(err)
	}
	r.wins[i].Add(1)
	if newer > rev {
		r.found.add(record.Contract, "revision %d of key %d published after %d had been admitted", rev, r.key, newer)
	}
	if _, now, ok := r.gate.latest(r.key); !ok || now < rev {
		r.found.add(record.Contract, "revision %d of key %d was published, and readers see %d", rev, r.key, now)
	}
	return nil
}

// lost returns the error of a ticket that nobody cancelled, unless a newer one
// was admitted.
func lost(err error) error {
	if errors.Is(err, gate.ErrSuperseded) {
		return nil
	}
	return err
}

// read looks at what is published, which never goes back.
func (r *gateRound) read(stop <-chan struct{}) {
	var last uint64
	for n := 0; n < 200 && r.spin(); n++ {
		value, rev, ok := r.gate.latest(r.key)
		if ok && (value != rev || rev < last) {
			r.found.add(record.Contract, "readers of key %d saw %d of revision %d after revision %d", r.key, value, rev, last)
			return
		}
		last = rev
		select {
		case <-stop:
			return
		default:
		}
	}
}

func (r *gateRound) check() (published int) {
	for i := 1; i <= racing; i++ {
		rev, admits, wins := r.base+uint64(i), r.admits[i].Load(), r.wins[i].Load()
		if admits > 1 || wins > 1 {
			r.found.add(record.Duplicated, "revision %d of key %d was admitted %d times and published %d times", rev, r.key, admits, wins)
		}
		published += int(wins)
		if tk := r.tickets[i].Load(); tk != nil && (*tk).Context().Err() == nil {
			r.found.add(record.Contract, "revision %d of key %d has ended, and its context has not", rev, r.key)
		}
	}
	_, now, _ := r.gate.latest(r.key)
	newest := r.base + racing
	if cancelled := r.newest.Load(); r.admits[racing].Load() != 1 || (now == newest) == cancelled {
		r.found.add(record.Lost, "revision %d of key %d is the newest: admitted %d times, cancelled: %t, and readers see %d",
			newest, r.key, r.admits[racing].Load(), cancelled, now)
	}
	return published
}
