package executor

import (
	"container/list"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// line is where submitters wait, oldest first, for one sort of room: slots, places in a
// bounded injector, or where light tasks enter. Each place that is freed wakes one.
//
//	submitter                             who frees a place
//	1. stand in the line                  1. free the place
//	2. try; if that ends it, leave        2. load length; if any stand there, take
//	3. sleep; once woken, which takes        the first out and wake it
//	   it out of the line, go on at 1,
//	   but at the head
//
// Of two steps 1 and two steps 2 at least one sees the other's, so nobody waits beside
// room. A wake is never lost: who gets one and does not try after it, because it had what
// it wants or its context has ended, passes it on. After a try that fails it need not:
// somebody who did not wait was faster, and will free the place.
//
// Who has got in lets others run before it goes on. The runtime lets two goroutines that
// wake each other, as a worker and a submitter do here, keep a processor for 10 ms, while
// other submitters that can run wait behind them: 15 to 20 ms, and 0.1 to 0.8 like this.
type line struct {
	length atomic.Int64 // of waiters; written under mu, read by who frees

	// again, if it is not 0, is how often the head looks unasked, for room that wakes
	// nobody yet. The head that leaves wakes the next, to look in its place.
	again time.Duration

	mu      sync.Mutex
	waiters list.List // guarded by mu; of *waiter
}

// waiter is a submitter. It belongs to its goroutine but for place.
type waiter struct {
	woken chan struct{}
	place *list.Element // guarded by the line's mu; nil once it was taken out
}

// freed is the other side's step 2, for n places.
func (l *line) freed(n int) {
	for ; n > 0 && l.length.Load() > 0; n-- {
		l.wake()
	}
}

// wake takes the head out and wakes it.
func (l *line) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if first := l.waiters.Front(); first != nil {
		l.remove(first.Value.(*waiter)).woken <- struct{}{} // never full: see stand
	}
}

// disperse wakes all.
func (l *line) disperse() {
	for l.length.Load() > 0 {
		l.wake()
	}
}

// wait calls try until it returns true, sleeping between, or returns ctx's error.
func (l *line) wait(ctx context.Context, try func() bool) error {
	w := &waiter{woken: make(chan struct{}, 1)}
	for l.stand(w, false); ; l.stand(w, true) { // 1
		if try() { // 2
			l.leave(w)
			runtime.Gosched()
			return nil
		}
		l.sleep(ctx, w) // 3
		if err := ctx.Err(); err != nil {
			l.leave(w)
			return err
		}
	}
}

// stand puts w into the line, if it is not there. A wake that it has got is for the try
// that follows.
func (l *line) stand(w *waiter, head bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.place != nil {
		return
	}
	select {
	case <-w.woken:
	default:
	}
	if head {
		w.place = l.waiters.PushFront(w)
	} else {
		w.place = l.waiters.PushBack(w)
	}
	l.length.Add(1) // makes it visible; pairs with the load in freed
}

// remove takes w out. mu is held.
func (l *line) remove(w *waiter) *waiter {
	l.waiters.Remove(w.place)
	w.place = nil
	l.length.Add(-1)
	return w
}

// leave takes w out for good, and passes on the wake that it has got, or what it was to
// look for.
func (l *line) leave(w *waiter) {
	l.mu.Lock()
	next := w.place == nil || l.again > 0 && w.place.Prev() == nil
	if w.place != nil {
		l.remove(w)
	}
	l.mu.Unlock()
	if next {
		l.freed(1)
	}
}

// sleep returns when w was woken, is to look unasked, or ctx has ended.
func (l *line) sleep(ctx context.Context, w *waiter) {
	var look <-chan time.Time
	if l.again > 0 && l.first(w) {
		timer := time.NewTimer(l.again)
		defer timer.Stop()
		look = timer.C
	}
	select {
	case <-w.woken:
	case <-look:
	case <-ctx.Done():
	}
}

// first tells whether w is the head.
func (l *line) first(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return w.place != nil && w.place.Prev() == nil
}
