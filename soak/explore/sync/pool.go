package sync

import (
	real "sync"

	"github.com/exactlyonce/certify/soak/explore/control"
)

// Pool stands in for the type of sync. It returns what was put last, and drops
// nothing.
type Pool struct {
	loc  control.Loc
	mu   real.Mutex // outside of explorations
	free []any

	New func() any
}

func (p *Pool) Put(x any) {
	if x == nil {
		return
	}
	control.Write(&p.loc)
	p.mu.Lock()
	p.free = append(p.free, x)
	p.mu.Unlock()
	if control.Tracing() {
		control.Note("Put", x)
	}
}

func (p *Pool) Get() any {
	control.Write(&p.loc)
	if x := p.pop(); x != nil {
		return control.Result("Get", x)
	}
	if p.New == nil {
		return nil
	}
	return p.New()
}

func (p *Pool) pop() (x any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		x = p.free[n-1]
		p.free[n-1] = nil
		p.free = p.free[:n-1]
	}
	return x
}
