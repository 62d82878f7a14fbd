package executor

import "sync"

// parker lets one worker sleep until it is woken. It holds one permit: a wake
// that comes before the sleep is kept, several are one. There is no timeout,
// which would only hide a lost wake.
type parker struct {
	mu     sync.Mutex
	cond   sync.Cond
	permit bool // guarded by mu; set by unpark, taken by park
}

func (p *parker) init() { p.cond.L = &p.mu }

// park waits for a permit and takes it.
func (p *parker) park() {
	p.mu.Lock()
	for !p.permit {
		p.cond.Wait()
	}
	p.permit = false
	p.mu.Unlock()
}

// unpark gives the permit.
func (p *parker) unpark() {
	p.mu.Lock()
	p.permit = true
	p.mu.Unlock()
	p.cond.Signal()
}
