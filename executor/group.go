package executor

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// Group is light tasks that are waited for together. It may be used again after a
// Wait. Its methods may be called from any goroutine, Spawn by a task.
type Group struct {
	exec  *Executor
	alone bool // the group of those that are in none

	_ [104]byte
	// pending is how many tasks have not ended, or have and it was not told: see
	// lights. Submitters and workers add, workers subtract; who makes it 0 wakes
	// those who wait. To be 0 publishes all that the tasks have done.
	pending atomic.Int64
	_       [120]byte // workers that settle, and those who wait

	// waiting is how many wait, written under light.mu: see light.expect.
	waiting int

	mu   sync.Mutex
	cond sync.Cond
	err  error // guarded by mu; the first failure since the last Wait
	more int   // guarded by mu; how many failed after it
}

// NewGroup returns a group of tasks of e.
func NewGroup(e *Executor) *Group {
	g := &Group{exec: e}
	g.cond.L = &g.mu
	return g
}

// Go is [Executor.Go] for a task of the group.
func (g *Group) Go(fn Func, arg any) error {
	l := &g.exec.light
	err := l.enter(g, fn, arg)
	if err == ErrSaturated {
		_ = l.room.wait(context.Background(), func() bool {
			err = l.enter(g, fn, arg)
			return err != ErrSaturated
		})
	}
	if err != nil {
		return fmt.Errorf("executor: go: %w", err)
	}
	return nil
}

// TryGo is Go that returns ErrSaturated instead of waiting.
func (g *Group) TryGo(fn Func, arg any) error {
	if err := g.exec.light.enter(g, fn, arg); err != nil {
		return fmt.Errorf("executor: go: %w", err)
	}
	return nil
}

// GoAll gives a task for each of args, in order, under one lock and with one wake
// while there is room. It returns how many were accepted, which is fewer only with an
// error.
func (g *Group) GoAll(fn Func, args []any) (n int, err error) {
	l := &g.exec.light
	enter := func() bool { // as much as there is room for
		var entered int
		entered, err = l.enterAll(g, fn, args[n:])
		n += entered
		return err != ErrSaturated
	}
	for n < len(args) {
		if !enter() {
			_ = l.room.wait(context.Background(), enter)
		}
		if err != nil {
			return n, fmt.Errorf("executor: go: %d of %d: %w", n, len(args), err)
		}
	}
	return n, nil
}

// Spawn is [Worker.Go] for a task of the group. A nil fn is a task that fails with
// ErrNilTask.
func (g *Group) Spawn(w *Worker, fn Func, arg any) {
	if fn == nil {
		g.fail(fmt.Errorf("executor: go: %w", ErrNilTask))
		return
	}
	w.spawnLight(g, fn, arg)
}

// Wait returns when no task of the group is left, or with ctx's error when that ends
// first. Its error is else that of the first task that failed since the last Wait, a
// *PanicError, ErrGoexit, or ErrStopped. A task of the group must not call it; another
// task gives its place away meanwhile.
func (g *Group) Wait(ctx context.Context) error {
	if g.pending.Load() != 0 {
		if err := g.wait(ctx); err != nil {
			return fmt.Errorf("executor: wait: %w", err)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	err, more := g.err, g.more
	g.err, g.more = nil, 0
	if more > 0 {
		return fmt.Errorf("%w, and %d tasks more failed", err, more)
	}
	return err
}

func (g *Group) wait(ctx context.Context) error {
	g.exec.light.waits(g, 1)
	defer g.exec.light.waits(g, -1)
	if soon(func() bool { return g.pending.Load() == 0 }) {
		return nil
	}
	if w := g.exec.current(); w != nil {
		w.standIn() // which settles
	}
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, g.recheck)
		defer stop()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.pending.Load() != 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		g.cond.Wait()
	}
	return nil
}

// recheck wakes those who wait. Taking mu first means that each is before its look at
// pending or asleep.
func (g *Group) recheck() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cond.Broadcast()
}

// expect says that n tasks more will finish.
func (g *Group) expect(n int64) {
	if !g.alone {
		g.pending.Add(n)
	}
}

// finish says that n have, which publishes what they did.
func (g *Group) finish(n int64) {
	if !g.alone && n > 0 && g.pending.Add(-n) == 0 {
		g.recheck()
	}
}

// fail keeps what a task ended with.
func (g *Group) fail(err error) {
	if g.alone {
		g.exec.unhandled(err)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil {
		g.err = err
	} else {
		g.more++
	}
}

// unhandled is where the failures of tasks without a group go.
func (e *Executor) unhandled(err error) {
	if f := e.cfg.Unhandled; f != nil {
		f(err)
		return
	}
	if p, ok := err.(*PanicError); ok {
		fmt.Fprintf(os.Stderr, "%v\n%s\n", err, p.Stack)
	}
}
