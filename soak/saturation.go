package soak

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/exactlyonce/certify/reports/record"
)

const (
	saturators   = 4 // goroutines that submit
	childrenEach = 3 // of every other task
)

// offer is one task that saturation tries to submit.
type offer struct {
	task Task
	err  error
	gone bool  // its context had ended before
	ran  int32 // plain, and read after Wait
	more atomic.Int32
}

// saturation: more submitters than room, at the least capacities. Accepted runs
// exactly once, refused never; a context that has ended is refused always;
// a spawn with no room left runs in place.
func (t *trial) saturation() {
	var accepted, full, given int
	turn := 0
	t.batches(func(base, n int) {
		pool := t.open(Options{Workers: t.spec.Workers, Capacity: []int{1, 2, 7, 64}[turn%4]})
		turn++
		offers := make([]offer, n)
		var crew sync.WaitGroup
		for s := range saturators {
			rng := rand.New(rand.NewPCG(t.spec.Seed, uint64(base*saturators+s)))
			crew.Go(func() {
				for i := s; i < n; i += saturators {
					t.offer(pool, &offers[i], base+i, rng)
				}
			})
		}
		crew.Wait()
		for i := range offers {
			t.checkOffer(base+i, &offers[i])
			switch o := &offers[i]; {
			case o.task != nil:
				accepted++
			case errors.Is(o.err, ErrSaturated):
				full++
			default:
				given++
			}
		}
		t.shut(pool) // when the children have run too
		t.checkQuiet(base)
		t.checkRefused(base, offers)
	})
	t.value("accepted", float64(accepted))
	t.value("saturated", float64(full))
	t.value("gave-up", float64(given))
}

func (t *trial) offer(pool Tasks, o *offer, id int, rng *rand.Rand) {
	body := func(in Inside) (int, error) {
		o.ran++
		t.strike(id)
		if id%2 == 0 { // most of these find no room
			for range childrenEach {
				in.Spawn(func(Inside) (int, error) { o.more.Add(1); return 0, nil })
			}
		}
		return id, nil
	}
	ctx := context.Background()
	switch rng.IntN(4) {
	case 0:
		o.task, o.err = pool.TrySubmit(body)
		return
	case 1: // ends while it waits, or before, or not in time
		c, cancel := context.WithCancel(ctx)
		ctx, o.gone = c, rng.IntN(2) == 0
		if o.gone {
			cancel()
		} else {
			go func() { runtime.Gosched(); cancel() }()
		}
	}
	o.task, o.err = pool.Submit(ctx, body)
}

func (t *trial) checkOffer(id int, o *offer) {
	if o.task == nil {
		if !errors.Is(o.err, ErrSaturated) && !errors.Is(o.err, context.Canceled) {
			t.found.add(record.Contract, "task %d was refused with %v", id, o.err)
		}
		return
	}
	e := waitFor(o.task)
	switch {
	case o.gone:
		t.found.add(record.Contract, "task %d was accepted though its context had ended", id)
	case e.err != nil || e.value != id:
		t.found.add(record.Contract, "the handle of task %d returned %d, %v", id, e.value, e.err)
	case o.ran != 1:
		t.found.add(record.Duplicated, "task %d ran %d times", id, o.ran)
	}
}

// checkRefused looks once nothing can run any more.
func (t *trial) checkRefused(base int, offers []offer) {
	for i := range offers {
		o, id := &offers[i], base+i
		more := 0
		if o.task != nil && id%2 == 0 {
			more = childrenEach
		}
		if o.task == nil && o.ran != 0 {
			t.found.add(record.Duplicated, "task %d was refused with %v, and ran", id, o.err)
		}
		if got := int(o.more.Load()); got != more {
			t.found.add(record.Lost, "the children of task %d ran %d times, want %d", id, got, more)
		}
	}
}
