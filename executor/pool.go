package executor

import "sync"

// pool is the Tasks of the light tasks that are in deques. Each worker keeps some for
// itself; here they go from those who run more than they spawn to the others.
type pool struct {
	limit int // Tasks at most: the capacity, and what workers may keep
	keep  int // what a worker gets and gives back at once

	mu   sync.Mutex
	free []*Task // guarded by mu
	made int     // guarded by mu. Invariant: made <= limit
}

// poolKeep is how many Tasks a worker moves at once: the lock costs each little then.
const poolKeep = 64

func (p *pool) init(c *Config) {
	p.keep = max(1, min(poolKeep, c.Capacity/c.Workers))
	p.limit = c.Capacity + 2*p.keep*c.Workers // so that the capacity is never kept
}

// refill appends some Tasks to dst.
func (p *pool) refill(dst []*Task) []*Task {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := min(p.keep, len(p.free))
	rest := len(p.free) - n
	dst = append(dst, p.free[rest:]...)
	clear(p.free[rest:])
	p.free = p.free[:rest]
	if n == 0 {
		dst = p.make(dst)
	}
	return dst
}

// make appends new ones. mu is held.
func (p *pool) make(dst []*Task) []*Task {
	n := min(p.keep, p.limit-p.made)
	fresh := make([]Task, n)
	for i := range fresh {
		dst = append(dst, &fresh[i])
	}
	p.made += n
	return dst
}

// put takes Tasks back.
func (p *pool) put(ts []*Task) {
	p.mu.Lock()
	p.free = append(p.free, ts...)
	p.mu.Unlock()
}
