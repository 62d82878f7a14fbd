package bench

import "runtime"

// tally is what one goroutine has seen in a run. It belongs to that goroutine
// from the barrier until it is done, and then to the arm.
type tally struct {
	count int    // items taken
	sum   uint64 // of their marks
	toil  uint64 // keeps the work from being optimized away

	alien    int // items that are nil
	misses   int
	refusals int
	retries  int

	_ [64]byte // the next tally is on another cache line
}

func (t *tally) take(v *Item) {
	if v == nil {
		t.alien++
		return
	}
	t.count++
	t.sum += v.mark
}

func (t *tally) work(steps int) {
	if steps > 0 {
		t.toil = toil(t.toil|1, steps)
	}
}

func (t *tally) add(o *tally) {
	t.count += o.count
	t.sum += o.sum
	t.alien += o.alien
	t.misses += o.misses
	t.refusals += o.refusals
	t.retries += o.retries
}

// patience is how often one tries again before letting others run.
const patience = 8

// yields lets others run when tries in a row have failed too often.
func yields(tries int) {
	if tries > patience {
		runtime.Gosched()
	}
}
