package queuetest

import "fmt"

// ledger is the exactly-once record of one run: the items of each producer.
type ledger struct{ items [][]*Item }

func newLedger(producers, each int) *ledger {
	l := &ledger{make([][]*Item, producers)}
	for from := range l.items {
		l.items[from] = make([]*Item, each)
		for serial := range l.items[from] {
			l.items[from][serial] = &Item{from, serial, l}
		}
	}
	return l
}

// account is the ledger's balance.
type account struct {
	lost, duplicated, alien, none int

	example string // the first that does not balance
}

// balance counts what came out, in any number of hauls.
func (l *ledger) balance(hauls [][]*Item) account {
	var a account
	times := make([][]int, len(l.items))
	for from := range times {
		times[from] = make([]int, len(l.items[from]))
	}
	for _, haul := range hauls {
		for _, v := range haul {
			a.enter(l, v, times)
		}
	}
	for from := range times {
		for serial, n := range times[from] {
			if n == 0 {
				a.lost++
				a.note("lost", from, serial)
			}
		}
	}
	return a
}

func (a *account) enter(l *ledger, v *Item, times [][]int) {
	switch {
	case v == nil:
		a.none++
	case v.ledger != l || v != l.items[v.From][v.Serial]:
		a.alien++
	default:
		if times[v.From][v.Serial]++; times[v.From][v.Serial] > 1 {
			a.duplicated++
			a.note("duplicated", v.From, v.Serial)
		}
	}
}

func (a *account) note(what string, from, serial int) {
	if a.example == "" {
		a.example = fmt.Sprintf("; first: %s %d of producer %d", what, serial, from)
	}
}

// err is nil if the account balances.
func (a account) err() error {
	if a.lost+a.duplicated+a.alien+a.none == 0 {
		return nil
	}
	return fmt.Errorf("lost %d, duplicated %d, alien %d, nil %d%s",
		a.lost, a.duplicated, a.alien, a.none, a.example)
}

// rising checks that a haul has each producer's items in the order in which
// they were pushed.
func rising(haul []*Item, producers int) error {
	last := make([]int, producers)
	for i := range last {
		last[i] = -1
	}
	for i, v := range haul {
		if v == nil {
			continue // the ledger's business
		}
		if v.Serial <= last[v.From] {
			return fmt.Errorf("one taker got item %d of producer %d after item %d (its take number %d)",
				v.Serial, v.From, last[v.From], i)
		}
		last[v.From] = v.Serial
	}
	return nil
}
