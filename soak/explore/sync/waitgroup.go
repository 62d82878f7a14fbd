package sync

import (
	real "sync"

	"github.com/exactlyonce/certify/soak/explore/control"
)

// busy is the bit of a WaitGroup's gate that is shut while its counter is not
// zero.
const busy = 1

// WaitGroup stands in for the type of sync.
type WaitGroup struct {
	gate control.Gate
	mu   real.Mutex // of what follows, outside of explorations
	n    int
	zero chan struct{} // closed when n becomes 0; nil when nobody waits
}

func (wg *WaitGroup) Add(delta int) {
	t := control.Running()
	if t == nil {
		wg.mu.Lock()
		defer wg.mu.Unlock()
		wg.count(delta)
		return
	}
	t.Access(&wg.gate, control.KindUpdate)
	misused := delta > 0 && !wg.gate.IsShut(busy) && t.Unordered(&wg.gate)
	control.Updated(t, true)
	if misused {
		panic("sync: WaitGroup misuse: Add called concurrently with Wait")
	}
	if !wg.gate.IsShut(busy) {
		wg.n = 0 // whatever an earlier execution left
	}
	wg.count(delta)
	if control.Tracing() {
		control.Note("Add", delta, wg.n)
	}
}

func (wg *WaitGroup) count(delta int) {
	wg.n += delta
	switch {
	case wg.n < 0:
		panic("sync: negative WaitGroup counter")
	case wg.n > 0:
		wg.gate.Shut(busy)
		return
	}
	wg.gate.Open(busy)
	if wg.zero != nil {
		close(wg.zero)
		wg.zero = nil
	}
}

func (wg *WaitGroup) Done() { wg.Add(-1) }

func (wg *WaitGroup) Wait() {
	t := control.Running()
	if t == nil {
		wg.waitOutside()
		return
	}
	t.Pass(&wg.gate, control.KindRead, busy, "for a WaitGroup")
	if control.Tracing() {
		control.Note("Wait")
	}
}

func (wg *WaitGroup) waitOutside() {
	wg.mu.Lock()
	if wg.n > 0 && wg.zero == nil {
		wg.zero = make(chan struct{})
	}
	zero := wg.zero
	wg.mu.Unlock()
	if zero != nil {
		<-zero
	}
}

// Go calls f in a new goroutine, or thread, and counts it.
func (wg *WaitGroup) Go(f func()) {
	wg.Add(1)
	run := func() {
		defer wg.Done()
		f()
	}
	if !control.Go(run) {
		go run()
	}
}
