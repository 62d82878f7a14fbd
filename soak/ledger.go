package soak

import (
	"fmt"
	"sync/atomic"
)

// Ledger is the exactly-once record: a mark a task. Tasks that it orders among
// themselves could hide a race of their subject: see the two kinds of marks.
type Ledger struct {
	tasks      int
	marks      marks
	duplicated atomic.Uint64 // ran again
	alien      atomic.Uint64 // never submitted
}

// NewLedger returns a ledger for the tasks 0 to n-1.
func NewLedger(n int) *Ledger { return &Ledger{tasks: n, marks: newMarks(n)} }

// Mark says that task id runs. Any goroutine may call it, but under the race detector
// two calls for one id at once are a data race.
func (l *Ledger) Mark(id int) {
	switch {
	case id < 0 || id >= l.tasks:
		l.alien.Add(1)
	case l.marks.set(id):
		l.duplicated.Add(1)
	}
}

// Account is what a ledger shows once no task runs any more.
type Account struct {
	Tasks, Lost, Duplicated, Alien uint64
	FirstLost                      int // the least task that never ran, -1 for none
}

// Account counts. Each task must have its mark.
func (l *Ledger) Account() Account {
	a := Account{Tasks: uint64(l.tasks), Duplicated: l.duplicated.Load(), Alien: l.alien.Load()}
	a.Lost, a.FirstLost = l.marks.lost(l.tasks)
	return a
}

// Clean tells whether every task ran exactly once.
func (a Account) Clean() bool { return a.Lost == 0 && a.Duplicated == 0 && a.Alien == 0 }

func (a Account) String() string {
	s := fmt.Sprintf("%d tasks: %d lost, %d duplicated, %d alien", a.Tasks, a.Lost, a.Duplicated, a.Alien)
	if a.FirstLost >= 0 {
		s += fmt.Sprintf(", the first lost is task %d", a.FirstLost)
	}
	return s
}
