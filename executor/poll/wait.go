package poll

import (
	"context"
	"errors"
	"time"

	"github.com/exactlyonce/certify/executor"
)

// After is the time once d has passed since the call. It runs on the runtime's
// timers and takes no goroutine. A d of 0 or less has passed.
func After(d time.Duration) Future[time.Time] {
	return &timer{deadline: time.Now().Add(d), event: new(event)}
}

type timer struct {
	deadline time.Time
	event    *event // apart from the timer, because the runtime keeps it
	timer    *time.Timer
	ended    bool
}

func (t *timer) Poll(c *Context) (none time.Time, _ bool, _ error) {
	if t.ended {
		return failed[time.Time]("after", ErrEnded)
	}
	if now := time.Now(); !now.Before(t.deadline) {
		t.ended = true
		return now, true, nil
	}
	if err := c.check("after"); err != nil {
		return none, false, err
	}
	t.event.over(c) // whether it is, the clock says
	if t.timer == nil {
		t.timer = time.AfterFunc(time.Until(t.deadline), t.event.happen)
	}
	return none, false, nil
}

// Drop stops the runtime's timer.
func (t *timer) Drop() {
	if t.ended = true; t.timer != nil {
		t.timer.Stop()
	}
}

// Until is f, unless ctx ends first: then it fails with context.Cause(ctx) and
// drops f. A ctx that has ended comes before an f that is ready.
func Until[T any](ctx context.Context, f Future[T]) Future[T] {
	if f == nil {
		return refuse[T]("until")
	}
	return &until[T]{ctx: ctx, future: f, end: new(event)}
}

type until[T any] struct {
	ctx    context.Context
	future Future[T] // nil once it was dropped
	end    *event    // of ctx
	stop   func() bool
}

func (u *until[T]) Poll(c *Context) (v T, ready bool, err error) {
	if u.future == nil {
		return failed[T]("until", ErrEnded)
	}
	if err = c.check("until"); err == nil {
		u.watch(c)
		if err = context.Cause(u.ctx); err == nil {
			v, ready, err = u.future.Poll(c)
		}
	}
	if ready || err != nil {
		u.Drop()
	}
	return v, ready, err
}

// watch has c woken when ctx ends. Whether it has is looked at afterwards.
func (u *until[T]) watch(c *Context) {
	u.end.over(c)
	if u.stop == nil {
		u.stop = context.AfterFunc(u.ctx, u.end.happen)
	}
}

// Drop lets go of ctx and drops f.
func (u *until[T]) Drop() {
	if u.stop != nil {
		u.stop()
	}
	if f := u.future; f != nil {
		u.future = nil
		drop(f)
	}
}

// Block polls f on the calling goroutine, which sleeps in between, and returns
// what it ends with, or ctx's error when that ends first. It drops f. Inside a
// task it belongs into executor.Worker.Block.
func Block[T any](ctx context.Context, f Future[T]) (T, error) {
	if f == nil {
		v, _, err := failed[T]("block", ErrNilFuture)
		return v, err
	}
	defer drop(f)
	s := sleeper{make(chan struct{}, 1)}
	c := &Context{ctx: ctx, waker: Waker{&s}}
	for {
		if v, ready, err := f.Poll(c); ready || err != nil {
			return v, err
		}
		select {
		case <-s.permit:
		case <-ctx.Done():
			v, _, err := failed[T]("block", ctx.Err())
			return v, err
		}
	}
}

// sleeper is a goroutine under Block.
type sleeper struct{ permit chan struct{} } // one permit, kept when early

func (s *sleeper) wake() {
	select {
	case s.permit <- struct{}{}:
	default:
	}
}

// Of is the result of the task of h, which runs on by itself: dropping the
// future does not cancel it. It may be a task of any executor. While it waits it
// takes a goroutine.
func Of[T any](h *executor.Handle[T]) Future[T] {
	if h == nil {
		return refuse[T]("of")
	}
	return &of[T]{h, newReceive("of", h.Done())}
}

type of[T any] struct {
	handle *executor.Handle[T]
	done   *receive[struct{}]
}

func (o *of[T]) Poll(c *Context) (none T, _ bool, _ error) {
	if _, _, err := o.done.Poll(c); !errors.Is(err, ErrClosed) {
		return none, false, err // nil: not yet
	}
	v, err := o.handle.Wait(context.Background()) // it has ended
	return v, err == nil, err
}

func (o *of[T]) Drop() { o.done.Drop() }
