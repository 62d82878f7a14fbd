package epoch

import "sync/atomic"

// depot is where slots that retire leave batches for slots that allocate. A
// goroutine that finds a cell busy goes on to the next one and never waits.
type depot[N any] []cell[N]

// cell holds one batch, or none.
//
//	       put: CAS           put: Store
//	empty ---------> busy ----------------> full
//	  ^                                      |
//	  +--------------- busy <----------------+
//	     take: Store           take: CAS
type cell[N any] struct {
	// state is written by anybody along the arrows above; whoever made it
	// busy owns batch until it stores the next state, which publishes it.
	state atomic.Uint32
	batch []*N

	_ [128]byte // goroutines at neighbouring cells
}

const (
	empty uint32 = iota // batch is all nil; left by put
	busy                // one goroutine is copying; left by that goroutine
	full                // batch is all objects; left by take
)

func newDepot[N any](cells, batch int) depot[N] {
	p := make(depot[N], cells)
	for i := range p {
		p[i].batch = make([]*N, batch)
	}
	return p
}

// put copies a whole batch into an empty cell. It returns false if none is.
func (p depot[N]) put(batch []*N) bool {
	c := p.claim(empty)
	if c == nil {
		return false
	}
	copy(c.batch, batch)
	c.state.Store(full)
	return true
}

// take appends the batch of a full cell to free, if one is full.
func (p depot[N]) take(free []*N) []*N {
	c := p.claim(full)
	if c == nil {
		return free
	}
	free = append(free, c.batch...)
	clear(c.batch)
	c.state.Store(empty)
	return free
}

// claim makes a cell that is in state from busy and the caller's.
func (p depot[N]) claim(from uint32) *cell[N] {
	for i := range p {
		c := &p[i]
		if c.state.Load() == from && c.state.CompareAndSwap(from, busy) {
			return c
		}
	}
	return nil
}
