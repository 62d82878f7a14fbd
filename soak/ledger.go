package soak

import (
	"fmt"
	"math/bits"
	"sync/atomic"
)

// Ledger is the exactly-once record: one bit a task.
type Ledger struct {
	tasks int
	// words hold a bit a task, set once, by the task itself. An Or that finds
	// its bit set has found a task that ran twice.
	words      []atomic.Uint64
	duplicated atomic.Uint64 // ran again
	alien      atomic.Uint64 // never submitted
}

// NewLedger returns a ledger for the tasks 0 to n-1.
func NewLedger(n int) *Ledger {
	return &Ledger{tasks: n, words: make([]atomic.Uint64, (n+63)/64)}
}

// Mark says that task id runs. Any goroutine may call it.
func (l *Ledger) Mark(id int) {
	if id < 0 || id >= l.tasks {
		l.alien.Add(1)
		return
	}
	bit := uint64(1) << (id % 64)
	if l.words[id/64].Or(bit)&bit != 0 {
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
		want := ^uint64(0)
		if tail := l.tasks - i*64; tail < 64 {
			want = 1<<tail - 1
		}
		got := l.words[i].Load()
		if missing := want &^ got; missing != 0 {
			a.Lost += uint64(bits.OnesCount64(missing))
			if a.FirstLost < 0 {
				a.FirstLost = i*64 + bits.TrailingZeros64(missing)
			}
		}
		a.Alien += uint64(bits.OnesCount64(got &^ want))
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
