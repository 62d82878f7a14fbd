package gate

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
)

// A winner is held between winning and storing; a newer one wins and stores
// meanwhile, and stays what readers see.
func TestDelayedWinnerG5(t *testing.T) {
	stress.Watchdog(t)
	g := New[string, int]()
	held, release := make(chan struct{}), make(chan struct{})
	var first atomic.Bool
	g.step = func(p point) {
		if p == won && first.CompareAndSwap(false, true) {
			close(held)
			<-release
		}
	}
	old := start(t, g, 1)
	var over sync.WaitGroup
	over.Go(func() { is(t, "publish of the old", old.Publish(1), nil) })
	<-held
	is(t, "publish", start(t, g, 2).Publish(2), nil)
	latest(t, g, 2, 2)
	close(release)
	over.Wait()
	latest(t, g, 2, 2)
}

// Cancel, Publish and a newer Admit at once: exactly one decides, the others
// are told which, and each order is seen.
func TestThreeWayRaceG2G3(t *testing.T) {
	stress.Watchdog(t)
	random := stress.Random(t)
	outcomes := map[string]int{}
	for round := 0; round < stress.Rounds(20000) || len(outcomes) < 3; round++ {
		g := New[string, int]()
		k := start(t, g, 1)
		var publish error
		var cancel bool
		race(random,
			func() { publish = k.Publish(1) },
			func() { cancel = k.Cancel(nil) },
			func() { _, err := g.Admit(background, "k", 2); is(t, "admit", err, nil) })
		_, rev, _ := g.Latest("k")
		switch {
		case publish == nil && !cancel && rev == 1:
			outcomes["published"]++
		case (errors.Is(publish, ErrCancelled) || errors.Is(publish, ErrSuperseded)) && cancel && rev == 0:
			outcomes["cancelled"]++
		case errors.Is(publish, ErrSuperseded) && !cancel && rev == 0:
			outcomes["superseded"]++
		default:
			t.Fatalf("round %d: publish %v, cancel %v, latest %d", round, publish, cancel, rev)
		}
		g.Forget("k")
	}
	t.Log(outcomes)
}

// race lets all go at once, each a few turns late at random: with one
// processor too, each can be first.
func race(random *rand.Rand, fs ...func()) {
	var all sync.WaitGroup
	barrier := make(chan struct{})
	for _, f := range fs {
		late := random.IntN(4)
		all.Go(func() {
			<-barrier
			for range late {
				runtime.Gosched()
			}
			f()
		})
	}
	close(barrier)
	all.Wait()
}

// 64 revisions race, winners are delayed before they store, and readers look
// on: the newest owns the word and publishes once, nobody reads backwards.
func TestRacingRevisionsG1G2G3G5(t *testing.T) {
	const revisions, readers = 64, 2
	stress.Watchdog(t)
	random := stress.Random(t)
	var overtaken, superseded, stale atomic.Int64
	n := stress.Rounds(300)
	for round := 0; round < n || overtaken.Load() == 0 || superseded.Load() == 0 || stale.Load() == 0; round++ {
		g := New[string, int]()
		g.step = func(p point) {
			for range delay(p) {
				runtime.Gosched()
			}
		}
		var wins [revisions + 1]atomic.Int32
		var all, reading sync.WaitGroup
		var over atomic.Bool
		for range readers {
			reading.Go(func() { readMonotone(t, g, &over) })
		}
		for _, rev := range random.Perm(revisions) {
			all.Go(func() {
				k, err := g.Admit(background, "k", uint64(rev+1))
				if err != nil {
					is(t, "admit", err, ErrStaleRevision)
					stale.Add(1)
					return
				}
				err = k.Start()
				if err == nil {
					err = k.Publish(rev + 1)
				}
				if err != nil {
					is(t, "publish", err, ErrSuperseded)
					superseded.Add(1)
					return
				}
				wins[rev+1].Add(1)
				if _, now, _ := g.Latest("k"); now > k.Revision() {
					overtaken.Add(1)
				}
			})
		}
		all.Wait()
		over.Store(true)
		reading.Wait()
		latest(t, g, revisions, revisions)
		if wins[revisions].Load() != 1 {
			t.Errorf("round %d: the newest published %d times", round, wins[revisions].Load())
		}
		if rev, s := unpack(g.entries["k"].word.v.Load()); rev != revisions || s != published || kept(g) {
			t.Errorf("round %d: at rest revision %d, state %d, ticket kept: %v", round, rev, s, kept(g))
		}
	}
	t.Logf("%d overtaken, %d superseded, %d stale", overtaken.Load(), superseded.Load(), stale.Load())
}

// delay is how long one waits at a step: winners often.
func delay(p point) int {
	if p == won {
		return rand.IntN(20)
	}
	return rand.IntN(8) / 7
}

func readMonotone(t *testing.T, g *Gate[string, int], over *atomic.Bool) {
	last := uint64(0)
	for !over.Load() {
		v, rev, _ := g.Latest("k")
		if rev < last || uint64(v) != rev {
			t.Errorf("read %d of revision %d after %d", v, rev, last)
			return
		}
		last = rev
		runtime.Gosched()
	}
}
