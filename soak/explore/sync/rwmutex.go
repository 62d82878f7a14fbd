package sync

import (
	real "sync"

	"github.com/exactlyonce/certify/soak/explore/control"
)

// The bits of a RWMutex's gate. As in the real one, a writer that waits for
// readers keeps new ones out.
const (
	readersOut = 1 << iota // a writer has the lock or waits for readers
	writersOut             // likewise
	readersIn              // there are readers
)

// RWMutex stands in for the type of sync.
type RWMutex struct {
	gate    control.Gate
	readers int // while readersIn; the threads of an exploration only
	mu      real.RWMutex
}

func (rw *RWMutex) Lock() {
	t := control.Running()
	if t == nil {
		rw.mu.Lock()
		return
	}
	t.Pass(&rw.gate, control.KindWrite, writersOut, "to lock a RWMutex")
	if control.Tracing() {
		control.Note("Lock")
	}
	rw.gate.Shut(readersOut | writersOut)
	if rw.gate.IsShut(readersIn) {
		t.Pass(&rw.gate, control.KindWrite, readersIn, "for readers of a RWMutex")
		if control.Tracing() {
			control.Note("Lock, no readers left")
		}
	}
}

func (rw *RWMutex) TryLock() (ok bool) {
	t := control.Running()
	if t == nil {
		return rw.mu.TryLock()
	}
	t.Access(&rw.gate, control.KindUpdate)
	ok = !rw.gate.IsShut(writersOut | readersIn)
	control.Updated(t, ok)
	if ok {
		rw.gate.Shut(readersOut | writersOut)
	}
	return control.Result("TryLock", ok)
}

func (rw *RWMutex) Unlock() {
	t := control.Running()
	if t == nil {
		rw.mu.Unlock()
		return
	}
	t.Access(&rw.gate, control.KindWrite)
	if !rw.gate.IsShut(writersOut) {
		t.Fatal("sync: Unlock of unlocked RWMutex")
	}
	rw.gate.Open(readersOut | writersOut)
	if control.Tracing() {
		control.Note("Unlock")
	}
}

func (rw *RWMutex) RLock() {
	t := control.Running()
	if t == nil {
		rw.mu.RLock()
		return
	}
	t.Pass(&rw.gate, control.KindWrite, readersOut, "to read-lock a RWMutex")
	rw.enter()
	if control.Tracing() {
		control.Note("RLock")
	}
}

// enter adds a reader.
func (rw *RWMutex) enter() {
	if !rw.gate.IsShut(readersIn) {
		rw.readers = 0 // whatever an earlier execution left
	}
	rw.readers++
	rw.gate.Shut(readersIn)
}

func (rw *RWMutex) TryRLock() (ok bool) {
	t := control.Running()
	if t == nil {
		return rw.mu.TryRLock()
	}
	t.Access(&rw.gate, control.KindUpdate)
	ok = !rw.gate.IsShut(readersOut)
	control.Updated(t, ok)
	if ok {
		rw.enter()
	}
	return control.Result("TryRLock", ok)
}

func (rw *RWMutex) RUnlock() {
	t := control.Running()
	if t == nil {
		rw.mu.RUnlock()
		return
	}
	t.Access(&rw.gate, control.KindWrite)
	if !rw.gate.IsShut(readersIn) {
		t.Fatal("sync: RUnlock of unlocked RWMutex")
	}
	if rw.readers--; rw.readers == 0 {
		rw.gate.Open(readersIn)
	}
	if control.Tracing() {
		control.Note("RUnlock")
	}
}

// RLocker returns a Locker whose methods are RLock and RUnlock.
func (rw *RWMutex) RLocker() Locker { return (*rlocker)(rw) }

type rlocker RWMutex

func (r *rlocker) Lock()   { (*RWMutex)(r).RLock() }
func (r *rlocker) Unlock() { (*RWMutex)(r).RUnlock() }
