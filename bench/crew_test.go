package bench

import (
	"sync/atomic"
	"testing"

	"github.com/exactlyonce/certify/internal/stress"
)

// All members are in a round at once, which none leaves before each has begun
// it, nor begins before all have arrived; and run returns after all.
func TestCrewMeets(t *testing.T) {
	stress.Watchdog(t)
	const size = 5
	var inside, turns [size]atomic.Int64
	var round atomic.Int64
	var early atomic.Int64
	var c *crew
	c = newCrew(size, func(i int) {
		if int64(c.round.Load()) != round.Load() {
			early.Add(1)
		}
		inside[i].Store(round.Load())
		for j := range size {
			stress.Until(func() bool { return inside[j].Load() == round.Load() })
		}
		turns[i].Add(1)
	})
	for r := range int64(stress.Rounds(1000)) {
		round.Store(r + 1)
		if elapsed := c.run(); elapsed < 0 {
			t.Fatalf("round %d took %v", r, elapsed)
		}
		for i := range turns {
			if n := turns[i].Load(); n != r+1 {
				t.Fatalf("member %d has worked %d times, want %d", i, n, r+1)
			}
		}
	}
	c.close()
	if n := early.Load(); n > 0 {
		t.Errorf("%d times a member did not wait for the barrier", n)
	}
}

func TestCrewOfOne(t *testing.T) {
	n := 0
	c := newCrew(1, func(int) { n++ })
	c.run()
	c.run()
	if c.close(); n != 2 {
		t.Errorf("worked %d times, want 2", n)
	}
}
