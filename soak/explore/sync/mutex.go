package sync

import (
	real "sync"

	"github.com/exactlyonce/certify/soak/explore/control"
)

// A Locker can be locked and unlocked.
type Locker = real.Locker

// locked is the bit of a gate that is shut while somebody has the lock.
const locked = 1

// Mutex stands in for the type of sync.
type Mutex struct {
	gate control.Gate // locked: what the threads of an exploration see
	mu   real.Mutex   // what everybody else sees; gate follows it
}

func (m *Mutex) Lock() {
	if t := control.Running(); t != nil {
		t.Pass(&m.gate, control.KindWrite, locked, "to lock a mutex")
		if control.Tracing() {
			control.Note("Lock")
		}
	} else {
		m.mu.Lock()
	}
	m.gate.Shut(locked)
}

func (m *Mutex) TryLock() (ok bool) {
	if t := control.Running(); t != nil {
		t.Access(&m.gate, control.KindUpdate)
		ok = !m.gate.IsShut(locked)
		control.Updated(t, ok)
		if control.Tracing() {
			control.Note("TryLock", ok)
		}
	} else {
		ok = m.mu.TryLock()
	}
	if ok {
		m.gate.Shut(locked)
	}
	return ok
}

func (m *Mutex) Unlock() {
	t := control.Running()
	if t == nil {
		m.gate.Open(locked)
		m.mu.TryLock() // a thread of an exploration may have locked it
		m.mu.Unlock()
		return
	}
	t.Access(&m.gate, control.KindWrite)
	if control.Tracing() {
		control.Note("Unlock")
	}
	if !m.gate.IsShut(locked) {
		t.Fatal("sync: unlock of unlocked mutex")
	}
	m.gate.Open(locked)
	m.mu.TryLock() // the code that made the state may have locked it
	m.mu.Unlock()
}
