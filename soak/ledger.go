package soak

import (
	"fmt"
	"math/bits"
	"sync/atomic"
)

// Ledger is the exactly-once record: one bit a task. Under the race detector each
// task has a word of its own, since tasks that mark the same word are ordered by it,
// and what a subject leaves unordered between them would not be seen: the detector
// sees through memory, not through time.
type Ledger struct {
	tasks int
	// words hold the bits of perWord tasks each, set once, by the task itself. An Or
	// that finds its bit set has found a task that ran twice.
	words      []atomic.Uint32
	duplicated atomic.Uint64 // ran again
	alien      atomic.Uint64 // never submitted
}

// NewLedger returns a ledger for the tasks 0 to n-1.
func NewLedger(n int) *Ledger {
	return &Ledger{tasks: n, words: make([]atomic.Uint32, (n+perWord-1)/perWord)}
}

// Mark says that task id runs. Any goroutine may call it.
func (l *Ledger) Mark(id int) {
	if id < 0 || id >= l.tasks {
		l.alien.Add(1)
		return
	}
	bit := uint32(1) << (id % perWord)
	if l.words[id/perWord].Or(bit)&bit != 0 {
		l.duplicated.Add(1)
	}
}

// Account is what a ledger shows once no task runs any more.
type Account struct {
	Tasks, Lost, Duplicated, Alien uint64
	FirstLost                      int // the least task that never ran, -1 for none
}

// Account counts. Every word must be all ones, and the last one exactly the
// ones of the tasks that are left for it.
func (l *Ledger) Account() Account {
	a := Account{Tasks: uint64(l.tasks), Duplicated: l.duplicated.Load(), Alien: l.alien.Load(), FirstLost: -1}
	for i := range l.words {
		want := uint32(1<<min(perWord, l.tasks-i*perWord) - 1)
		got := l.words[i].Load()
		if missing := want &^ got; missing != 0 {
			a.Lost += uint64(bits.OnesCount32(missing))
			if a.FirstLost < 0 {
				a.FirstLost = i*perWord + bits.TrailingZeros32(missing)
			}
		}
		a.Alien += uint64(bits.OnesCount32(got &^ want))
	}
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
