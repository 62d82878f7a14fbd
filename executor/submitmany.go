package executor

import "context"

// submitMany submits tasks in order, and returns how many were accepted: fewer than
// all only with an error.
func (e *Executor) submitMany(ctx context.Context, heads []*head) (n int, err error) {
	for n < len(heads) {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		pushed, err := e.trySubmitMany(heads[n:min(len(heads), n+batchMax)])
		n += pushed
		switch {
		case err != nil:
			return n, err
		case pushed > 0:
			continue
		}
		if err := e.submit(ctx, heads[n]); err != nil { // which waits for room
			return n, err
		}
		n++
	}
	return n, nil
}

// trySubmitMany is trySubmit for at most batchMax tasks, and returns for how many there
// was room.
func (e *Executor) trySubmitMany(heads []*head) (n int, err error) {
	if !e.outside.enter() {
		return 0, ErrShutdown
	}
	defer e.outside.exit()
	var batch [batchMax]*Task
	at := place{word: e.outside.place.Load()}
	slab, taken := e.slots(), 0
	for ; taken < len(heads); taken++ {
		t := slab.take(&at, heads[taken])
		if t == nil {
			break
		}
		batch[taken] = &t.Task
	}
	e.outside.place.Store(at.word)
	e.outside.submitted.Add(uint64(taken)) // before a worker can end one
	n = e.intake.normal.PushAll(batch[:taken])
	if refused := taken - n; refused > 0 {
		e.outside.submitted.Add(-uint64(refused))
	}
	for _, h := range heads[n:taken] { // by a bounded injector
		_ = e.refuse(h, ErrSaturated)
		h.task = nil
	}
	if n > 0 {
		e.published()
	}
	return n, nil
}
