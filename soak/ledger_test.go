package soak_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
	"github.com/exactlyonce/certify/soak"
)

var sizes = []int{1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 4095, 4096, 4097}

// counts is the model of a ledger: how often each id was marked.
type counts map[int]int

func (m counts) account(n int) soak.Account {
	a := soak.Account{Tasks: uint64(n), FirstLost: -1}
	for id, times := range m {
		if id < 0 || id >= n {
			a.Alien += uint64(times)
		} else {
			a.Duplicated += uint64(times - 1)
		}
	}
	for id := n - 1; id >= 0; id-- {
		if m[id] == 0 {
			a.Lost++
			a.FirstLost = id
		}
	}
	return a
}

// A ledger accounts as a map does, whatever was marked.
func TestLedgerAgainstModel(t *testing.T) {
	for _, n := range sizes {
		for round := range 40 {
			seed := uint64(n)<<8 | uint64(round)
			rng := rand.New(rand.NewPCG(seed, 1))
			l, m := soak.NewLedger(n), counts{}
			mark := func(id int) { l.Mark(id); m[id]++ }
			for _, id := range rng.Perm(n) {
				if round%4 == 0 || rng.IntN(n+1) > round%4 { // a few are lost
					mark(id)
				}
			}
			for range rng.IntN(4) * (round % 2) {
				mark(rng.IntN(n))
			}
			for range rng.IntN(4) * (round % 3) {
				mark([]int{-1, -n, n, n + 1, n + 63, 1 << 30}[rng.IntN(6)])
			}
			got, want := l.Account(), m.account(n)
			if got != want || got.Clean() != (want.Lost+want.Duplicated+want.Alien == 0) {
				t.Fatalf("size %d, seed %d: got %+v, want %+v", n, seed, got, want)
			}
		}
	}
}

// Each task that is lost alone is seen, the last of a word and of all too.
func TestLedgerSeesEachLoss(t *testing.T) {
	for _, n := range sizes {
		for lost := 0; lost < n; lost += max(1, n/200) {
			l := soak.NewLedger(n)
			for id := range n {
				if id != lost {
					l.Mark(id)
				}
			}
			a := l.Account()
			if a.Lost != 1 || a.FirstLost != lost || a.Duplicated+a.Alien != 0 || a.Clean() {
				t.Fatalf("size %d without task %d: %s", n, lost, a)
			}
			if want := fmt.Sprintf("the first lost is task %d", lost); !strings.Contains(a.String(), want) {
				t.Errorf("%q does not say: %s", a, want)
			}
		}
	}
}

// Marks of many goroutines on the same words are all counted, those of a task by one
// after the other.
func TestLedgerTogether(t *testing.T) {
	stress.Watchdog(t)
	for _, n := range sizes {
		l := soak.NewLedger(n)
		const each = 4
		for k := range each {
			var markers sync.WaitGroup
			for m := range each {
				markers.Go(func() {
					for i := m; i < n; i += each {
						l.Mark(i)
					}
					l.Mark(n + k)
				})
			}
			markers.Wait()
		}
		if a := l.Account(); a.Lost != 0 || a.Duplicated != uint64(n*(each-1)) || a.Alien != each*each {
			t.Errorf("size %d: %s", n, a)
		}
	}
}

// A task that runs again and again is counted each time, and its neighbours are as they
// were.
func TestLedgerCountsEachTime(t *testing.T) {
	for _, id := range []int{0, 15, 16, 62, 63, 64} {
		l := soak.NewLedger(65)
		for range 1000 {
			l.Mark(id)
		}
		if a := l.Account(); a.Duplicated != 999 || a.Lost != 64 || a.Alien != 0 {
			t.Errorf("task %d: %s", id, a)
		}
	}
}

func BenchmarkLedger(b *testing.B) {
	const n = 1 << 20
	l := soak.NewLedger(n)
	for i := range b.N {
		if i%n == 0 && i > 0 {
			b.StopTimer()
			l = soak.NewLedger(n)
			b.StartTimer()
		}
		l.Mark(i % n)
	}
}
