package gate

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// Gate admits work by key and revision. It is safe for any goroutine. It
// remembers every key until Forget.
type Gate[K comparable, V any] struct {
	step step // set by tests before first use

	mu      sync.RWMutex
	entries map[K]*entry[V] // guarded by mu
}

// entry is what is kept of a key.
type entry[V any] struct {
	word   word
	latest atomic.Pointer[value[V]] // only replaced by newer revisions
	// ticket is that of the word's revision until it has ended, else nil.
	// Guarded by the gate's mu.
	ticket ender
}

// value is one that was published. It is not changed.
type value[V any] struct {
	rev uint64
	v   V
}

// ender is a ticket of any key type.
type ender interface{ end(cause error) }

// New returns a gate without keys.
func New[K comparable, V any]() *Gate[K, V] {
	return &Gate[K, V]{entries: map[K]*entry[V]{}}
}

// Admit makes rev the newest revision of key and supersedes the one before.
// The ticket's context is ctx's child, and when ctx ends the ticket is
// cancelled. The error is ErrDuplicateRevision, ErrStaleRevision,
// ErrRevisionRange (0 too), or ctx's if that has ended already; then nothing
// has changed.
func (g *Gate[K, V]) Admit(ctx context.Context, key K, rev uint64) (*Ticket[K, V], error) {
	err := ctx.Err()
	if rev == 0 || rev > MaxRevision {
		err = ErrRevisionRange
	}
	if err != nil {
		return nil, fmt.Errorf("gate: admit revision %d: %w", rev, err)
	}
	t := &Ticket[K, V]{gate: g, rev: rev}
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	older, err := g.admit(key, t)
	if err != nil {
		t.cancel(nil)
		return nil, fmt.Errorf("gate: admit revision %d: %w", rev, err)
	}
	if older != nil {
		older.end(ErrSuperseded)
	}
	t.follow(ctx)
	return t, nil
}

// admit returns the ticket that t replaces. Admissions of a key come one
// after the other; what else acts on the word does not wait for them.
func (g *Gate[K, V]) admit(key K, t *Ticket[K, V]) (older ender, err error) {
	defer g.step.at(unlock)
	g.step.at(lock)
	g.mu.Lock()
	defer g.mu.Unlock()
	e := g.entries[key]
	if e == nil {
		e = new(entry[V])
		g.entries[key] = e
	}
	if err := e.word.admit(t.rev, g.step); err != nil {
		return nil, err
	}
	older, t.entry, e.ticket = e.ticket, e, t
	return older, nil
}

// Latest returns what was published last for key, and its revision. What a
// reader sees of a key never goes back to an older revision, unless the key is
// forgotten.
func (g *Gate[K, V]) Latest(key K) (v V, rev uint64, ok bool) {
	if e := g.find(key); e != nil {
		g.step.at(load)
		if p := e.latest.Load(); p != nil {
			return p.v, p.rev, true
		}
	}
	return v, 0, false
}

func (g *Gate[K, V]) find(key K) *entry[V] {
	defer g.step.at(unlock)
	g.step.at(lock)
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.entries[key]
}

// Forget drops all that is kept of key, which begins anew: any revision is
// admitted next. A ticket from before can do nothing any more; its context
// ends with ErrForgotten.
func (g *Gate[K, V]) Forget(key K) {
	if t := g.forget(key); t != nil {
		t.end(ErrForgotten)
	}
}

func (g *Gate[K, V]) forget(key K) ender {
	defer g.step.at(unlock)
	g.step.at(lock)
	g.mu.Lock()
	defer g.mu.Unlock()
	e := g.entries[key]
	if e == nil {
		return nil
	}
	delete(g.entries, key)
	e.word.forget()
	t := e.ticket
	e.ticket = nil
	return t
}

// advance makes p what readers see, unless that is newer already: a winner
// may be late with this step.
func (e *entry[V]) advance(p *value[V], step step) {
	for {
		step.at(load)
		old := e.latest.Load()
		if old != nil && old.rev > p.rev {
			return
		}
		step.at(swap)
		if e.latest.CompareAndSwap(old, p) {
			return
		}
	}
}
