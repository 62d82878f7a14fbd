package executor

import (
	"context"
	"sync"
	"sync/atomic"
)

// room is where submitters wait for a free slot, and for room in a bounded
// injector.
//
//	submitter                            who frees a slot, or takes a task
//	                                     from a bounded injector
//	1. count itself as waiting           1. free the slot, or take the task
//	2. try to submit; no room: wait      2. load waiting; if any, change the
//	   for the turn to change               turn and wake all
//
// Of two steps 1 and two steps 2 at least one sees the other's, so nobody
// waits beside room.
type room struct {
	waiting atomic.Int64 // submitters between their steps 1 and their return

	mu   sync.Mutex
	cond sync.Cond
	turn uint64 // guarded by mu; changes with every step 2 that found waiters
}

func (r *room) init() { r.cond.L = &r.mu }

// changed is the other side's step 2.
func (r *room) changed() {
	if r.waiting.Load() > 0 {
		r.turnOver()
	}
}

func (r *room) turnOver() {
	r.mu.Lock()
	r.turn++
	r.mu.Unlock()
	r.cond.Broadcast()
}

// wait calls try until it returns true, sleeping between changes, or returns
// ctx's error.
func (r *room) wait(ctx context.Context, try func() bool) error {
	r.waiting.Add(1) // 1
	defer r.waiting.Add(-1)
	stop := context.AfterFunc(ctx, r.turnOver)
	defer stop()
	for {
		r.mu.Lock()
		turn := r.turn
		r.mu.Unlock()
		if err := ctx.Err(); err != nil {
			return err
		}
		if try() { // 2
			return nil
		}
		r.mu.Lock()
		for r.turn == turn {
			r.cond.Wait()
		}
		r.mu.Unlock()
	}
}
