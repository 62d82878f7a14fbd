package main

import (
	"errors"
	"math/rand/v2"
	"runtime"

	"github.com/exactlyonce/certify/executor"
)

// fate is what becomes of a task.
type fate uint8

const (
	fine    fate = iota
	slow         // it lets others run
	fails        // with an error; fine for a light task
	dropped      // cancelled by who gave it; fine for a light task
	panics
	exits
	fates
)

var errMeant = errors.New("load: meant to fail")

// answer is what a task returns that is fine.
const answer = 4711

func (f fate) bad() bool { return f == panics || f == exits }

// drawn is a fate by chance: most are fine, for the others cost a hundred times as much.
func drawn(dice *rand.Rand) fate {
	switch n := dice.IntN(1024); {
	case n < 2:
		return panics
	case n < 4:
		return exits
	case n < 12:
		return fails
	case n < 76:
		return dropped
	case n < 80:
		return slow
	}
	return fine
}

// body is the function of a task with a handle.
func (l *life) body(m *mark, f fate) body {
	return func(*executor.Worker) (int, error) {
		m.ran()
		switch f {
		case slow:
			runtime.Gosched()
		case fails:
			return 0, errMeant
		case panics:
			l.tally.panics.Add(1)
			panic(errMeant)
		case exits:
			l.tally.goexits.Add(1)
			runtime.Goexit()
		}
		return answer, nil
	}
}

// ticket is a task that was accepted.
type ticket struct {
	handle *executor.Handle[int]
	mark   *mark
	fate   fate
	won    bool // the call of Cancel
}

// accept notes that a task was accepted, and cancels it if that is its fate.
func accept(h *executor.Handle[int], m *mark, f fate) ticket {
	m.give()
	return ticket{h, m, f, f == dropped && h.Cancel(nil)}
}

// settle waits for a task, and holds its end against its fate.
func (l *life) settle(t ticket) {
	got, err := t.handle.Wait(background)
	if errors.Is(err, executor.ErrCancelled) {
		if !t.won && l.stops.Load() {
			l.tally.abandoned.Add(1)
		} else if !t.won {
			l.complain("a task is cancelled that nobody has cancelled")
		}
		if t.mark.times() == 0 {
			t.mark.skip()
			l.tally.cancelled.Add(1)
		} else {
			l.tally.interrupted.Add(1)
		}
		return
	}
	if err != nil {
		l.tally.failed.Add(1)
	}
	if t.won || !t.fate.is(got, err) {
		l.complain("a task of fate %d ended with %d, %v; its Cancel said %v", t.fate, got, err, t.won)
	}
}

// is tells whether a task that was not cancelled may end so.
func (f fate) is(got int, err error) bool {
	var p *executor.PanicError
	switch f {
	case fails:
		return err == errMeant
	case panics:
		return errors.As(err, &p) && p.Value == errMeant
	case exits:
		return err == executor.ErrGoexit
	}
	return got == answer && err == nil
}
