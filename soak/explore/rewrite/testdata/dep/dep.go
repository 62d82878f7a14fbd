// Package dep is a dependency in a module of its own.
package dep

import "sync"

// Guarded is a number with a lock that the user sees.
type Guarded struct {
	Mu *sync.Mutex
	N  int
}

// Add adds n under the lock.
func (g *Guarded) Add(n int) {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	g.N += n
}
