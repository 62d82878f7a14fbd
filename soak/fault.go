package soak

import (
	"os"
)

// fault is a misbehaviour on demand. It strikes once, in the middle task of a
// repetition, and shows that the harness notices its kind.
type fault struct {
	Name   string
	About  string
	ledger bool // it is in the drill's ledger
	strike func(t *trial, l *Ledger, task int)
}

// Faults lists the names that Spec.Fault may have, each with what it does.
func Faults() [][2]string {
	var all [][2]string
	for _, f := range faults {
		all = append(all, [2]string{f.Name, f.About})
	}
	return all
}

var faults = []fault{
	{"kill", "the process is killed by a signal", false, func(*trial, *Ledger, int) { killSelf() }},
	{"panic", "a goroutine panics", false, func(*trial, *Ledger, int) { go panic("a fault on demand"); select {} }},
	{"exit", "the process exits with 0 before its end", false, func(*trial, *Ledger, int) { os.Exit(0) }},
	{"stall", "a task never returns", false, func(*trial, *Ledger, int) { select {} }},
	{"memory", "the process takes memory until it is stopped", false, func(*trial, *Ledger, int) { devour() }},
	{"race", "two goroutines write one variable", false, func(*trial, *Ledger, int) { raceOnce() }},
	{"leak", "a goroutine is left behind", false, func(*trial, *Ledger, int) { go func() { select {} }() }},
	{"duplicate", "a task is marked twice", true, func(_ *trial, l *Ledger, task int) { l.Mark(task) }},
	{"alien", "a task is marked that was never submitted", true, func(_ *trial, l *Ledger, _ int) { l.Mark(-1) }},
	{"lose", "a task runs without its mark, as if it never had", true, nil},
}

func findFault(name string) (fault, error) {
	if name == "" {
		return fault{}, nil
	}
	return find("fault", name, faults, func(f fault) string { return f.Name })
}

// mark marks a task in the ledger, or does what the fault wants instead.
func (t *trial) mark(l *Ledger, task int) {
	if t.fault.Name == "" || task != t.spec.Tasks/2 {
		l.Mark(task)
		return
	}
	if t.fault.strike != nil {
		t.fault.strike(t, l, task)
		l.Mark(task)
	}
}

// strike is mark for drills whose tasks are in no ledger.
func (t *trial) strike(task int) {
	if t.fault.strike != nil && task == t.spec.Tasks/2 {
		t.fault.strike(t, nil, task)
	}
}

func killSelf() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill()
	}
	select {}
}

// devour touches what it takes, so that it is resident, and never stops.
func devour() {
	var held [][]byte
	for {
		chunk := make([]byte, 16<<20)
		for i := 0; i < len(chunk); i += 4096 {
			chunk[i] = 1
		}
		held = append(held, chunk)
		_ = held
	}
}

var raced int

// raceOnce is a data race whatever the schedule: nothing orders the writes, and
// both goroutines are there until both have written, for the detector may take one
// that begins after another's end for the same.
func raceOnce() {
	done, leave := make(chan struct{}, 2), make(chan struct{})
	for range 2 {
		go func() { raced++; done <- struct{}{}; <-leave }()
	}
	<-done
	<-done
	close(leave)
	if raced == 0 {
		panic("soak: nobody wrote")
	}
}
