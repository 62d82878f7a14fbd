package executor

// StartAt makes e go on as if n tasks of each sort had been given and had completed.
func StartAt(e *Executor, n uint64) {
	e.outside.submitted.Store(n)
	e.light.mu.Lock()
	e.light.submitted = n
	e.light.mu.Unlock()
	e.workers[0].n.spawned.Store(n)
	e.workers[0].n.completed.Store(3 * n)
	for _, w := range e.workers {
		for _, c := range []interface{ Store(uint64) }{&w.n.injected, &w.n.parks, &w.n.wakes, &w.n.steals, &w.n.stolen} {
			c.Store(n)
		}
	}
}
