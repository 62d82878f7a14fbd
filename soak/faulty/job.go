package faulty

import (
	"context"

	"github.com/exactlyonce/certify/soak"
)

func (j *job) wake() {
	p := j.p
	p.mu.Lock()
	defer p.mu.Unlock()
	switch j.state {
	case running:
		if p.faults.doubleWake {
			p.enqueue(j)
		} else if !p.faults.loseWake {
			j.state = notified
		}
	case idle:
		p.enqueue(j)
	}
}

func (j *job) Cancel(cause error) bool {
	p := j.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if j.state == over || j.cancelled != nil {
		return p.faults.bothTold && j.cancelled != nil
	}
	j.cancelled = cause
	j.cancel(cause)
	switch {
	case j.state == queued && p.faults.runCancelled:
		p.end(j)
		j.state = queued // and stays in the queue
		p.stored++
		p.ended--
	case j.state == queued || j.state == idle || p.faults.resolveEarly:
		p.end(j)
	}
	return true
}

func (j *job) Wait(ctx context.Context) (int, error) {
	p := j.p
	defer context.AfterFunc(ctx, p.changed)()
	p.mu.Lock()
	defer p.mu.Unlock()
	if j.state != over && p.helps() {
		if p.faults.waiterRunsAny {
			for len(p.queue) > 0 && j.state != over {
				other := p.queue[0]
				p.queue = p.queue[1:]
				if other.state == queued {
					p.run(other, -1)
				}
			}
		}
		if j.state == queued && j.poll == nil {
			p.run(j, -1)
		}
		waiting := true
		defer func() { waiting = false }()
		p.start(-1, func() bool { return !waiting })
	}
	for j.state != over && ctx.Err() == nil {
		p.cond.Wait()
	}
	defer p.cond.Broadcast() // to the helper
	if j.state != over {
		return 0, ctx.Err()
	}
	return j.value, j.err
}

func (p *crew) changed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cond.Broadcast()
}

type crewInside struct {
	j      *job
	worker int
}

func (in crewInside) Worker() int              { return in.worker }
func (in crewInside) Context() context.Context { return in.j.ctx }

func (in crewInside) Spawn(body soak.Body) soak.Task {
	p := in.j.p
	p.mu.Lock()
	defer p.mu.Unlock()
	full := p.stored >= p.capacity
	j := p.accept(&job{body: body})
	switch {
	case full && p.faults.dropWhenFull:
		p.end(j)
	case full:
		p.queue = p.queue[:len(p.queue)-1] // it runs at once instead
		p.run(j, -1)
	}
	return j
}

// Block gives the queue to a helper meanwhile.
func (in crewInside) Block(wait func()) {
	p := in.j.p
	waiting := true
	p.mu.Lock()
	p.start(-1, func() bool { return !waiting })
	p.mu.Unlock()
	wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting = false
	p.cond.Broadcast()
}
